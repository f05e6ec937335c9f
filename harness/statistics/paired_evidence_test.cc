// SPDX-License-Identifier: Apache-2.0
#include "harness/statistics/paired_evidence.h"

#include <gtest/gtest.h>

#include "harness/base/prng.h"

namespace watchproof {
namespace {

TEST(PairedEvidenceTest, AStartsAtOneAndPairsThatAreAlikeChangeNothing) {
  EXPECT_DOUBLE_EQ(Evidence({}), 1);
  EXPECT_DOUBLE_EQ(Evidence({.alike = 1000}), 1);
}

TEST(PairedEvidenceTest, LiteralSequences) {
  // One against: (2 + 2 * 2 * 3/8) / 2.
  EXPECT_NEAR(Evidence({.against = 1}), 1.75, 1e-9);
  // One of each: (0 + 2 * 4 * 1/12) / 2.
  EXPECT_NEAR(Evidence({.against = 1, .in_favour = 1}), 1.0 / 3, 1e-9);
  EXPECT_NEAR(Evidence({.in_favour = 1}), (0 + 4.0 / 8) / 2, 1e-9);
  EXPECT_NEAR(Evidence({.against = 10}), (1024 + 2047.0 / 11) / 2, 1e-6);
  EXPECT_GT(Evidence({.against = 40, .in_favour = 8}), 200);
  EXPECT_LT(Evidence({.against = 8, .in_favour = 40}), 0.02);
  EXPECT_GT(Evidence({.against = 5000}), 1e300);
}

TEST(PairedEvidenceTest, TheNextPairIsAFairBetWhileThereIsNoDifference) {
  for (int against = 0; against < 6; ++against) {
    for (int in_favour = 0; in_favour < 6; ++in_favour) {
      const double mean = (Evidence({.against = against + 1, .in_favour = in_favour}) +
                           Evidence({.against = against, .in_favour = in_favour + 1})) /
                          2;
      EXPECT_NEAR(mean, Evidence({.against = against, .in_favour = in_favour}), 1e-9)
          << against << " " << in_favour;
    }
  }
}

TEST(PairedEvidenceTest, TheNextPairIsAFairBetAtAnyShare) {
  for (const double share : {0.1, 0.25, 0.7}) {
    for (int against = 0; against < 6; ++against) {
      for (int in_favour = 0; in_favour < 6; ++in_favour) {
        const Pairs pairs{.against = against, .in_favour = in_favour};
        const double more = Evidence({.against = against + 1, .in_favour = in_favour}, share);
        const double less = Evidence({.against = against, .in_favour = in_favour + 1}, share);
        EXPECT_NEAR(share * more + (1 - share) * less, Evidence(pairs, share),
                    1e-9 * Evidence(pairs, share))
            << against << " " << in_favour << " " << share;
      }
    }
  }
}

TEST(PairedEvidenceTest, DropsThatFewPairsExclude) {
  EXPECT_DOUBLE_EQ(HighestDrop({}), 1);
  EXPECT_DOUBLE_EQ(HighestDrop({.against = 10}), 1);
  EXPECT_FALSE(Excludes({.alike = 3}, 0.6));
  EXPECT_TRUE(Excludes({.alike = 4}, 0.6));
  EXPECT_NEAR(HighestDrop({.alike = 4}), 0.576, 1e-3);
  EXPECT_NEAR(HighestDrop({.alike = 16}), 0.194, 1e-3);
  EXPECT_LT(HighestDrop({.alike = 700}), 0.006);
  EXPECT_FALSE(Excludes({.against = 1, .alike = 16}, 0.2));
  EXPECT_TRUE(Excludes({.against = 1, .alike = 109}, 0.1));
  EXPECT_LT(HighestDrop({.in_favour = 10}), 0.1);
}

// Looked at after each pair: a drop that is there is excluded in few of many sequences.
TEST(PairedEvidenceTest, ADropThatIsThereIsRarelyExcluded) {
  Prng prng(7);
  int wrong = 0;
  for (int sequence = 0; sequence < 1000; ++sequence) {
    Pairs pairs;
    for (int i = 0; i < 200; ++i) {
      (prng.Chance(0.1) ? pairs.against : pairs.alike)++;
      if (!Excludes(pairs, 0.1)) continue;
      ++wrong;
      break;
    }
  }
  EXPECT_LE(wrong, 50);
}

}  // namespace
}  // namespace watchproof
