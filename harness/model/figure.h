// SPDX-License-Identifier: Apache-2.0
// What a case measures of a store, from outside: by its clients, by what the system knows of its
// process, and by what it publishes of itself.
//
//   const FigureInfo& info = About(Figure::kPuts);      // "puts", per second, more is better
//   if (const auto figure = FindFigure("kept")) ...     // as recordings and results name it
//
// A number of one machine says nothing alone. It is compared: with the same figure of the same
// store before, without the burden, or with that of another build under the same plan.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace watchproof {

enum class Figure {
  kPuts,        // that were answered
  kLongestPut,  // the longest that a put took
  kEventDelay,  // from the begin of a put to its delivery to a watch, one after the other
  kUnserved,    // until a put is answered, by a cluster that answers none
  kResident,    // memory, by the system's account, at most
  kKept,        // memory that is in use after it was collected; resident where that is not known
  kPerWatch,    // of kept memory, what each watch has added
  kPerWritten,  // of kept memory, what each byte that was written has added
  kPerCancel,   // of goroutines, what each cancelled watch has left
  kGoroutines,  //
  kOpenFiles,   //
};

// What a user asks for: `gate --measure memory,puts`.
enum class Measure { kMemory, kPuts, kDelay };
inline constexpr std::string_view kMeasureNames[] = {"memory", "puts", "delay"};

struct FigureInfo {
  Figure figure{};
  std::string_view name;   // in recordings and results
  std::string_view words;  // "puts per second"
  std::string_view unit;   // "/s", "ms", "MB"
  Measure measure{};
  bool more_is_better = false;
  // Another build is worse if its figure is worse by more than this share: by less than that two
  // attempts on one build differ.
  double tolerance = 0;
  double nothing = 0;  // what is below it is as good as nothing, and no multiple of it is worse
};

std::span<const FigureInfo> AllFigures();
const FigureInfo& About(Figure figure);
std::optional<Figure> FindFigure(std::string_view name);

// How many times as bad as `without` it is `with` a burden, whichever way is better: 2 is half the
// puts, or twice the memory.
double TimesWorse(Figure figure, double with, double without);
// "1234 /s", "12.3 ms", "0.81 KB".
std::string WithUnit(Figure figure, double value);

// Burdens that known bugs are about.
inline constexpr std::string_view kFarBehind = "a watch far behind";
inline constexpr std::string_view kCaughtUp = "a watch that has caught up";

// One figure of one attempt beside one burden, in the order of measuring.
struct Measured {
  std::string of;      // the name of the figure
  std::string beside;  // the burden
  std::vector<double> with;
  std::vector<double> without;  // as many: what it was before, without the burden
};

}  // namespace watchproof
