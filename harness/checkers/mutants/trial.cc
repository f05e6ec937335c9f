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

Judgement Court::Judged(const std::vector<NumberedEntry>& lines) const {
  Judge judge({.permit_compacted_at_the_floor = subject_.recording.permit_compacted_at_the_floor,
               .strict_previous = subject_.recording.strict_previous});
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

const Equivalence* Court::Find(const Mutant& mutant, bool undecided) const {
  for (const Equivalence& row : AllEquivalences()) {
    const bool meant = std::find(row.mutations.begin(), row.mutations.end(), mutant.mutation) !=
                       row.mutations.end();
    if (meant && row.undecided == undecided && row.holds(subject_, truth_, mutant)) return &row;
  }
  return nullptr;
}

Outcome Court::Decide(const Mutant& mutant, Trial& trial) const {
  const bool found = !trial.judgement.findings.empty();
  const bool doubted = !trial.judgement.undecided.empty();
  const bool undecidable = trial.ruling.undecidable();
  if (!trial.ruling.legal()) {
    if (found) return Outcome::kDetected;
    // What is missing may be in a message that cannot be read.
    if (!doubted || !trial.ruling.unreadable) return Outcome::kMissed;
  } else if (found) {
    return Outcome::kFalseAlarm;
  }
  if (doubted != undecidable) return doubted ? Outcome::kFalseAlarm : Outcome::kMissed;
  trial.equivalence = Find(mutant, doubted);
  if (trial.equivalence == nullptr) return Outcome::kUnlisted;
  return doubted ? Outcome::kUndecided : Outcome::kEquivalent;
}

Trial Court::Try(const Mutant& mutant) {
  Trial trial;
  trial.judgement = Judged(mutant.lines);
  trial.ruling = brute_.Rule(mutant.lines);
  for (const Finding& finding : trial.judgement.findings) trial.found.insert(finding.guarantee);
  trial.outcome = Decide(mutant, trial);
  return trial;
}

}  // namespace watchproof
