// SPDX-License-Identifier: Apache-2.0
// How an attempt ends: what its session explains and judges, and the verdict.
//
//   ExplainTrouble(session, {.status = done, .asked = "a put", ...});
//   std::vector<std::string> inconclusive;
//   JudgeRecording(session, result, inconclusive);
//   Decide(result, done, inconclusive, undone);
//
// Not thread-safe: the case thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/results/result.h"
#include "harness/session/session.h"

namespace watchproof {

// Why an attempt could not be carried out to its end.
struct Trouble {
  Status status;
  std::string asked;  // the last request to the target
  Duration waited{};
  Duration left{};               // of the attempt's time, as a machine without other load has it
  bool hindered = false;         // an active fault may keep a server from starting
  bool undisturbed = true;       // no active fault may prevent an answer
  bool of_target = true;         // it comes from the target, and not from a step of the harness
  bool answered_before = false;  // the same request, in this attempt
  bool lease_may_have_ended = false;
};

// Annotates the recording for the checkers if the target caused the trouble: its process ended, or
// it runs and has not answered although no fault acts on it, or it refused what it is known to
// offer.
void ExplainTrouble(AttemptSession& session, const Trouble& trouble);

// Where the target is known to offer what it has refused: from where, as the end of a sentence.
// Empty: that is not known, or there was no answer at all.
std::string WhyKnownToOffer(const AttemptSession& session, const Trouble& trouble);

// Finishes the recording and turns its judgement into the result.
void JudgeRecording(AttemptSession& session, AttemptResult& result,
                    std::vector<std::string>& inconclusive);

// The verdict on the consumer of the attempt, as Decide forms that on the target. Requires:
// JudgeRecording.
void JudgeConsumer(AttemptSession& session, const Trouble& trouble,
                   std::vector<std::string> inconclusive, AttemptResult& result);

// What a plan could not do.
struct Undone {
  std::vector<std::string> not_offered{};  // by the target
  std::vector<std::string> not_here{};     // on this machine
};

// A finding outweighs everything: it is evidence whatever else went wrong. Without a finding, a
// pass needs the faults to have taken effect and the scenario to be complete.
void Decide(AttemptResult& result, const Status& done, std::vector<std::string> inconclusive,
            const Undone& undone);

// The verdict without any finding, where the trouble is why the attempt was not carried out to its
// end. What the target answers is never an error of the harness: what it refuses, whatever the
// status, it does not offer, unless it is known to; without an answer nothing is known.
void EndByTrouble(AttemptResult& result, AttemptSession& session, const Trouble& trouble);

// The findings on standing promises that are about no watch are about this attempt after all where
// its case judges their guarantee. All others come last; alone, they make the result say how
// the attempt ended besides. Requires: Decide.
void JudgeBesides(AttemptResult& result, const std::vector<std::string>& judged,
                  const std::function<void(AttemptResult&)>& decide);

// A case that declares another verdict than a pass tests the harness itself. When it passes all the
// same, the check that it tests does not work, and neither does any pass that relies on it.
void HoldToDeclaration(AttemptResult& result, Verdict expected, bool only_ineffective);

}  // namespace watchproof
