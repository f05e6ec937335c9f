// SPDX-License-Identifier: Apache-2.0
// The steps that hold the target to a time, and the waiting that they share with others.
#include <algorithm>
#include <map>

#include "harness/driver/executor.h"
#include "harness/history/narrator.h"

namespace watchproof {
namespace {

constexpr Duration kProgressEvery = 100ms;

}  // namespace

bool Executor::Delivered(const std::string& group, Duration limit) {
  const Revision through = head_;
  return world_.PumpUntil(
      [&] {
        if (world_.judge().known_through() < through) return false;
        // A watch that has lost something for good will not be complete, but it waits for nothing
        // either.
        const std::vector<std::size_t> waiting = world_.judge().Unsettled();
        const auto& members = groups_.at(group);
        return std::none_of(members.begin(), members.end(), [&](const Member& member) {
          const auto index = world_.judge().Find(member.stream, member.ordinal);
          return !index || std::binary_search(waiting.begin(), waiting.end(), *index);
        });
      },
      Within(limit));
}

std::uint64_t Executor::EventsGiven(const std::string& group) {
  std::uint64_t events = 0;
  for (const Member& member : groups_.at(group)) {
    const auto index = world_.judge().Find(member.stream, member.ordinal);
    if (index) events += world_.judge().watches()[*index].events;
  }
  return events;
}

std::string Executor::Lagging(const std::string& group) {
  std::size_t behind = 0;
  Revision furthest = head_;
  for (const Member& member : groups_.at(group)) {
    const auto index = world_.judge().Find(member.stream, member.ordinal);
    if (!index) continue;
    const WatchState& watch = world_.judge().watches()[*index];
    if (watch.complete || watch.end != WatchEnd::kOpen) continue;
    ++behind;
    furthest = std::min(furthest, watch.position);
  }
  return fmt::format("{} of {} still waited, the furthest behind at revision {}", behind,
                     groups_.at(group).size(), furthest);
}

// A slow machine is no broken promise: only a target that delivers nothing more for the limit is
// judged.
Status Executor::Do(const MustDeliverStep& step) {
  const Revision through = head_;
  std::uint64_t given = 0;
  do {
    given = EventsGiven(step.group);
    if (Delivered(step.group, step.limit) || world_.GivesUp()) return {};
  } while (EventsGiven(step.group) > given);
  findings_.push_back(
      {.guarantee = Guarantee::kIsolated,
       .watch = fmt::format("group {}, on a connection of its own", step.group),
       .expected =
           fmt::format("every change through revision {}, or at least one every {} ms", through,
                       std::chrono::duration_cast<std::chrono::milliseconds>(step.limit).count()),
       .observed = Lagging(step.group),
       .evidence = {world_.recorder().last()},
       .at = world_.recorder().Now()});
  return {};
}

Result<bool> Executor::ToldProgress(const std::string& name, MustTellProgressStep::When when,
                                    Duration limit) {
  WP_ASSIGN_OR_RETURN(WatchStream* const stream, world_.Stream(name));
  std::map<std::uint32_t, std::uint64_t> before;  // by ordinal
  world_.PumpAll();
  // An answer below it counts for none.
  Revision head = world_.judge().reached();
  for (const WatchState& watch : world_.judge().watches()) {
    if (watch.stream != stream->id()) continue;
    before[watch.ordinal] = watch.progress_answers;
    head = std::max(head, watch.last_event);
  }
  const auto answered = [&] {
    const std::vector<WatchState>& all = world_.judge().watches();
    return std::any_of(all.begin(), all.end(), [&](const WatchState& watch) {
      return watch.stream == stream->id() && watch.progress_answers > before[watch.ordinal] &&
             watch.bookmark >= head;
    });
  };
  const Deadline deadline = Within(limit);
  bool told = false;
  while (!told && !deadline.expired() && !world_.GivesUp()) {
    if (when == MustTellProgressStep::When::kAsked) stream->RequestProgress();
    told = world_.PumpUntil(answered, Within(kProgressEvery));
  }
  return told;
}

// Judged from the marks, so that the recording tells all there is to tell.
Status Executor::Do(const MustTellProgressStep& step) {
  WP_ASSIGN_OR_RETURN(WatchStream* const stream, world_.Stream(step.stream));
  world_.Mark(ProgressDueMark(
      {.where = {},
       .stream = stream->id(),
       .asked = step.when == MustTellProgressStep::When::kAsked,
       .limit = std::chrono::duration_cast<std::chrono::milliseconds>(step.limit)}));
  WP_ASSIGN_OR_RETURN(const bool told, ToldProgress(step.stream, step.when, step.limit));
  if (told || !world_.GivesUp()) world_.Mark(ProgressOverMark(stream->id()));
  world_.PumpAll();
  return {};
}

}  // namespace watchproof
