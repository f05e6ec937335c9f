// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/machine_limits.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace watchproof {
namespace {

namespace fs = std::filesystem;

// Both numbers of a file; 0 where there is no number, as in "max 100000".
struct Numbers {
  std::int64_t first = 0;
  std::int64_t second = 0;
};
Numbers NumbersIn(const fs::path& file) {
  std::ifstream in(file);
  Numbers numbers;
  std::string first;
  in >> first >> numbers.second;
  std::istringstream(first) >> numbers.first;
  return numbers;
}

void LimitCores(std::int64_t quota, std::int64_t period, MachineLimits& limits) {
  if (quota <= 0 || period <= 0) return;
  const double cores = static_cast<double>(quota) / static_cast<double>(period);
  limits.cores = std::min(cores, limits.cores.value_or(cores));
}

void LimitBytes(std::int64_t bytes, MachineLimits& limits) {
  // Version 1 says "no limit" by a number near the largest.
  if (bytes <= 0 || bytes >= std::int64_t{1} << 60) return;
  const auto limit = static_cast<std::uint64_t>(bytes);
  limits.bytes = std::min(limit, limits.bytes.value_or(limit));
}

}  // namespace

MachineLimits LimitsIn(const fs::path& groups, const fs::path& membership) {
  MachineLimits limits;
  LimitCores(NumbersIn(groups / "cpu/cpu.cfs_quota_us").first,
             NumbersIn(groups / "cpu/cpu.cfs_period_us").first, limits);
  LimitBytes(NumbersIn(groups / "memory/memory.limit_in_bytes").first, limits);
  std::ifstream lines(membership);
  std::string line;
  while (std::getline(lines, line) && !line.starts_with("0::/")) {
  }
  fs::path group = line.starts_with("0::/") ? fs::path(line.substr(4)) : fs::path();
  while (true) {
    const Numbers cpu = NumbersIn(groups / group / "cpu.max");
    LimitCores(cpu.first, cpu.second, limits);
    LimitBytes(NumbersIn(groups / group / "memory.max").first, limits);
    if (group.empty()) return limits;
    group = group.parent_path();
  }
}

}  // namespace watchproof
