// SPDX-License-Identifier: Apache-2.0
// Puts a mutant before both judges and says how our judge did: one that holds all changes, and one
// that forgets what it can as soon as it can. The worse of the two counts.
//
//   Court court(subject);                       // errors: a recording that cannot be used
//   const Trial trial = court.Try(mutant);
//   if (IsBad(trial.outcome)) ...
//
// Not thread-safe. Ownership: the subject outlives the court.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "harness/checkers/judge.h"
#include "ci/mutants/mutation.h"
#include "ci/mutants/reference_judge.h"

namespace watchproof {

enum class Outcome {
  kDetected,    // illegal, and found
  kEquivalent,  // legal by a row of the list, and nothing found
  kUndecided,   // cannot be decided, and our judge says so
  kMissed,      // illegal, and not found
  kFalseAlarm,  // legal, and found or doubted
  kUnlisted,    // legal and nothing found, but for no reason that was thought of beforehand
};
inline constexpr int kOutcomes = 6;
std::string_view Name(Outcome outcome);
inline bool IsBad(Outcome outcome) { return outcome >= Outcome::kUndecided; }

// A reason why a change may go unnoticed, written down before the mutants are made.
struct Equivalence {
  std::string_view name;
  std::vector<Mutation> mutations;
  // What must hold of the change itself, as far as it can be told without a judge.
  bool (*holds)(const Subject& subject, const ReferenceTruth& truth, const Mutant& mutant);
  std::string_view reason;
};
const std::vector<Equivalence>& AllEquivalences();

struct Tested {
  Outcome outcome = Outcome::kDetected;
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
  Outcome Decide(const Mutant& mutant, const Judgement& judgement, Tested& tested) const;

  const Subject& subject_;
  const ReferenceTruth truth_;
  ReferenceJudge reference_;
};

}  // namespace watchproof
