// SPDX-License-Identifier: Apache-2.0
// Judges a figure of a store beside a burden against the same figure without it: for the guarantees
// about what a burden may cost.
//
//   burdened_.Take(annotation, where);              // in Annotated; whether it is one to be judged
//   for (const auto& one : burdened_.Beyond()) Add(MemberSubject{...}, one.draft, Level::kShould);
//   for (const std::string& open : burdened_.Open()) Undecide(open);     // in Conclude
//
// Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/checkers/findings.h"
#include "harness/history/annotation.h"
#include "harness/model/figure.h"

namespace watchproof {

class Burdened {
 public:
  // Those of these measures only.
  explicit Burdened(std::vector<Measure> measures) : measures_(std::move(measures)) {}

  bool Take(const Annotation& annotation, Where where);
  // Where it is decided that it is beyond the limit.
  std::vector<Draft> Beyond() const;
  // Where it is not decided: what is known.
  std::vector<std::string> Open() const;

 private:
  struct Series {
    double limit = 0;
    std::vector<double> times;  // as bad as without
    std::vector<double> with;
    std::vector<double> without;
    std::vector<Line> lines;
  };

  std::vector<Measure> measures_;
  std::map<std::pair<Figure, std::string>, Series> series_;  // by figure and burden
};

}  // namespace watchproof
