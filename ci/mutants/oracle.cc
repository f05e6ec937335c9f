// SPDX-License-Identifier: Apache-2.0
#include "ci/mutants/oracle.h"

#include <algorithm>
#include <array>

namespace watchproof {

std::string_view Name(MutantOutcome outcome) {
  constexpr std::array<std::string_view, kOutcomes> kNames = {
      "detected", "equivalent", "undecided", "MISSED", "FALSE ALARM", "UNLISTED"};
  return kNames[static_cast<std::size_t>(outcome)];
}

Result<std::unique_ptr<ReferenceOracle>> ReferenceOracle::Open(const Subject& subject) {
  WP_ASSIGN_OR_RETURN(ReferenceTruth truth, Replay(subject.recording.lines));
  if (subject.reported.empty()) {
    return Fail(StatusCode::kFailedPrecondition, "no response came on a proxied path");
  }
  return std::unique_ptr<ReferenceOracle>(new ReferenceOracle(subject, std::move(truth)));
}

Judgement ReferenceOracle::Judged(const std::vector<NumberedEntry>& lines, Memory memory) const {
  JudgeOptions options{
      .permit_compacted_at_the_floor = subject_.recording.permit_compacted_at_the_floor,
      .strict_previous = subject_.recording.strict_previous,
      .calls = false};
  if (memory == Memory::kForgetful) options.least_held = 0;
  Judge judge(options);
  for (const NumberedEntry& line : lines) judge.Consume(line);
  return judge.Finish();
}

Status ReferenceOracle::TryClean() {
  const Judgement judgement = Judged(subject_.recording.lines);
  const ReferenceResult judged = reference_.Rule(subject_.recording.lines);
  if (!judgement.findings.empty()) {
    const Finding& finding = judgement.findings.front();
    return Fail(StatusCode::kFailedPrecondition, "the judge finds {}: {}; {}",
                Name(finding.guarantee), finding.watch, finding.observed);
  }
  if (!judgement.undecided.empty()) {
    return Fail(StatusCode::kFailedPrecondition, "undecided: {}", judgement.undecided.front());
  }
  if (!judged.legal()) {
    return Fail(StatusCode::kInternal, "the reference oracle finds {}", judged.wrongs.front());
  }
  if (judged.undecidable()) return Fail(StatusCode::kInternal, "the reference oracle is undecided");
  return Status();
}

const Equivalence* ReferenceOracle::Find(const Mutant& mutant) const {
  for (const Equivalence& row : AllEquivalences()) {
    const bool meant = std::find(row.mutations.begin(), row.mutations.end(), mutant.mutation) !=
                       row.mutations.end();
    if (meant && row.holds(subject_, truth_, mutant)) return &row;
  }
  return nullptr;
}

MutantOutcome ReferenceOracle::Decide(const Mutant& mutant, const Judgement& judgement,
                                      Tested& tested) const {
  const bool found = !judgement.findings.empty();
  const bool doubted = !judgement.undecided.empty();
  const bool undecidable = tested.judged.undecidable();
  if (!tested.judged.legal()) return found ? MutantOutcome::kDetected : MutantOutcome::kMissed;
  if (found) return MutantOutcome::kFalseAlarm;
  if (doubted != undecidable) return doubted ? MutantOutcome::kFalseAlarm : MutantOutcome::kMissed;
  if (doubted) return MutantOutcome::kUndecided;
  tested.equivalence = Find(mutant);
  return tested.equivalence == nullptr ? MutantOutcome::kUnlisted : MutantOutcome::kEquivalent;
}

Tested ReferenceOracle::Try(const Mutant& mutant) {
  Tested tested;
  tested.judgement = Judged(mutant.lines);
  tested.judged = reference_.Rule(mutant.lines);
  for (const Finding& finding : tested.judgement.findings) tested.found.insert(finding.guarantee);
  tested.outcome = Decide(mutant, tested.judgement, tested);
  Judgement forgetful = Judged(mutant.lines, Memory::kForgetful);
  const MutantOutcome with_little_memory = Decide(mutant, forgetful, tested);
  if (with_little_memory > tested.outcome) {
    tested.outcome = with_little_memory;
    tested.judgement = std::move(forgetful);
  }
  return tested;
}

}  // namespace watchproof
