// SPDX-License-Identifier: Apache-2.0
#include "harness/runs/attempts.h"

#include "harness/results/attempt_spec.h"

namespace watchproof {

std::size_t Attempts::RunMore(const std::vector<More>& wanted) {
  const std::size_t first = record().attempts.size();
  std::vector<PlannedAttempt> attempts;
  for (const More& more : wanted) {
    int& counted = counted_[{more.case_name, more.target->text}];
    for (int i = 0; i < more.attempts; ++i) {
      ++counted;
      attempts.push_back({more.case_name, more.target, counted, SeedOfAttempt(seed(), counted)});
    }
  }
  RunAttempts([&attempts] { return std::exchange(attempts, {}); });
  return first;
}

}  // namespace watchproof
