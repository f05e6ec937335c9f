// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/corpus.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/script/grammar.h"

namespace watchproof::explore {
namespace {

constexpr std::size_t kLargestCorpus = 4000;

}  // namespace

Script Corpus::Choose(Prng& prng) const {
  if (scripts_.empty() || prng.Chance(0.4)) return Draw(prng);
  const Script& first = prng.Pick(scripts_);
  if (prng.Chance(0.3)) return Splice(first, prng.Pick(scripts_), prng);
  return Mutate(first, prng);
}

void Corpus::Offer(const Script& script, const Features& reached) {
  coverage_.Reached(reached.situations.seen());
  if (features_.Add(reached) > 0 && scripts_.size() < kLargestCorpus) scripts_.push_back(script);
}

}  // namespace watchproof::explore
