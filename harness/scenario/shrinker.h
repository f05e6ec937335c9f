// SPDX-License-Identifier: Apache-2.0
// Makes a failing plan smaller by trying what can be left out: delta debugging over its steps, then
// over the numbers in them.
//
//   Shrinker shrinker(plan);
//   while (!shrinker.done()) {
//     const std::vector<Plan>& candidates = shrinker.candidates();   // worth trying, in this order
//     shrinker.Tried(first_that_still_fails);                        // or nothing, if none does
//   }
//   shrinker.plan();
//
// A step is removed together with what it depends on: the steps of a group with its watches, the
// healing of a fault with its injection. A revision that referred to a removed write refers to its
// neighbour. Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "harness/scenario/plan.h"

namespace watchproof {

// The plan with only these steps, without those that depend on a removed one.
// Requires: one entry per step.
Plan KeepSteps(const Plan& plan, const std::vector<bool>& keep);

class Shrinker {
 public:
  explicit Shrinker(Plan plan);

  const Plan& plan() const { return plan_; }
  bool done() const { return candidates_.empty(); }
  const std::vector<Plan>& candidates() const { return candidates_; }
  // The first of the candidates that fails as the plan does becomes the plan.
  void Tried(std::optional<std::size_t> still_fails);

 private:
  enum class Phase { kSubjects, kChunks, kNumbers };

  void GoOn();
  bool NextPhase();
  void OfferOfPhase();
  // A candidate that changes the plan from this step on.
  void Offer(Plan candidate, std::size_t from = 0);
  // Everything about one fault, one group of watches, or one key.
  void OfferWithoutSubjects();
  void OfferWithoutChunks();
  void OfferSmallerNumbers();
  // The server of a script of exploration as by default.
  void OfferPlainServer();

  Plan plan_;
  Phase phase_ = Phase::kSubjects;
  std::size_t chunk_ = 0;  // steps that are left out together
  std::size_t from_ = 0;   // the first step that is tried: the ones before it were
  bool smaller_ = false;   // since the chunks began
  std::vector<Plan> candidates_;
  std::vector<std::size_t> changed_from_;  // by candidate
};

}  // namespace watchproof
