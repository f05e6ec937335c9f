// SPDX-License-Identifier: Apache-2.0
// The steps with a time limit for the target, and the waiting that they share with others.
#include <algorithm>
#include <map>

#include "harness/driver/executor.h"
#include "harness/history/history_parser.h"

namespace watchproof {
namespace {

constexpr Duration kProgressEvery = 100ms;

}  // namespace

bool Executor::Delivered(const std::string& group, Duration limit) {
  const Revision through = head_;
  return environment_.PumpUntil(
      [&] {
        if (environment_.judge().known_through() < through) return false;
        // A watch that has lost an event for good is never complete, but does not count as waiting.
        const std::vector<std::size_t> waiting = environment_.judge().Unsettled();
        const auto& members = groups_.at(group);
        return std::none_of(members.begin(), members.end(), [&](const Member& member) {
          const auto index = environment_.judge().Find(member.stream, member.ordinal);
          return !index || std::binary_search(waiting.begin(), waiting.end(), *index);
        });
      },
      Within(limit));
}

std::uint64_t Executor::EventsGiven(const std::string& group) {
  std::uint64_t events = 0;
  for (const Member& member : groups_.at(group)) {
    const auto index = environment_.judge().Find(member.stream, member.ordinal);
    if (index) events += environment_.judge().watches()[*index].events;
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
  environment_.Annotate(due);
  std::uint64_t given = 0;
  do {
    given = EventsGiven(step.group);
    if (Delivered(step.group, step.limit)) break;
    if (environment_.GivesUp()) return {};
  } while (EventsGiven(step.group) > given);
  environment_.Annotate(DeliveryOver{step.group});
  environment_.PumpAll();
  return {};
}

Result<bool> Executor::GotProgress(const std::string& name, MustReportProgressStep::When when,
                                   Duration limit) {
  WP_ASSIGN_OR_RETURN(WatchStream* const stream, environment_.Stream(name));
  std::map<std::uint32_t, std::uint64_t> before;  // by ordinal
  environment_.PumpAll();
  // A progress answer below it does not count.
  Revision head = environment_.judge().reached();
  for (const WatchState& watch : environment_.judge().watches()) {
    if (watch.stream != stream->id()) continue;
    before[watch.ordinal] = watch.progress_answers;
    head = std::max(head, watch.last_event);
  }
  const auto answered = [&] {
    const std::vector<WatchState>& all = environment_.judge().watches();
    return std::any_of(all.begin(), all.end(), [&](const WatchState& watch) {
      return watch.stream == stream->id() && watch.progress_answers > before[watch.ordinal] &&
             watch.bookmark >= head;
    });
  };
  const Deadline deadline = Within(limit);
  bool reported = false;
  while (!reported && !deadline.expired() && !environment_.GivesUp()) {
    if (when == MustReportProgressStep::When::kAsked) stream->RequestProgress();
    reported = environment_.PumpUntil(answered, Within(kProgressEvery));
  }
  return reported;
}

// Judged from the annotations, so that the recording alone is sufficient.
Status Executor::Do(const MustReportProgressStep& step) {
  WP_ASSIGN_OR_RETURN(WatchStream* const stream, environment_.Stream(step.stream));
  environment_.Annotate(ProgressDue{.stream = stream->id(),
                                    .asked = step.when == MustReportProgressStep::When::kAsked,
                                    .limit_ms = InMilliseconds(step.limit)});
  WP_ASSIGN_OR_RETURN(const bool reported, GotProgress(step.stream, step.when, step.limit));
  const std::vector<WatchState>& watches = environment_.judge().watches();
  const bool any_open =
      std::any_of(watches.begin(), watches.end(), [stream](const WatchState& one) {
        return one.stream == stream->id() && one.end == WatchEnd::kOpen;
      });
  // Compacted by others, for instance: then no watch could report progress.
  if (!reported && !any_open) {
    inconclusive_.push_back(
        fmt::format("every watch of stream {} ended before it received progress", step.stream));
    return {};
  }
  if (reported || !environment_.GivesUp()) environment_.Annotate(ProgressOver{stream->id()});
  environment_.PumpAll();
  return {};
}

}  // namespace watchproof
