// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/compaction_notice.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace watchproof {
namespace {

// What it does to a Kubernetes cache.
constexpr std::string_view kNoticeFalse =
    "A Kubernetes cache lists everything anew without need; all caches at once may overload the "
    "store.";
constexpr std::string_view kNoticeNumber =
    "A Kubernetes cache that restarts at the reported revision is refused again, or skips the "
    "changes before that revision.";

constexpr std::string_view kNoticeTrue = "C-2";

// Whether it is known that nothing in the range of the watch was written between the two revisions.
// Others may have written what nothing in a passive recording shows.
bool NothingBetween(const Facts& facts, WatchIndex watch, Revision after, Revision floor) {
  if (facts.passive() || facts.timeline().known_through() < floor.previous()) return false;
  const ExpectedList& expected = *facts.comparer.expected(watch);
  const std::uint32_t next = expected.LowerBound(after.next());
  return next == expected.size() || expected[next].revision >= floor;
}

// From where on the message of that line may have been sent: it names the revision, and may have
// waited for its client since the next write began.
Line SentSince(const Facts& facts, const CaughtUpTo& caught_up_to) {
  const Timeline& timeline = facts.timeline();
  const auto changes = std::views::iota(timeline.first_change(), timeline.changes());
  const auto next =
      std::ranges::upper_bound(changes, caught_up_to.through, {},
                               [&](std::uint32_t i) { return timeline.change(i).revision; });
  const Line written = next != changes.end() ? timeline.change(*next).written : Line();
  const Line came = caught_up_to.where.line;
  return written.value != 0 ? std::min(came, written) : came;
}

// Whether compaction cannot have deleted any pending event. A target compares positions, not
// events: while it has not scanned the history below the floor for this watch, it may send
// ErrCompacted even if none of that history concerns the watch. Once the watch has caught up, it
// may not, until an event is written that may be pending, or its member is sent a snapshot: one
// that was away may be sent it when the fault is over, and report progress until then.
bool CaughtUp(const Facts& facts, WatchIndex watch, Revision floor) {
  const std::optional<CaughtUpTo>& caught_up_to = facts.details(watch).caught_up_to;
  if (!caught_up_to || facts.faults.MembersParted(SentSince(facts, *caught_up_to))) return false;
  if (facts.options.members > 1 && facts.faults.MayLag(caught_up_to->where.at)) return false;
  return NothingBetween(facts, watch, caught_up_to->through, floor);
}

// A watch that progress has brought beyond the floor receives a notice: either of the two is wrong.
// Where nothing was written since the latest event, progress has passed over nothing.
Symptom AfterProgress(const Facts& facts, WatchIndex watch, Revision floor) {
  const WatchState& state = facts.state(watch);
  const Revision received = std::max(state.start.previous(), state.last_event);
  if (NothingBetween(facts, watch, received, floor)) {
    return symptom::FalseNotice{.by_progress = true};
  }
  return symptom::PassedOver{watch};
}

Draft FalseNotice(const Response& response, std::string expected, std::vector<Line> evidence = {}) {
  return {.expected = std::move(expected),
          .observed = fmt::format("ErrCompacted with compact revision {} in line {}",
                                  response.message.compact_revision, response.where.line.value),
          .evidence = std::move(evidence),
          .where = response.where,
          .symptom = symptom::FalseNotice{},
          .impact = kNoticeFalse,
          .clause = kNoticeTrue};
}

}  // namespace

Draft WrongNumber(const Response& response, std::string expected, std::string_view addition) {
  return {
      .expected = std::move(expected),
      .observed = fmt::format("compact revision {} in line {}{}", response.message.compact_revision,
                              response.where.line.value, addition),
      .where = response.where,
      .impact = kNoticeNumber,
      .clause = kNoticeTrue};
}

bool IsByOthers(const Facts& facts, Revision reported) {
  return facts.options.others_compact && !facts.model.calls().CompactionAsked(reported);
}

std::optional<Draft> WrongNotice(const Facts& facts, WatchIndex watch, const Response& response) {
  const WatchState& state = facts.state(watch);
  const Revision position = state.position;
  const Revision requested = HighestFloor(facts);
  const Revision reported(response.message.compact_revision);
  // Such a watch ends when a previous value is compacted, whatever its position.
  const bool strict = facts.options.strict_previous && facts.details(watch).previous_asked;
  const bool permitted = facts.options.permit_compacted_at_the_floor || strict;
  const bool at_floor = permitted && position == requested;
  // It was progress that put the watch there, not an event.
  const bool by_progress = state.bookmark == position.previous();
  // To some releases a negative start is below every compaction.
  if (facts.details(watch).requested_start < 0 && position == state.start &&
      facts.model.calls().CompactionAsked(reported)) {
    return std::nullopt;
  }
  // Others may compact at any time: judged at the end, by the reads of past revisions.
  if (IsByOthers(facts, reported) && reported > position) return std::nullopt;
  if (position >= requested && !at_floor) {
    Draft draft = FalseNotice(
        response,
        fmt::format("no ErrCompacted: the watch is at revision {}, and {}", position,
                    requested.value == 0
                        ? std::string("no compaction was requested")
                        : fmt::format("the highest compaction requested is {}", requested)));
    if (by_progress) draft.symptom = AfterProgress(facts, watch, reported);
    return draft;
  }
  if (!at_floor && !strict && CaughtUp(facts, watch, requested)) {
    const CaughtUpTo& caught_up_to = *facts.details(watch).caught_up_to;
    Draft draft =
        FalseNotice(response,
                    fmt::format("no ErrCompacted: by line {} the watch had caught up with revision "
                                "{}, and nothing in its range was written between that and {}, the "
                                "highest compaction requested",
                                caught_up_to.where.line.value, caught_up_to.through, requested),
                    {caught_up_to.where.line});
    const bool said_by_progress = state.bookmark == caught_up_to.through;
    if (said_by_progress) draft.symptom = symptom::PassedOver{watch};
    return draft;
  }
  // One that was permitted at the floor may be received after further compactions.
  if (reported > requested || reported < position || (reported == position && !permitted)) {
    Draft draft = WrongNumber(
        response,
        fmt::format("a compact revision above the watch's position, {}, and not above {}, "
                    "the highest compaction requested",
                    position, requested));
    if (by_progress && reported <= requested) draft.symptom = AfterProgress(facts, watch, reported);
    return draft;
  }
  if (reported > facts.timeline().base() && !facts.model.calls().CompactionAsked(reported)) {
    return WrongNumber(response, "the revision of a compaction that was requested",
                       ", which no compaction requested");
  }
  return std::nullopt;
}

}  // namespace watchproof
