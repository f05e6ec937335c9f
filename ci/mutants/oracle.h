// SPDX-License-Identifier: Apache-2.0
// Judges a mutant with the judge and with the reference oracle, and compares the results. The judge
// runs twice: once it keeps all changes, once it forgets them as soon as possible. The worse result
// counts.
//
//   ReferenceOracle oracle(subject);            // errors: a recording that cannot be used
//   const Tested tested = oracle.Try(mutant);
//   if (IsBad(tested.outcome)) ...
//
// Not thread-safe. Ownership: the subject outlives the oracle.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ci/mutants/mutation.h"
#include "ci/mutants/reference_judge.h"
#include "harness/checkers/judge.h"

namespace watchproof {

enum class MutantOutcome {
  kDetected,    // illegal, and found
  kEquivalent,  // legal by a row of the list, and nothing found
  kUndecided,   // cannot be decided, and the judge reports that
  kMissed,      // illegal, and not found
  kFalseAlarm,  // legal, but found or undecided
  kUnlisted,    // legal and nothing found, but no row of the list explains it
};
inline constexpr int kOutcomes = 6;
std::string_view Name(MutantOutcome outcome);
inline bool IsBad(MutantOutcome outcome) { return outcome >= MutantOutcome::kUndecided; }

// A reason why a change may stay undetected, written down before the mutants are made.
struct Equivalence {
  std::string_view name;
  std::vector<Mutation> mutations;
  // The condition on the change itself, as far as it can be tested without a judge.
  bool (*holds)(const Subject& subject, const ReferenceTruth& truth, const Mutant& mutant);
  std::string_view reason;
};
const std::vector<Equivalence>& AllEquivalences();

struct Tested {
  MutantOutcome outcome = MutantOutcome::kDetected;
  std::set<Guarantee> found;
  Judgement judgement;
  ReferenceResult judged;
  const Equivalence* equivalence = nullptr;
};

class ReferenceOracle {
 public:
  static Result<std::unique_ptr<ReferenceOracle>> Open(const Subject& subject);

  Tested Try(const Mutant& mutant);
  // The recording as it is. Anything but clean and legal is an error.
  Status TryClean();

 private:
  ReferenceOracle(const Subject& subject, ReferenceTruth truth)
      : subject_(subject),
        truth_(std::move(truth)),
        reference_(
            {subject.recording.permit_compacted_at_the_floor, subject.recording.strict_previous}) {}

  enum class Memory { kGood, kForgetful };
  Judgement Judged(const std::vector<NumberedEntry>& lines, Memory memory = Memory::kGood) const;
  const Equivalence* Find(const Mutant& mutant) const;
  MutantOutcome Decide(const Mutant& mutant, const Judgement& judgement, Tested& tested) const;

  const Subject& subject_;
  const ReferenceTruth truth_;
  ReferenceJudge reference_;
};

}  // namespace watchproof
