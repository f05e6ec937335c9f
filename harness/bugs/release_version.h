// SPDX-License-Identifier: Apache-2.0
// Versions of releases, and the ranges of them that a bug affects.
//
//   WP_ASSIGN_OR_RETURN(const AffectedRange range, ParseRange("3.4 >= 3.4.25 < 3.4.31"));
//   StateIn({range}, *ParseVersion("3.4.31"));   // kFixed, in "3.4.31"
//
// Threads: values.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/status.h"

namespace watchproof {

struct ReleaseVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;
  bool final = true;           // "3.8.0-alpha.0" is not final, and comes before 3.8.0
  std::string before_final{};  // "alpha.0"
  auto operator<=>(const ReleaseVersion&) const = default;
  std::pair<int, int> branch() const { return {major, minor}; }
};

// "3.8.0-alpha.0"
std::string ToText(const ReleaseVersion& version);
// Empty for a text that is no version, such as "main". What follows a '+' does not count.
std::optional<ReleaseVersion> ParseVersion(std::string_view text);

// On one branch: the first release with the bug and the first without it.
struct AffectedRange {
  std::string text;  // as written: "3.4 >= 3.4.25 < 3.4.31", "3.6"
  std::pair<int, int> branch;
  std::optional<ReleaseVersion> since{};  // empty: its first release
  std::optional<ReleaseVersion> fixed{};  // empty: open
  std::string fixed_text{};               // "3.4.31"
};

// Errors name the text and what was expected.
Result<AffectedRange> ParseRange(const std::string& text);

enum class Presence { kAffected, kFixed, kNever };
struct BugState {
  Presence presence = Presence::kNever;
  std::string fixed{};  // the release with the fix
};

// `ranges`: in the order of their branches, not empty. A branch before the first is like the
// beginning of the first, every other branch without a range like the end of the one before it.
BugState StateIn(const std::vector<AffectedRange>& ranges, const ReleaseVersion& version);

}  // namespace watchproof
