// SPDX-License-Identifier: Apache-2.0
#include "harness/history/segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace watchproof {
namespace {

constexpr std::string_view kBefore = "segment-";
constexpr std::string_view kBehind = ".wire.zst";

}  // namespace

std::string SegmentName(int number) { return fmt::format("{}{:06}{}", kBefore, number, kBehind); }

std::optional<int> SegmentNumber(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  if (!name.starts_with(kBefore) || !name.ends_with(kBehind)) return std::nullopt;
  int number = 0;
  const char* const begin = name.data() + kBefore.size();
  const char* const end = name.data() + name.size() - kBehind.size();
  const auto [stop, error] = std::from_chars(begin, end, number);
  return error == std::errc() && stop == end && number > 0 ? std::optional(number) : std::nullopt;
}

Result<std::vector<Segment>> SegmentsIn(const std::filesystem::path& folder) {
  std::vector<Segment> segments;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (const auto number = SegmentNumber(at->path())) segments.push_back({*number, at->path()});
  }
  if (error) return Fail(StatusCode::kUnavailable, "{}: {}", folder.string(), error.message());
  std::sort(segments.begin(), segments.end(),
            [](const Segment& a, const Segment& b) { return a.number < b.number; });
  return segments;
}

}  // namespace watchproof
