// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/exercise.h"

#include <fmt/format.h>

#include "harness/checkers/exercise_meter.h"

namespace watchproof {

void ExerciseMeter::Add(Guarantee guarantee, std::uint64_t count) {
  if (count > 0) exercise_.opportunities[std::string(Name(guarantee))] += count;
}

void ExerciseMeter::Answered(WatchIndex watch, const Response& response, Findings&) {
  ++exercise_.promises_answered;
  if (response.message.canceled && response.message.compact_revision <= 0) return;
  ++exercise_.watches_created;
  const WatchDetails& details = facts().table.details(watch);
  if (++creates_[facts().table.state(watch).stream.value] > 1) Add(Guarantee::kIsolated);
  if (details.continues) Add(Guarantee::kResumable);
}

void ExerciseMeter::Delivered(WatchIndex, const Response& response, Findings&) {
  Add(Guarantee::kHeaders);
  Add(Guarantee::kFields, response.message.events.size());
  if (!response.last_part) Add(Guarantee::kFragmented);
}

void ExerciseMeter::Compared(WatchIndex watch, const Response&,
                             const std::vector<Comparison>& compared, Findings&) {
  const ExpectedList& expected = *facts().comparer.expected(watch);
  const bool previous = facts().table.details(watch).previous_asked;
  std::uint64_t& delivered = At(delivered_, watch);
  for (const Comparison& event : compared) {
    if (event.match != Match::kExpected && event.match != Match::kLate) continue;
    ++exercise_.events_delivered;
    Add(Guarantee::kUnique);
    if (delivered++ > 0) Add(Guarantee::kOrdered);
    if (expected[event.expected].run_size > 1) Add(Guarantee::kAtomic);
    if (previous) Add(Guarantee::kPreviousValue);
  }
}

void ExerciseMeter::Progress(WatchIndex watch, const Response&, Findings&) {
  Add(Guarantee::kBookmarkable);
  if (progress_due_.erase(facts().table.state(watch).stream.value) > 0) {
    ++exercise_.promises_answered;
  }
}

// If a previous value is compacted, ErrCompacted may come instead.
void ExerciseMeter::Compacted(WatchIndex watch, const Response&, Findings&) {
  Add(Guarantee::kCompactionSurfaced);
  if (facts().table.details(watch).previous_asked) Add(Guarantee::kPreviousValue);
}

void ExerciseMeter::Annotated(const Annotation& annotation, Where, Findings&) {
  if (const auto* due = std::get_if<ProgressDue>(&annotation)) {
    ++exercise_.promises_asked;
    Add(Guarantee::kBookmarkable);
    progress_due_.insert(due->stream.value);
  } else if (std::holds_alternative<DeliveryDue>(annotation)) {
    Add(Guarantee::kIsolated);
  } else if (std::holds_alternative<StreamEndDue>(annotation)) {
    Add(Guarantee::kSettled);
  }
}

void ExerciseMeter::Finish(WatchIndex watch, Findings&) {
  const WatchState& state = facts().table.state(watch);
  const WatchDetails& details = facts().table.details(watch);
  ++exercise_.watches_asked;
  ++exercise_.promises_asked;
  Add(Guarantee::kSettled);
  if (facts().table.RightOf(state.stream)) Add(Guarantee::kAuthorized);
  if (details.cancel_asked) {
    ++exercise_.promises_asked;
    if (state.end != WatchEnd::kOpen) ++exercise_.promises_answered;
  }
  if (details.floor_when_asked.value > 0 || facts().model.compaction_requested() > state.start) {
    Add(Guarantee::kCompactionSurfaced);
  }
  if (!state.created) return;
  std::uint64_t missing =
      facts().comparer.FirstMissing(watch) ? facts().comparer.Missing(watch) : 0;
  for (const Skipped& gap : facts().comparer.skipped(watch)) missing += gap.to - gap.from;
  const std::uint64_t expected = At(delivered_, watch) + missing;
  exercise_.events_expected += expected;
  if (facts().model.timeline().changes() > expected) Add(Guarantee::kFiltered);
  Add(Guarantee::kReliable, expected);
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
