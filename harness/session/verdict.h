// SPDX-License-Identifier: Apache-2.0
// How an attempt ends: what its session explains and judges, and the verdict.
//
//   ExplainTrouble(session, {.status = done, .asked = "a put", ...});
//   std::vector<std::string> inconclusive;
//   JudgeRecording(session, result, inconclusive);
//   Decide(result, done, inconclusive, unsupported);
//
// Not thread-safe: the case thread.
#pragma once

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
  bool undisturbed = true;  // no active fault may prevent an answer
  bool refused = true;      // a refusal would come from the target
};

// Annotates the recording for the checkers if the target caused the trouble: its process ended, or
// it runs and has not answered although no fault acts on it, or it rejected what it is stated to
// offer.
void ExplainTrouble(AttemptSession& session, const Trouble& trouble);

// Finishes the recording and turns its judgement into the result.
void JudgeRecording(AttemptSession& session, AttemptResult& result,
                    std::vector<std::string>& inconclusive);

// The verdict on the consumer of the attempt, as Decide forms that on the target. Requires:
// JudgeRecording.
void JudgeConsumer(AttemptSession& session, const Status& done,
                   std::vector<std::string> inconclusive, AttemptResult& result);

// A finding outweighs everything: it is evidence whatever else went wrong. Without a finding, a
// pass needs the faults to have taken effect and the scenario to be complete.
void Decide(AttemptResult& result, const Status& done, std::vector<std::string> inconclusive,
            const std::vector<std::string>& unsupported);

// Whether the trouble shows that the target does not offer what it was not stated to offer; then
// the verdict is unsupported.
bool DoesNotOffer(AttemptSession& session, const Status& trouble);
void NotOffered(AttemptResult& result, const std::string& request, const Status& refusal);

// A case that declares another verdict than a pass tests the harness itself. When it passes all the
// same, the check that it tests does not work, and neither does any pass that relies on it.
void HoldToDeclaration(AttemptResult& result, Verdict expected, bool only_ineffective);

}  // namespace watchproof
