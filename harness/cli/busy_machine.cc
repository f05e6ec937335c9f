// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/busy_machine.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "harness/cli/run_options.h"

namespace watchproof {
namespace {

// A case that hangs is to end all the same.
constexpr double kMost = 8;

}  // namespace

double SlowdownOf(std::string_view loadavg, int usual) {
  double minute = 0;
  int running = 0;
  const std::string text(loadavg);
  if (std::sscanf(text.c_str(), "%lf %*f %*f %d/", &minute, &running) != 2) return 1;
  return std::clamp(std::max(minute, static_cast<double>(running)) / usual, 1.0, kMost);
}

double SlowdownNow() {
  std::ifstream in("/proc/loadavg");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  return SlowdownOf(text, DefaultJobs());
}

}  // namespace watchproof
