// SPDX-License-Identifier: Apache-2.0
// Attempts without a process: a function says how each of them ends.
//
//   ScriptedAttempts attempts({"Ordered.Plain"}, {"etcd@3.5.1", "etcd@3.5.2"},
//                             [](const PlannedAttempt& planned) { return Failed("Ordered"); });
//   attempts.StopAfter(3);   // as a signal would
//
// Not thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/runs/attempts.h"

namespace watchproof {

AttemptResult Passed();
// `looks_like`: the signature of its finding.
AttemptResult Failed(const std::string& guarantee, const std::string& looks_like = {});
AttemptResult Inconclusive(const std::string& reason);
// As a target that did not start.
AttemptResult NeverStarted(const std::string& reason);

class ScriptedAttempts final : public Attempts {
 public:
  using Script = std::function<AttemptResult(const PlannedAttempt&)>;
  ScriptedAttempts(const std::vector<std::string>& cases, const std::vector<std::string>& targets,
                   Script script);

  const std::vector<CaseInfo>& cases() const override { return cases_; }
  const std::vector<TargetSpec>& targets() const override { return targets_; }
  std::uint64_t seed() const override { return 7; }
  int jobs() const override { return 4; }
  const RunRecord& record() const override { return record_; }
  bool Stopped() const override { return !record_.interrupted.empty(); }
  void RunAttempts(const AttemptSource& next) override;

  void StopAfter(int attempts) { stop_after_ = attempts; }
  // The attempts of a case on a target; empty texts stand for all.
  int Made(const std::string& case_name, const std::string& target) const;
  const std::vector<PlannedAttempt>& planned() const { return planned_; }

 private:
  std::vector<CaseInfo> cases_;
  std::vector<TargetSpec> targets_;
  const Script script_;
  RunRecord record_;
  std::vector<PlannedAttempt> planned_;
  std::optional<int> stop_after_;
};

}  // namespace watchproof
