// SPDX-License-Identifier: Apache-2.0
#include "harness/statistics/measure_trial.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/base/prng.h"

namespace watchproof {
namespace {

constexpr double kTolerance = 0.15;

// About normal, with that mean and deviation.
double Spread(Prng& prng, double mean, double deviation) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(prng.Below(1'000'000)) / 1e6;
  return mean * std::exp(deviation * (sum - 6));
}

// The first of thirty figures differs by that factor on the head.
MeasureTrial Simulated(std::uint64_t seed, double factor, double deviation, int pairs) {
  Prng prng(seed);
  MeasureTrial trial;
  for (int i = 0; i < pairs && trial.state() != MeasureState::kWorse; ++i) {
    for (int figure = 0; figure < 30; ++figure) {
      trial.Add(std::to_string(figure), kTolerance,
                Spread(prng, figure == 0 ? factor : 1, deviation));
    }
  }
  return trial;
}

TEST(MeasureTrial, NothingIsOpen) { EXPECT_EQ(MeasureState::kOpen, MeasureTrial().state()); }

TEST(MeasureTrial, BuildsThatAreAlikeAreNotWorse) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    EXPECT_NE(MeasureState::kWorse, Simulated(seed, 1, 0.05, 20).state()) << seed;
  }
  EXPECT_EQ(MeasureState::kNotWorse, Simulated(1, 1, 0.02, 6).state());
}

// Every eighth pair of each figure is beyond its tolerance.
TEST(MeasureTrial, NoiseAloneIsNotWorse) {
  int worse = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    worse += Simulated(seed, 1, 0.12, 20).state() == MeasureState::kWorse ? 1 : 0;
  }
  EXPECT_LE(worse, 2);
}

TEST(MeasureTrial, ADifferenceIsFoundInFewPairs) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const MeasureTrial trial = Simulated(seed, 1.43, 0.05, 20);
    EXPECT_EQ(MeasureState::kWorse, trial.state()) << seed;
    EXPECT_LE(trial.figures().at("0").times.size(), 8U) << seed;
  }
}

TEST(MeasureTrial, WhatIsWithinTheToleranceIsNone) {
  EXPECT_EQ(MeasureState::kNotWorse, Simulated(1, 1.08, 0.02, 6).state());
}

TEST(MeasureTrial, ABetterHeadIsNotWorse) {
  EXPECT_EQ(MeasureState::kNotWorse, Simulated(1, 0.5, 0.02, 6).state());
}

TEST(MeasureTrial, FewPairsAreOpen) {
  EXPECT_EQ(MeasureState::kOpen, Simulated(1, 1, 0.02, 4).state());
  EXPECT_EQ(MeasureState::kOpen, Simulated(1, 1.43, 0.02, 4).state());
}

}  // namespace
}  // namespace watchproof
