// SPDX-License-Identifier: Apache-2.0
// How what decides between builds has attempts made: it names cases, targets and plans, and reads
// the results. A Run makes them in processes; a test has results written down beforehand.
//
//   const std::size_t first = attempts.RunMore({{"Ordered.Plain", &attempts.targets()[0], 5}});
//   for (... attempts.record().attempts, from first) ...
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cases/support/case_registry.h"
#include "harness/report/run_record.h"
#include "harness/targets/target_spec.h"

namespace watchproof {

struct PlannedAttempt {
  std::string case_name;
  const TargetSpec* target;  // of targets()
  int attempt;
  std::uint64_t seed;
  int turns = 0;  // see AttemptSpec
};
// Asked whenever a process is free and nothing waits for its turn; none: not for now.
using AttemptSource = std::function<std::vector<PlannedAttempt>()>;

class Attempts {
 public:
  virtual ~Attempts() = default;

  // Those that are selected.
  virtual const std::vector<CaseInfo>& cases() const = 0;
  virtual const std::vector<TargetSpec>& targets() const = 0;
  virtual std::uint64_t seed() const = 0;
  // At a time.
  virtual int jobs() const = 0;
  virtual const RunRecord& record() const = 0;
  // Whether a signal, or a full disk, has ended it.
  virtual bool Stopped() const = 0;
  // Blocks until all have ended, and no more are named. Results are added to the record.
  virtual void RunAttempts(const AttemptSource& next) = 0;

  // So many more attempts of each, counted on, each with a seed of its own. Returns where they
  // begin in the record.
  struct More {
    std::string case_name;
    const TargetSpec* target;
    int attempts;
  };
  std::size_t RunMore(const std::vector<More>& wanted);

 private:
  std::map<std::pair<std::string, std::string>, int> counted_;  // attempts, by case and target
};

}  // namespace watchproof
