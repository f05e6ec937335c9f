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

// The group is judged from the annotations: it fails when nothing more came for the limit.
Status Executor::Do(const MustDeliverStep& step) {
  DeliveryDue due{.group = step.group,
                  .streams = {},
                  .ordinals = {},
                  .through = head_.value,
                  .limit_ms = InMilliseconds(step.limit)};
  for (const Member& member : groups_.at(step.group)) {
    due.streams.push_back(member.stream.value);
    due.ordinals.push_back(member.ordinal);
  }
  world_.Annotate(due);
  std::uint64_t given = 0;
  do {
    given = EventsGiven(step.group);
    if (Delivered(step.group, step.limit)) break;
    if (world_.GivesUp()) return {};
  } while (EventsGiven(step.group) > given);
  world_.Annotate(DeliveryOver{step.group});
  world_.PumpAll();
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

// Judged from the annotations, so that the recording tells all there is to tell.
Status Executor::Do(const MustTellProgressStep& step) {
  WP_ASSIGN_OR_RETURN(WatchStream* const stream, world_.Stream(step.stream));
  world_.Annotate(ProgressDue{.stream = stream->id(),
                              .asked = step.when == MustTellProgressStep::When::kAsked,
                              .limit_ms = InMilliseconds(step.limit)});
  WP_ASSIGN_OR_RETURN(const bool told, ToldProgress(step.stream, step.when, step.limit));
  const std::vector<WatchState>& watches = world_.judge().watches();
  const bool any_open =
      std::any_of(watches.begin(), watches.end(), [stream](const WatchState& one) {
        return one.stream == stream->id() && one.end == WatchEnd::kOpen;
      });
  // Compacted by others, for instance: then there is nothing that could progress.
  if (!told && !any_open) {
    unproven_.push_back(
        fmt::format("every watch of stream {} ended before its progress was told", step.stream));
    return {};
  }
  if (told || !world_.GivesUp()) world_.Annotate(ProgressOver{stream->id()});
  world_.PumpAll();
  return {};
}

}  // namespace watchproof
