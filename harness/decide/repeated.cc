// SPDX-License-Identifier: Apache-2.0
#include "harness/decide/repeated.h"

#include "harness/runs/selection.h"

namespace watchproof {

Repeated CountRepeated(const RunRecord& record, const std::string& guarantee) {
  Repeated again;
  for (const AttemptSummary& one : record.attempts) {
    again.passed += one.result.verdict == Verdict::kPass ? 1 : 0;
    if (one.result.verdict != Verdict::kFail) continue;
    ++again.failed;
    const bool alike = Contains(one.result.findings, guarantee, &FindingRecord::guarantee);
    again.alike += alike ? 1 : 0;
  }
  return again;
}

}  // namespace watchproof
