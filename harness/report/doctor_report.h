// SPDX-License-Identifier: Apache-2.0
// What `doctor` has found, for people and machines.
//
//   DoctorReport report{.checks = CheckMachine(...), .targets = {...}};
//   out << ToText(report);   // or ToJson(report)
//
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

namespace watchproof {

enum class Health { kGood, kLimited, kMissing };

// One thing that this machine has or lacks.
struct MachineCheck {
  std::string name;  // "go"
  Health health = Health::kGood;
  std::string found;    // "go1.26.8 in /usr/bin"; where it is missing, what was looked for
  std::string without;  // what is not possible; empty where all is
  std::string advice;   // what to do about it
};

struct MissingCapability {
  std::string name;                // "cluster"
  std::vector<std::string> cases;  // that are unsupported without it
  std::string advice;
};
struct TargetCheck {
  std::string target;   // as given
  std::string version;  // as it reports it
  double seconds = 0;   // to its first answer
  std::string trouble;  // why it cannot be used; empty: it can
  std::vector<std::string> offered;
  std::vector<MissingCapability> missing;
};

struct DoctorReport {
  std::vector<MachineCheck> checks;
  std::vector<TargetCheck> targets;
  int exit_code = 0;
};
std::string ToText(const DoctorReport& report);
std::string ToJson(const DoctorReport& report);  // one document on one line

}  // namespace watchproof
