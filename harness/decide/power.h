// SPDX-License-Identifier: Apache-2.0
// The chance of finding each known bug that one stock binary shows: its case on the last release
// with it, and on the first without it.
//
//   WP_ASSIGN_OR_RETURN(const PowerPlan plan, PlanPower({.releases = CachedVersions("etcd")}));
//   MeasurePower(attempts, plan, 20);                     // on plan.targets(), plan.cases()
//   const DetectionTable table = TableOf(plan, attempts.record());
//
// Not thread-safe. Ownership: borrows the attempts.
#pragma once

#include <string>
#include <vector>

#include "harness/base/status.h"
#include "harness/decide/shown_bug.h"
#include "harness/report/detection.h"
#include "harness/runs/attempts.h"

namespace watchproof {

struct PowerQuestion {
  std::vector<std::string> bugs = {};  // by number or name; empty: all
  std::string script = {};             // instead: the file of one that a bug is shown by
  std::vector<std::string> releases;   // of etcd that can be run, in any order
};

// What is measured of one bug.
struct PowerTrial {
  ShownBug bug;
  std::string case_name;
  std::string release;
  std::string fixed;  // empty: there is none
};

struct PowerPlan {
  std::vector<PowerTrial> trials;
  std::vector<std::string> left_out;  // "lost-delete: needs a cluster"

  // Each once.
  std::vector<std::string> targets() const;
  std::vector<std::string> cases() const;
};

// Errors name the bug, or the script, and why there is nothing to measure.
Result<PowerPlan> PlanPower(const PowerQuestion& asked);
// So many attempts of each case on each of its releases.
void MeasurePower(Attempts& attempts, const PowerPlan& plan, int count);
DetectionTable TableOf(const PowerPlan& plan, const RunRecord& record);

}  // namespace watchproof
