// SPDX-License-Identifier: Apache-2.0
// What the control groups of a process leave it of the machine: a container has the cores of its
// host in every list, and less of their time.
//
//   const MachineLimits limits = LimitsIn("/sys/fs/cgroup", "/proc/self/cgroup");
//
// Threads: functions without state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace watchproof {

struct MachineLimits {
  std::optional<double> cores;         // empty: no limit
  std::optional<std::uint64_t> bytes;  // of memory
};
// The tightest of the group and those that it is in; version 2 of control groups, and the roots of
// version 1. What cannot be read limits nothing.
MachineLimits LimitsIn(const std::filesystem::path& groups,
                       const std::filesystem::path& membership);

}  // namespace watchproof
