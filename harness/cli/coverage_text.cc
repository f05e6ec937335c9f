// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/coverage_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/text.h"

namespace watchproof {
namespace {

constexpr std::size_t kMostLosses = 5;

std::string Received(const Coverage& seen) {
  return fmt::format(
      "{} watch{} of clients received {}, {} ErrCompacted; {} seen in all, {} of them by more than "
      "one watch or writer",
      seen.watches, seen.watches == 1 ? "" : "es", Count(seen.events, "event"),
      WithThousands(static_cast<std::int64_t>(seen.notices)), Count(seen.changes, "change"),
      WithThousands(static_cast<std::int64_t>(seen.confirmed)));
}

std::string ControlWatch(const JudgedRecording& judged) {
  const Coverage& seen = *judged.coverage;
  if (seen.control_watches == 0) {
    return "not seen: what others wrote and no watch received; --control-watch would show it";
  }
  std::string line = fmt::format("control watch over {}: {}", judged.started.control_watch,
                                 Count(seen.control_events, "event"));
  if (seen.control_watches > 1) {
    line += fmt::format("; it was opened {} times", seen.control_watches);
  }
  return line;
}

}  // namespace

std::vector<std::string> CoverageLines(const JudgedRecording& judged) {
  const Coverage& seen = *judged.coverage;
  std::vector<std::string> lines = {Received(seen), ControlWatch(judged)};
  if (judged.started.segment > 1) {
    lines.push_back(fmt::format(
        "not seen: {} before this one",
        Count(static_cast<std::uint64_t>(judged.started.segment - 1), "dropped segment")));
  }
  if (seen.restated > 0) {
    lines.push_back(
        fmt::format("{} began before the recording, and judged from where it begins",
                    seen.restated == 1 ? "1 watch" : fmt::format("{} watches", seen.restated)));
  }
  for (std::size_t i = 0; i < std::min(seen.lost.size(), kMostLosses); ++i) {
    const NotRecorded& part = seen.lost[i];
    lines.push_back(fmt::format(
        "not recorded{}: {}: {}{}", part.foreign ? "" : " any further", part.what, part.why,
        part.streams > 0 ? fmt::format(", with {} open watch streams", part.streams) : ""));
  }
  if (seen.lost.size() > kMostLosses) {
    lines.push_back(fmt::format("not recorded: {} more", seen.lost.size() - kMostLosses));
  }
  if (judged.started.hashed_values) lines.push_back("values are hashes: equal ones stay equal");
  if (!judged.cut_off.empty()) lines.push_back(judged.cut_off);
  return lines;
}

std::string WhyNothingIsProven(const JudgedRecording& judged) {
  const Coverage& seen = *judged.coverage;
  if (!judged.cut_off.empty() && !judged.unfinished) return judged.cut_off;
  if (seen.clusters.size() > 1) return "it has answers of several clusters";
  if (seen.watches == 0) return "there is no watch in it";
  if (seen.events + seen.notices + seen.progress == 0) return "no watch in it received anything";
  const bool lost = std::any_of(seen.lost.begin(), seen.lost.end(),
                                [](const NotRecorded& part) { return !part.foreign; });
  return lost ? "nothing found, but a part of what passed was not recorded" : "";
}

}  // namespace watchproof
