// SPDX-License-Identifier: Apache-2.0
// The figures of an attempt, in turns beside a burden and without it.
//
//   FigureTurns turns;
//   turns.Note(Figure::kPuts, 3000, {});                          // kept for those that follow
//   if (const auto pair = turns.Note(Figure::kPuts, 900, {.name = "reads"})) Annotate(*pair);
//
// Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/history/annotation.h"
#include "harness/model/figure.h"

namespace watchproof {

// What a figure is beside.
struct Burden {
  std::string name{};  // empty: none
  // It is no longer there: what it has left behind is measured.
  bool over = false;
  std::map<std::string, std::string> limits{};  // by the name of a figure
};

class FigureTurns {
 public:
  // What is to be judged; empty: there is nothing to compare it with. Without a burden, or once
  // that is over, the value is kept for those that follow. Once a burden is over, it is compared
  // with what it was before the first one: the worse, where that was measured several times.
  std::optional<MeasuredPair> Note(Figure figure, double value, const Burden& beside);
  // As it was last without a burden.
  std::optional<double> Last(Figure figure) const;
  // All pairs, for the result.
  const std::vector<Measured>& measured() const { return measured_; }

 private:
  void Add(const MeasuredPair& pair);

  std::map<Figure, double> last_;
  std::map<Figure, double> first_;  // before any burden
  std::vector<Measured> measured_;
};

}  // namespace watchproof
