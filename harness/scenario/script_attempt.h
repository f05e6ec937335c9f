// SPDX-License-Identifier: Apache-2.0
// An attempt with a plan that is a script of exploration: the script alone on a server of its own,
// as exploration runs it to see whether it shows a finding again.
//
//   if (const auto script = ScriptOf(plan)) RunScript(*script, attempt, result);
//
// Calls and streams take no proxy. Blocks; not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "harness/history/run_started.h"
#include "harness/results/attempt_spec.h"
#include "harness/results/result.h"
#include "harness/script/script.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

struct ScriptAttempt {
  const AttemptSpec& spec;
  const TargetSpec& target;
  RunStarted started;                   // of the recording
  std::vector<std::string> guarantees;  // that a pass must have had an opportunity to break
};

// Fills in verdict, findings and what was counted.
void RunScript(const explore::Script& script, const ScriptAttempt& attempt, AttemptResult& result);

}  // namespace watchproof
