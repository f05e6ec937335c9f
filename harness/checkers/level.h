// SPDX-License-Identifier: Apache-2.0
// How binding a rule is: the one that a finding broke, and the one that a case tests. Both are
// promises of etcd's documentation unless they say otherwise. A rule that should hold is documented
// behaviour without such a promise: the order of changes within a revision, progress without a
// request, the size of fragments, the refusal of a senseless compaction. What may be (late events,
// the order of keys deleted together) is noted and never fails an attempt.
//
//   if (finding.level == Level::kMay) ...
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
