// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/facts.h"

#include <algorithm>

#include "harness/checkers/exercise.h"
#include "harness/checkers/signatures.h"

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

bool LacksRight(const Facts& facts, WatchIndex watch) {
  const std::optional<Right>& right = facts.table.RightOf(facts.state(watch).stream);
  return right && !right->readable.ContainsAll(facts.details(watch).range.range);
}

bool RefusalIsJustified(const Facts& facts, WatchIndex watch, const Response& response) {
  const WatchDetails& details = facts.details(watch);
  const StreamId stream = facts.state(watch).stream;
  if (details.range.range.empty() || details.requested_start < 0) return true;
  if (details.requested_id == kWholeStream) return true;
  if (LacksRight(facts, watch)) return true;
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

std::string_view SignatureBesideNegativeStart(const Facts& facts, const Response& response) {
  if (!response.message.events.empty()) return {};
  const bool beside = std::ranges::any_of(facts.table.All(), [&](WatchIndex watch) {
    const WatchDetails& details = facts.details(watch);
    return details.requested_start < 0 && facts.state(watch).end != WatchEnd::kRefused &&
           (!details.ended || details.ended->line > response.where.line);
  });
  return beside ? signature::kNegativeStart : std::string_view();
}

std::string_view SignatureOfRepetition(const Facts& facts) {
  return MayHaveTakenSnapshot(facts) ? signature::kReplayed : std::string_view();
}

bool QueueMayHaveBeenFull(const Facts& facts, WatchIndex watch, Revision beyond,
                          std::uint64_t received) {
  constexpr std::uint64_t kQueue = 128;  // messages
  const std::uint64_t since =
      std::max(facts.details(watch).received_when_asked,
               facts.table.ReceivedBeforeCompaction(facts.state(watch).stream, beyond));
  return received >= since + kQueue;
}

bool JoinedEndedWatch(const Facts& facts, WatchIndex watch) {
  const WatchDetails& details = facts.details(watch);
  if (!details.names_its_request || facts.state(watch).events > 0) return false;
  return std::ranges::any_of(facts.table.All(), [&](WatchIndex other) {
    const WatchDetails& theirs = facts.details(other);
    return facts.state(other).end == WatchEnd::kCompacted && theirs.range == details.range;
  });
}

LossSeen SeenAtTheEnd(const Facts& facts, WatchIndex watch) {
  return {facts.model.calls().compaction_requested(),
          facts.table.Received(facts.state(watch).stream)};
}

bool HalfRevisionAtTheFloor(const Facts& facts, Revision revision) {
  return facts.model.calls().CompactionAsked(revision) &&
         facts.timeline().ChangesKeyTwice(revision);
}

std::string_view SignatureOfRevision(const Facts& facts, Revision revision) {
  return HalfRevisionAtTheFloor(facts, revision) ? signature::kHalfRevisionAtTheFloor
                                                 : std::string_view();
}

namespace {

// Why a watch never received a change, as far as the bugs of etcd explain it.
class LossExplanation {
 public:
  // `first`: of what was lost together, the lowest revision.
  LossExplanation(const Facts& facts, WatchIndex watch, const LossSeen& seen, Revision first)
      : facts_(facts), watch_(watch), seen_(seen), first_(first) {
    for (const WatchIndex other : facts.table.All()) {
      if (facts.details(other).requested_start < 0 &&
          facts.state(other).end != WatchEnd::kRefused) {
        negative_.push_back(other);
      }
    }
  }

  std::string_view Of(const Change& lost) const {
    if (facts_.rewind && lost.revision > facts_.rewind->to) return facts_.rewind->signature;
    const bool floor = facts_.model.calls().CompactionAsked(lost.revision) &&
                       seen_.compaction_requested >= lost.revision;
    if (JoinedEndedWatch(facts_, watch_)) return signature::kJoinsEndedWatch;
    if (floor && ChangedAgain(lost)) return signature::kHalfRevisionAtTheFloor;
    if (CameEarly(lost)) return signature::kEventsOfFormer;
    if (floor && lost.deleted && Behind(lost)) return signature::kDeleteAtTheFloor;
    if (SkippedBesideNegativeStart(lost)) return signature::kNegativeStart;
    if (SilencedByRefusal()) return signature::kWrongWatchClosed;
    // Where ErrCompacted found no room the watch goes on as if it had been sent all; in the middle
    // of its history it may have received what is below the floor.
    const bool middle = facts_.state(watch_).events > 0;
    const bool compacted =
        first_ < seen_.compaction_requested || (middle && first_ == seen_.compaction_requested);
    if (compacted && QueueMayHaveBeenFull(facts_, watch_, first_.previous(), seen_.received)) {
      return signature::kSilentAfterCompaction;
    }
    return {};
  }

 private:
  const WatchDetails& details() const { return facts_.details(watch_); }

  // Its key changed more than once in the revision.
  bool ChangedAgain(const Change& lost) const {
    if (!facts_.timeline().ChangesKeyTwice(lost.revision)) return false;
    const ExpectedList* const expected = facts_.comparer.expected(watch_);
    if (expected == nullptr || lost.revision < facts_.timeline().forgotten()) return true;
    int changes = 0;
    for (std::uint32_t i = expected->LowerBound(lost.revision);
         i < expected->size() && (*expected)[i].revision == lost.revision; ++i) {
      if (facts_.comparer.change((*expected)[i]).key == lost.key) ++changes;
    }
    return changes > 1;
  }

  // It was sent before the cancel of the watch that had the id was answered.
  bool CameEarly(const Change& lost) const {
    const auto early = details().came_early.find(lost.revision);
    return early != details().came_early.end() && early->second == facts_.state(watch_).id;
  }

  // The change may have waited for the watch in the history of the store.
  bool Behind(const Change& lost) const {
    const WatchDetails& mine = details();
    const bool later = !mine.created || mine.created->line > lost.written;
    const bool history =
        mine.requested_start > 0 && Revision(mine.requested_start) <= mine.known_when_asked;
    return later || history || !facts_.faults.QuietSince({}) ||
           QueueMayHaveBeenFull(facts_, watch_, lost.revision, seen_.received);
  }

  // A refusal of a create for missing rights names the id 0, and nothing comes to the watch with
  // that id any more.
  bool SilencedByRefusal() const {
    if (facts_.state(watch_).id != WatchId(0)) return false;
    return std::ranges::any_of(
        facts_.table.On(facts_.state(watch_).stream), [this](WatchIndex other) {
          return facts_.state(other).end == WatchEnd::kRefused && LacksRight(facts_, other) &&
                 details().latest.line < facts_.details(other).ended->line;
        });
  }

  // Watches that catch up together with one of a negative start skip what there is to catch up
  // with. Once that one has received something of its own it is not among them any more.
  bool SkippedBesideNegativeStart(const Change& lost) const {
    return std::ranges::any_of(negative_, [&](WatchIndex other) {
      const WatchDetails& theirs = facts_.details(other);
      if (theirs.ended && theirs.ended->line < details().asked.line) return false;
      const Line until = theirs.caught_up_once.value_or(Line{UINT64_MAX});
      return lost.written < until && details().asked.line < until &&
             (!theirs.ended || lost.written < theirs.ended->line);
    });
  }

  const Facts& facts_;
  const WatchIndex watch_;
  const LossSeen seen_;
  const Revision first_;
  std::vector<WatchIndex> negative_;
};

}  // namespace

Loss LossOf(const Facts& facts, WatchIndex watch, const Change& lost, const LossSeen& seen) {
  return {lost, LossExplanation(facts, watch, seen, lost.revision).Of(lost)};
}

Loss LossOf(const Facts& facts, WatchIndex watch, const Skipped& gap) {
  const Change first = facts.comparer.FirstOf(watch, gap);
  const LossExplanation explanation(facts, watch, SeenAt(gap), first.revision);
  const Loss loss{first, explanation.Of(first)};
  const ExpectedList& expected = *facts.comparer.expected(watch);
  for (std::uint32_t i = std::max(gap.from, expected.first());
       i < gap.to && !loss.signature.empty(); ++i) {
    const Change& lost = facts.comparer.change(expected[i]);
    if (explanation.Of(lost).empty()) return {lost, {}};
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

bool AnsweredOutOfOrder(const Facts& facts, WatchIndex watch, std::string_view key) {
  const WatchDetails& mine = facts.details(watch);
  if (!mine.created) return false;
  return std::ranges::any_of(facts.table.On(facts.state(watch).stream), [&](WatchIndex other) {
    const WatchDetails& details = facts.details(other);
    const bool waits = !details.created || details.created->line > mine.asked.line;
    return other != watch && details.range.range.Contains(key) && waits &&
           details.asked.line < mine.created->line;
  });
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
