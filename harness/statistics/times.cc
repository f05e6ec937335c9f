// SPDX-License-Identifier: Apache-2.0
#include "harness/statistics/times.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <utility>

namespace watchproof {

Pairs CountBeyond(const std::vector<double>& times, double limit) {
  const auto beyond =
      static_cast<int>(std::ranges::count_if(times, [limit](double one) { return one > limit; }));
  return {.against = beyond, .in_favour = static_cast<int>(times.size()) - beyond};
}

Decided Decide(const std::vector<double>& times, double limit) {
  const Pairs counted = CountBeyond(times, limit);
  if (Evidence(counted) >= kEnoughToDecide) return Decided::kBeyond;
  const Pairs reversed{.against = counted.in_favour, .in_favour = counted.against};
  return Evidence(reversed) >= kEnoughToDecide ? Decided::kWithin : Decided::kOpen;
}

double MedianOf(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// As many values are left out at each end as that the median is below that many of them, or above,
// no more often than may be.
Interval MedianInterval(std::vector<double> values, double confidence) {
  std::ranges::sort(values);
  const boost::math::binomial_distribution<> below(static_cast<double>(values.size()), 0.5);
  std::size_t out = 0;
  while (2 * (out + 1) < values.size() &&
         cdf(below, static_cast<double>(out)) <= (1 - confidence) / 2) {
    ++out;
  }
  out = out == 0 ? 0 : out - 1;
  return {.low = values[out], .high = values[values.size() - 1 - out]};
}

}  // namespace watchproof
