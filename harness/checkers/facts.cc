// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/facts.h"

#include <algorithm>

#include "harness/checkers/exercise.h"
#include "harness/checkers/findings.h"

namespace watchproof {

namespace {

constexpr Duration kConsumerSettles = 1s;

// Its start, or its next expected change, is below the floor.
bool BelowFloor(const Facts& facts, WatchIndex watch) {
  if (facts.details(watch).starts_below_floor()) return true;
  const auto missing = facts.comparer.FirstMissing(watch);
  return missing && missing->revision < facts.model.calls().compaction_acknowledged();
}

// The last that came on its stream, to any watch.
Line LatestOn(const Facts& facts, StreamId stream) {
  Line latest{};
  for (const WatchIndex watch : facts.table.On(stream)) {
    latest = std::max(latest, facts.details(watch).latest.line);
  }
  return latest;
}

}  // namespace

bool NothingDue(const Facts& facts, WatchIndex watch) {
  const WatchDetails& details = facts.details(watch);
  if (details.continued_by || facts.cut_off) return true;
  if (!facts.of_consumer) return false;
  const StreamId stream = facts.state(watch).stream;
  return facts.latest.at - details.latest.at < kConsumerSettles ||
         facts.faults.MayHaveCut(stream, LatestOn(facts, stream));
}

Revision HighestFloor(const Facts& facts) {
  const Revision base = facts.timeline().base();
  const Revision requested = facts.model.calls().compaction_requested();
  return base.value > 1 ? std::max(base, requested) : requested;
}

bool ServedInFull(const Facts& facts, WatchIndex watch) {
  const WatchState& state = facts.state(watch);
  // An ended watch need not deliver later changes, and in a recording that was cut off they may
  // come later.
  const bool behind =
      state.end == WatchEnd::kOpen && !facts.cut_off && facts.comparer.FirstMissing(watch);
  return facts.details(watch).starts_below_floor() && state.events > 0 && !behind &&
         !facts.comparer.OpenedTooLate(watch) && facts.comparer.skipped(watch).empty();
}

bool ExpectsCompactionNotice(const Facts& facts, WatchIndex watch) {
  if (ServedInFull(facts, watch)) return false;
  const WatchState& state = facts.state(watch);
  if (!state.created || state.end != WatchEnd::kOpen) return false;
  if (NothingDue(facts, watch)) return false;
  return BelowFloor(facts, watch);
}

bool EndedWithoutNotice(const Facts& facts, WatchIndex watch) {
  const WatchState& state = facts.state(watch);
  if (!state.created || state.end != WatchEnd::kCancelled) return false;
  return !facts.details(watch).cancel_asked && BelowFloor(facts, watch);
}

std::optional<bool> HasRight(const Facts& facts, WatchIndex watch) {
  const std::optional<Right>& right = facts.table.RightOf(facts.state(watch).stream);
  return right ? right->readable.ContainAll(facts.details(watch).range.range) : true;
}

bool RefusalIsJustified(const Facts& facts, WatchIndex watch, const Response& response) {
  const WatchDetails& details = facts.details(watch);
  const StreamId stream = facts.state(watch).stream;
  if (details.range.range.empty() || details.requested_start < 0) return true;
  if (details.requested_id == kWholeStream) return true;
  if (HasRight(facts, watch) != true) return true;
  if (facts.faults.MayRefuse(stream, response.where.line)) return true;
  if (details.requested_id == 0) return false;
  // etcd frees an id when its watch is cancelled, not when it ends in ErrCompacted.
  return std::ranges::any_of(facts.table.On(stream), [&](WatchIndex one) {
    const WatchState& other = facts.state(one);
    return other.created && other.end != WatchEnd::kCancelled &&
           other.id == WatchId(details.requested_id);
  });
}

bool LostByResuming(const Facts& facts, WatchIndex watch, const Change& lost) {
  const WatchDetails& details = facts.details(watch);
  return details.continues && lost.revision <= details.header_when_created;
}

Loss LossSoFar(const Facts& facts, WatchIndex watch, const Change& lost) {
  return {watch, lost, lost.revision, facts.model.calls().compaction_requested(),
          facts.table.Received(facts.state(watch).stream)};
}

bool Explained(const Facts& facts, const Loss& loss) {
  return !facts.signer->SignatureOf({.lost = loss}, std::nullopt).empty();
}

Loss GravestLoss(const Facts& facts, WatchIndex watch, const Skipped& gap) {
  const Change first = facts.comparer.FirstOf(watch, gap);
  const Loss loss{watch, first, first.revision, gap.compaction_requested, gap.received};
  if (!Explained(facts, loss)) return loss;
  const ExpectedList& expected = *facts.comparer.expected(watch);
  for (std::uint32_t i = std::max(gap.from, expected.first()); i < gap.to; ++i) {
    Loss other = loss;
    other.change = facts.comparer.change(expected[i]);
    if (!Explained(facts, other)) return other;
  }
  return loss;
}

std::optional<WatchIndex> NeighbourToBlame(const Facts& facts, WatchIndex watch) {
  const WatchState& state = facts.state(watch);
  const WatchDetails& details = facts.details(watch);
  if (state.end != WatchEnd::kCancelled || details.cancel_asked) return std::nullopt;
  if (EndedWithoutNotice(facts, watch)) return std::nullopt;
  std::optional<WatchIndex> latest;
  Line latest_end{};
  for (const WatchIndex other : facts.table.On(state.stream)) {
    if (other == watch) continue;
    const WatchDetails& theirs = facts.details(other);
    const auto& end = theirs.cancel_asked ? theirs.cancel_asked : theirs.ended;
    if (!end || end->line > details.ended->line || end->line < latest_end) continue;
    latest = other;
    latest_end = end->line;
  }
  return latest;
}

bool IsSettled(const Facts& facts, WatchIndex watch) {
  const WatchState& state = facts.state(watch);
  const WatchDetails& details = facts.details(watch);
  if (state.end != WatchEnd::kOpen || details.continued_by) return true;
  // After a compacted start no change is expected until ErrCompacted or a later event comes.
  const bool awaits_notice =
      details.starts_below_floor() && state.last_event < details.floor_when_asked;
  return state.created && !details.cancel_asked && !awaits_notice &&
         !facts.comparer.FirstMissing(watch);
}

bool WaitsForNext(const Facts& facts, WatchIndex watch) {
  if (IsSettled(facts, watch)) return false;
  const auto missing = facts.comparer.FirstMissing(watch);
  return !missing || missing->revision >= facts.state(watch).last_event;
}

Exercise ExerciseOfWatches(const Facts& facts) {
  Exercise exercise{.watches_asked = facts.table.size(), .promises_asked = facts.table.size()};
  for (const WatchIndex watch : facts.table.All()) {
    const WatchState& state = facts.state(watch);
    if (state.created || state.end == WatchEnd::kRefused) ++exercise.promises_answered;
    if (facts.details(watch).cancel_asked) {
      ++exercise.promises_asked;
      if (state.end != WatchEnd::kOpen) ++exercise.promises_answered;
    }
    if (!state.created) continue;
    ++exercise.watches_created;
    exercise.events_expected += facts.comparer.Expected(watch);
    exercise.events_delivered += facts.comparer.Delivered(watch);
  }
  return exercise;
}

std::optional<std::string> Vacuous(const Exercise& exercise,
                                   const std::vector<std::string>& guarantees) {
  for (const std::string& guarantee : guarantees) {
    if (exercise.opportunities.contains(guarantee)) continue;
    return fmt::format("vacuous: nothing in this attempt could have broken {}", guarantee);
  }
  if (!guarantees.empty() || exercise.events_expected > 0) return std::nullopt;
  return fmt::format("vacuous: {} watches were created, and no event was expected at any",
                     exercise.watches_created);
}

}  // namespace watchproof
