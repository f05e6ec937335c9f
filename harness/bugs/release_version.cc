// SPDX-License-Identifier: Apache-2.0
#include "harness/bugs/release_version.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <sstream>

namespace watchproof {
namespace {

Status NotUnderstood(std::string_view text, std::string_view why) {
  return Fail(StatusCode::kInvalidArgument,
              "'{}': {}; expected a branch and its releases, as in \"3.4 >= 3.4.25 < 3.4.31\"",
              text, why);
}

BugState StateInRange(const AffectedRange& range, const ReleaseVersion& version) {
  if (range.since && version < *range.since) return {};
  if (range.fixed && version >= *range.fixed) {
    return {.presence = Presence::kFixed, .fixed = range.fixed_text};
  }
  return {.presence = Presence::kAffected};
}

}  // namespace

std::string ToText(const ReleaseVersion& version) {
  return fmt::format("{}.{}.{}{}{}", version.major, version.minor, version.patch,
                     version.final ? "" : "-", version.before_final);
}

std::optional<ReleaseVersion> ParseVersion(std::string_view text) {
  std::array<int, 3> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parts[i]);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (i + 1 == parts.size()) break;
    if (!text.starts_with('.')) return std::nullopt;
    text.remove_prefix(1);
  }
  text = text.substr(0, text.find('+'));
  if (!text.empty() && text.front() != '-') return std::nullopt;
  return ReleaseVersion{.major = parts[0],
                        .minor = parts[1],
                        .patch = parts[2],
                        .final = text.empty(),
                        .before_final = std::string(text.substr(text.empty() ? 0 : 1))};
}

Result<AffectedRange> ParseRange(const std::string& text) {
  std::istringstream words(text);
  AffectedRange range{.text = text};
  std::string word;
  words >> word;
  const auto branch = ParseVersion(word + ".0");
  if (!branch || !branch->final) return NotUnderstood(text, "it starts with no branch");
  range.branch = branch->branch();
  while (words >> word) {
    std::string bound;
    words >> bound;
    const auto version = ParseVersion(bound);
    if ((word != "<" && word != ">=") || !version) {
      return NotUnderstood(text, "\"" + word + " " + bound + "\" is no bound");
    }
    if (version->branch() != range.branch) {
      return NotUnderstood(text, bound + " is of another branch");
    }
    (word == "<" ? range.fixed : range.since) = version;
    if (word == "<") range.fixed_text = bound;
  }
  return range;
}

BugState StateIn(const std::vector<AffectedRange>& ranges, const ReleaseVersion& version) {
  const AffectedRange* last = nullptr;
  for (const AffectedRange& range : ranges) {
    if (range.branch == version.branch()) return StateInRange(range, version);
    if (range.branch > version.branch()) break;
    last = &range;
  }
  if (last == nullptr) {
    return {.presence = ranges.front().since ? Presence::kNever : Presence::kAffected};
  }
  if (!last->fixed) return {.presence = Presence::kAffected};
  return {.presence = Presence::kFixed, .fixed = last->fixed_text};
}

}  // namespace watchproof
