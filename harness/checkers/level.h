// SPDX-License-Identifier: Apache-2.0
// How binding a rule is: of a case, and of a finding.
//
//   if (finding.level == Level::kMay) ...      // observed and interesting, never a failure
//
// Threads: constants.
#pragma once

#include <string_view>

namespace watchproof {

enum class Level {
  kMust,    // etcd's documentation promises it
  kShould,  // documented behaviour
  kMay,     // observed and interesting; never fails an attempt
};

constexpr std::string_view Name(Level level) {
  switch (level) {
    case Level::kMust:
      return "must";
    case Level::kShould:
      return "should";
    case Level::kMay:
      return "may";
  }
  return "unknown level";
}

}  // namespace watchproof
