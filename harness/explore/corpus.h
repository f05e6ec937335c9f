// SPDX-License-Identifier: Apache-2.0
// The scripts that reached something new, from which further ones are made.
//
//   Script script = corpus.Choose(prng);   ...run it...   corpus.Offer(script, features);
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/prng.h"
#include "harness/explore/situation_coverage.h"
#include "harness/script/features.h"
#include "harness/script/script.h"

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

}  // namespace watchproof::explore
