// SPDX-License-Identifier: Apache-2.0
// How often each amount occurred, in buckets that grow with the amount: eight per doubling, so an
// amount is exact to within an eighth.
//
//   Histogram delays;
//   delays.Add(1234);
//   delays.Quantile(0.99);    // the upper edge of the bucket
//   delays.Merge(others);     // exact: all histograms have the same buckets
//
// Memory grows with the logarithm of the largest amount. Threads: values.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace watchproof {

class Histogram {
 public:
  // Below zero counts as zero.
  void Add(std::int64_t amount) { AddMany(amount, 1); }
  void AddMany(std::int64_t amount, std::uint64_t times) {
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(amount, 0));
    Put(BucketOf(value), times);
    highest_ = std::max(highest_, value);
  }
  void Merge(const Histogram& other) {
    for (std::size_t i = 0; i < other.counts_.size(); ++i) {
      if (other.counts_[i] > 0) Put(i, other.counts_[i]);
    }
    highest_ = std::max(highest_, other.highest_);
  }

  // Rebuilds a histogram from the results of Buckets() and highest().
  static Histogram Restore(const std::vector<std::pair<std::int64_t, std::uint64_t>>& buckets,
                           std::int64_t highest) {
    Histogram histogram;
    for (const auto& [first, times] : buckets) histogram.AddMany(first, times);
    histogram.highest_ = static_cast<std::uint64_t>(std::max<std::int64_t>(highest, 0));
    return histogram;
  }

  std::uint64_t count() const { return count_; }
  std::int64_t highest() const { return static_cast<std::int64_t>(highest_); }
  // The amount that this share of all does not exceed, to within its bucket; 0 if there is none.
  std::int64_t Quantile(double share) const {
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(count_));
    std::uint64_t passed = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      passed += counts_[i];
      if (passed > wanted || passed == count_) return std::min(LastOf(i), highest());
    }
    return 0;
  }
  // The lowest amount of each bucket that is not empty, and how many are in it.
  std::vector<std::pair<std::int64_t, std::uint64_t>> Buckets() const {
    std::vector<std::pair<std::int64_t, std::uint64_t>> buckets;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] > 0) buckets.emplace_back(FirstOf(i), counts_[i]);
    }
    return buckets;
  }

 private:
  static constexpr unsigned kBits = 3;  // eight buckets to a doubling
  static constexpr std::uint64_t kSteps = 1U << kBits;

  void Put(std::size_t bucket, std::uint64_t times) {
    if (counts_.size() <= bucket) counts_.resize(bucket + 1);
    counts_[bucket] += times;
    count_ += times;
  }
  // Amounts below kSteps have a bucket each.
  static std::size_t BucketOf(std::uint64_t value) {
    if (value < kSteps) return static_cast<std::size_t>(value);
    const unsigned shift = static_cast<unsigned>(std::bit_width(value)) - 1 - kBits;
    return static_cast<std::size_t>(kSteps * shift + (value >> shift));
  }
  static std::int64_t FirstOf(std::size_t bucket) {
    if (bucket < kSteps) return static_cast<std::int64_t>(bucket);
    const std::size_t shift = bucket / kSteps - 1;
    return static_cast<std::int64_t>((kSteps + bucket % kSteps) << shift);
  }
  static std::int64_t LastOf(std::size_t bucket) { return FirstOf(bucket + 1) - 1; }

  std::vector<std::uint64_t> counts_;  // by bucket, up to the highest in use
  std::uint64_t count_ = 0;
  std::uint64_t highest_ = 0;
};

}  // namespace watchproof
