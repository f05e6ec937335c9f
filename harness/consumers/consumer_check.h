// SPDX-License-Identifier: Apache-2.0
// What the layers of a consumer of watches promise to what is built on them: the checks.
//
//   for (const ConsumerCheck& check : ConsumerChecks()) Print(check.name, check.promise);
//   ConsumerFinding{.check = kNoGhost, .layer = "cache", ...}
//
// Threads: values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/history/history_parser.h"

namespace watchproof {

struct ConsumerCheck {
  std::string_view name;
  std::string_view promise;  // one sentence: what a user of the layer may rely on
  std::string_view impact;   // on what is built on it
};
const std::vector<ConsumerCheck>& ConsumerChecks();

inline constexpr std::string_view kConverged = "Converged";
inline constexpr std::string_view kClaimKept = "ClaimKept";
inline constexpr std::string_view kNoGhost = "NoGhost";
inline constexpr std::string_view kNoTimeTravel = "NoTimeTravel";
inline constexpr std::string_view kNoDuplicate = "NoDuplicate";
inline constexpr std::string_view kNoGap = "NoGap";
inline constexpr std::string_view kBookmarkKept = "BookmarkKept";
inline constexpr std::string_view kFreshRead = "FreshRead";
inline constexpr std::string_view kRecovers = "Recovers";

struct ConsumerFinding {
  std::string_view check;
  std::string layer;
  std::string expected;
  std::string observed;
  std::vector<Line> evidence;
  Duration at{};
};

}  // namespace watchproof
