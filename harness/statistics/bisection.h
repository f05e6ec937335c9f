// SPDX-License-Identifier: Apache-2.0
// The search for the step between two builds at which something changed, with as few looks as
// possible and around builds that cannot be judged; and the judgement of one build when a bug shows
// in some attempts only.
//
//   Bisection search(14);                      // the first is good, the last is bad
//   while (const auto next = search.Next()) search.Set(*next, Judge(*next));
//   search.last_good(), search.first_bad()     // neighbours, or with skipped builds between them
//
//   ShowTest test{.absent = 0.01, .present = 0.6};   // chances per attempt, without and with it
//   while (test.state() == ShowState::kOpen) test.Add(RunOne());
//
// Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace watchproof {

enum class BuildState { kUnknown, kGood, kBad, kSkipped };

class Bisection {
 public:
  // Requires: at least two builds.
  explicit Bisection(std::size_t builds);

  // The build nearest to the middle that was not looked at; empty: there is none.
  std::optional<std::size_t> Next() const;
  void Set(std::size_t build, BuildState state);

  std::size_t last_good() const { return last_good_; }
  std::size_t first_bad() const { return first_bad_; }
  BuildState state(std::size_t build) const { return states_[build]; }

 private:
  std::vector<BuildState> states_;
  std::size_t last_good_ = 0;
  std::size_t first_bad_;
};

enum class ShowState { kOpen, kShows, kShowsNot };

// Wald's sequential test: wrong in at most 1 of 100 builds, in either direction.
struct ShowTest {
  double absent = 0.01;
  double present = 1;
  int shown = 0;
  int tried = 0;

  void Add(bool shows) {
    shown += shows ? 1 : 0;
    ++tried;
  }
  ShowState state() const;
};

}  // namespace watchproof
