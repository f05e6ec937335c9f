// SPDX-License-Identifier: Apache-2.0
// The release that the members of a target become during an attempt: "3.6.16" of
// "etcd@3.5.30,upgrade=3.6.16"; empty: they stay what they are.
//
//   if (const std::string release = UpgradeOf(spec); !release.empty()) ...
//
// Threads: a pure function. Apart from topology.h, because reports and plans start no target.
#pragma once

#include <string>
#include <string_view>

#include "harness/targets/target_spec.h"

namespace watchproof {

inline constexpr std::string_view kUpgrade = "upgrade=";

inline std::string UpgradeOf(const TargetSpec& spec) {
  return spec.topology.starts_with(kUpgrade) ? spec.topology.substr(kUpgrade.size()) : "";
}

}  // namespace watchproof
