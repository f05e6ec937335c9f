// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/corpus.h"

#include <algorithm>
#include <iterator>

#include "harness/explore/grammar.h"

namespace watchproof::explore {
namespace {

constexpr std::size_t kLargestCorpus = 4000;
constexpr std::size_t kMostExamples = 12;

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

void Buckets::File(const Bucket::Example& example, std::uint64_t number,
                   const std::vector<BrokenGuarantee>& findings) {
  for (const BrokenGuarantee& broken : findings) {
    const std::string shape = ShapeOf(broken);
    auto bucket = std::find_if(buckets_.begin(), buckets_.end(),
                               [&](const Bucket& one) { return one.shape == shape; });
    if (bucket == buckets_.end()) {
      buckets_.push_back({.shape = shape, .examples = {}, .first = number});
      bucket = std::prev(buckets_.end());
    }
    ++bucket->times;
    std::vector<Bucket::Example>& examples = bucket->examples;
    const auto place = std::upper_bound(
        examples.begin(), examples.end(), example.company,
        [](int wanted, const Bucket::Example& one) { return wanted < one.company; });
    if (place == examples.end() && examples.size() == kMostExamples) continue;
    examples.insert(place, example)->broken = broken;
    if (examples.size() > kMostExamples) examples.pop_back();
  }
}

bool Shows(const std::vector<BrokenGuarantee>& findings, const std::string& shape) {
  return std::any_of(findings.begin(), findings.end(),
                     [&](const BrokenGuarantee& broken) { return ShapeOf(broken) == shape; });
}

}  // namespace watchproof::explore
