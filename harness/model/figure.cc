// SPDX-License-Identifier: Apache-2.0
#include "harness/model/figure.h"

#include <fmt/format.h>

#include <algorithm>

namespace watchproof {
namespace {

using enum Figure;

constexpr FigureInfo kFigures[] = {
    {kPuts, "puts", "puts per second", "/s", Measure::kPuts, true, 0.15, 1},
    {kLongestPut, "longest-put", "the longest put", "ms", Measure::kDelay, false, 0.5, 1},
    {kEventDelay, "event-delay", "the time from a put to its event", "ms", Measure::kDelay, false,
     0.25, 0.5},
    {kUnserved, "unserved", "the time until the cluster serves", "ms", Measure::kDelay, false, 1,
     100},
    {kResident, "resident", "resident memory", "MB", Measure::kMemory, false, 0.15, 1},
    {kKept, "kept", "memory in use", "MB", Measure::kMemory, false, 0.1, 1},
    {kPerWatch, "per-watch", "memory of a watch", "KB", Measure::kMemory, false, 0.1, 0.05},
    {kPerWritten, "per-written", "memory for each byte written", "", Measure::kMemory, false, 0.5,
     1},
    {kPerCancel, "per-cancel", "goroutines left by a cancelled watch", "", Measure::kMemory, false,
     0.1, 0.05},
    {kGoroutines, "goroutines", "goroutines", "", Measure::kMemory, false, 0.15, 1},
    {kOpenFiles, "open-files", "open files", "", Measure::kMemory, false, 0.15, 1},
};

}  // namespace

std::span<const FigureInfo> AllFigures() { return kFigures; }

const FigureInfo& About(Figure figure) { return kFigures[static_cast<std::size_t>(figure)]; }

std::optional<Figure> FindFigure(std::string_view name) {
  const auto found = std::ranges::find(kFigures, name, &FigureInfo::name);
  return found == std::end(kFigures) ? std::nullopt : std::optional(found->figure);
}

double TimesWorse(Figure figure, double with, double without) {
  const FigureInfo& info = About(figure);
  const double times = std::max(with, info.nothing) / std::max(without, info.nothing);
  return info.more_is_better ? 1 / times : times;
}

std::string WithUnit(Figure figure, double value) {
  const std::string_view unit = About(figure).unit;
  const int digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return fmt::format("{:.{}f}{}{}", value, digits, unit.empty() ? "" : " ", unit);
}

}  // namespace watchproof
