// SPDX-License-Identifier: Apache-2.0
#include "harness/statistics/proportion.h"

#include <fmt/format.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>

namespace watchproof {
namespace {

// Rounded away from the middle, so that what is printed is never narrower than what was found.
std::string Bound(double share, double (*round)(double)) {
  const double percent = share * 100;
  const bool fine = (percent > 0 && percent < 2) || (percent > 98 && percent < 100);
  return fine ? fmt::format("{:.1f}", round(percent * 10) / 10)
              : fmt::format("{:.0f}", round(percent));
}

}  // namespace

Interval ClopperPearson(Proportion counted, double confidence) {
  using Binomial = boost::math::binomial_distribution<>;
  if (counted.trials == 0) return {};
  const double outside = (1 - confidence) / 2;
  return {.low = Binomial::find_lower_bound_on_p(counted.trials, counted.hits, outside),
          .high = Binomial::find_upper_bound_on_p(counted.trials, counted.hits, outside)};
}

std::string Percent(const Interval& interval) {
  return fmt::format("{}-{} %", Bound(interval.low, std::floor), Bound(interval.high, std::ceil));
}

}  // namespace watchproof
