// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/mutants/trial.h"

#include <algorithm>

namespace watchproof {

std::string_view Name(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDetected:
      return "detected";
    case Outcome::kEquivalent:
      return "equivalent";
    case Outcome::kUndecided:
      return "undecided";
    case Outcome::kMissed:
      return "MISSED";
    case Outcome::kFalseAlarm:
      return "FALSE ALARM";
    case Outcome::kUnlisted:
      return "UNLISTED";
  }
  return "unnamed";
}

Result<std::unique_ptr<Court>> Court::Open(const Subject& subject) {
  WP_ASSIGN_OR_RETURN(BruteTruth truth, Replay(subject.recording.lines));
  if (subject.told.empty()) {
    return Fail(StatusCode::kFailedPrecondition, "nothing was told on a faulted road");
  }
  return std::unique_ptr<Court>(new Court(subject, std::move(truth)));
}

Judgement Court::Judged(const std::vector<NumberedEntry>& lines, Memory memory) const {
  JudgeOptions options{
      .permit_compacted_at_the_floor = subject_.recording.permit_compacted_at_the_floor,
      .strict_previous = subject_.recording.strict_previous};
  if (memory == Memory::kForgetful) options.least_held = 0;
  Judge judge(options);
  for (const NumberedEntry& line : lines) judge.Consume(line);
  return judge.Finish();
}

Status Court::TryClean() {
  const Judgement judgement = Judged(subject_.recording.lines);
  const BruteRuling ruling = brute_.Rule(subject_.recording.lines);
  if (!judgement.findings.empty()) {
    const Finding& finding = judgement.findings.front();
    return Fail(StatusCode::kFailedPrecondition, "our judge finds {}: {}; {}",
                Name(finding.guarantee), finding.watch, finding.observed);
  }
  if (!judgement.undecided.empty()) {
    return Fail(StatusCode::kFailedPrecondition, "our judge doubts: {}",
                judgement.undecided.front());
  }
  if (!ruling.legal()) {
    return Fail(StatusCode::kInternal, "the brute judge finds {}", ruling.wrongs.front());
  }
  if (ruling.undecidable()) return Fail(StatusCode::kInternal, "the brute judge doubts");
  return Status();
}

const Equivalence* Court::Find(const Mutant& mutant) const {
  for (const Equivalence& row : AllEquivalences()) {
    const bool meant = std::find(row.mutations.begin(), row.mutations.end(), mutant.mutation) !=
                       row.mutations.end();
    if (meant && row.holds(subject_, truth_, mutant)) return &row;
  }
  return nullptr;
}

Outcome Court::Decide(const Mutant& mutant, const Judgement& judgement, Trial& trial) const {
  const bool found = !judgement.findings.empty();
  const bool doubted = !judgement.undecided.empty();
  const bool undecidable = trial.ruling.undecidable();
  if (!trial.ruling.legal()) return found ? Outcome::kDetected : Outcome::kMissed;
  if (found) return Outcome::kFalseAlarm;
  if (doubted != undecidable) return doubted ? Outcome::kFalseAlarm : Outcome::kMissed;
  if (doubted) return Outcome::kUndecided;
  trial.equivalence = Find(mutant);
  return trial.equivalence == nullptr ? Outcome::kUnlisted : Outcome::kEquivalent;
}

Trial Court::Try(const Mutant& mutant) {
  Trial trial;
  trial.judgement = Judged(mutant.lines);
  trial.ruling = brute_.Rule(mutant.lines);
  for (const Finding& finding : trial.judgement.findings) trial.found.insert(finding.guarantee);
  trial.outcome = Decide(mutant, trial.judgement, trial);
  Judgement forgetful = Judged(mutant.lines, Memory::kForgetful);
  const Outcome with_little_memory = Decide(mutant, forgetful, trial);
  if (with_little_memory > trial.outcome) {
    trial.outcome = with_little_memory;
    trial.judgement = std::move(forgetful);
  }
  return trial;
}

}  // namespace watchproof
