// SPDX-License-Identifier: Apache-2.0
// The releases that the members of a target become during an attempt, one after the other: "3.6.16"
// and "3.7.3" of "etcd@3.5.30,upgrade=3.6.16+3.7.3"; none: they stay what they are.
//
//   for (const std::string& release : UpgradesOf(spec)) ...
//
// Threads: a pure function. Apart from topology.h, because reports and plans start no target.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/targets/target_spec.h"

namespace watchproof {

inline constexpr std::string_view kUpgrade = "upgrade=";

inline std::vector<std::string> UpgradesOf(const TargetSpec& spec) {
  std::vector<std::string> releases;
  if (!spec.topology.starts_with(kUpgrade)) return releases;
  for (std::size_t at = kUpgrade.size(), end = 0; end != std::string::npos; at = end + 1) {
    end = spec.topology.find('+', at);
    releases.push_back(spec.topology.substr(at, end - at));
  }
  return releases;
}

}  // namespace watchproof
