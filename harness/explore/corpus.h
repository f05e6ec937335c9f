// SPDX-License-Identifier: Apache-2.0
// The scripts that reached something new, from which further ones are made.
//
//   Script script = corpus.Choose(prng);   ...run it...   corpus.Offer(script, features);
//   const FirstToShow one_by_one = [&](const std::vector<Script>& candidates) { ... };
//   Script smallest = Shrink(script, one_by_one, {.runs = 100});      // delta debugging
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/prng.h"
#include "harness/script/features.h"
#include "harness/script/script.h"
#include "harness/explore/situation_coverage.h"

namespace watchproof::explore {

class Corpus {
 public:
  // A new one, or a change of one that is kept.
  Script Choose(Prng& prng) const;
  void Keep(const Script& script) { scripts_.push_back(script); }
  // Kept if it reached something new.
  void Offer(const Script& script, const Features& reached);
  SituationCoverage& coverage() { return coverage_; }
  const SituationCoverage& coverage() const { return coverage_; }

  const std::vector<Script>& scripts() const { return scripts_; }
  std::size_t features() const { return features_.count(); }

 private:
  Features features_;
  SituationCoverage coverage_;
  std::vector<Script> scripts_;
};

// The first of the candidates that still shows what is wanted, if one does.
using FirstToShow =
    std::function<std::optional<std::size_t>(const std::vector<Script>& candidates)>;

struct ShrinkLimits {
  int runs = 1000;          // candidates in all
  std::size_t at_once = 1;  // candidates that are given together
};
// The smallest script that can be found within the limits that still shows it. The script itself is
// taken to do so.
Script Shrink(const Script& script, const FirstToShow& first, const ShrinkLimits& limits);

}  // namespace watchproof::explore
