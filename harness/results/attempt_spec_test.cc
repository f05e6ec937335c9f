// SPDX-License-Identifier: Apache-2.0
#include "harness/results/attempt_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <set>

namespace watchproof {
namespace {

using ::testing::HasSubstr;

TEST(AttemptSpecJson, RoundTrip) {
  const AttemptSpec spec{.case_name = "A.B",
                         .target = "embedded+overtake",
                         .seed = std::numeric_limits<std::uint64_t>::max(),
                         .attempt = 7,
                         .folder = "/runs/x \"quoted\"",
                         .plan = "/runs/plan.jsonl",
                         .given_plan = "/runs/shrunk.jsonl",
                         .result_descriptor = 3,
                         .tries = 3,
                         .slowdown = 2.5,
                         .bypass_proxy = true,
                         .no_faults = true,
                         .stop_at_finding = true,
                         .faults = {{"stall", {{"duration", "1ms"}}}},
                         .allow_disruptive = {"127.0.0.1:2379"}};
  const auto parsed = ParseAttemptSpec(ToJson(spec));
  ASSERT_TRUE(parsed.has_value()) << parsed.error().ToString();
  EXPECT_EQ(ToJson(*parsed), ToJson(spec));
  EXPECT_EQ(parsed->seed, spec.seed);
  EXPECT_EQ(parsed->faults, spec.faults);
  EXPECT_EQ(parsed->allow_disruptive, spec.allow_disruptive);
}

TEST(AttemptSpecJson, RejectsOtherText) {
  for (const char* text : {"", "x", "[]", "{}", R"({"case":"A.B","target":"t","seed":1})",
                           R"({"case":"A.B","target":"t","seed":"zz"})"}) {
    EXPECT_FALSE(ParseAttemptSpec(text).has_value()) << text;
  }
}

TEST(Seed, AcceptsHexadecimalAndDecimal) {
  EXPECT_EQ(ParseSeed("0x51e9c2").value(), 0x51e9c2u);
  EXPECT_EQ(ParseSeed("0X51E9C2").value(), 0x51e9c2u);
  EXPECT_EQ(ParseSeed("42").value(), 42u);
  EXPECT_EQ(ParseSeed("0xffffffffffffffff").value(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(ParseSeed(FormatSeed(0)).value(), 0u);
  EXPECT_EQ(FormatSeed(0x51e9c2), "0x51e9c2");
}

TEST(Seed, NoTwoAttemptsOfARunHaveTheSame) {
  constexpr int kAttempts = 1'000'000;
  std::vector<std::uint64_t> seeds;
  for (int attempt = 1; attempt <= kAttempts; ++attempt) {
    seeds.push_back(SeedOfAttempt(0x51e9c2, attempt));
  }
  EXPECT_EQ(seeds.front(), 0x51e9c2u);
  std::sort(seeds.begin(), seeds.end());
  EXPECT_EQ(std::adjacent_find(seeds.begin(), seeds.end()), seeds.end());
}

TEST(Seed, EachTryHasItsOwnAndTheFirstThatOfTheAttempt) {
  EXPECT_EQ(SeedOfTry(0x51e9c2, 1), 0x51e9c2u);
  std::set<std::uint64_t> seeds;
  for (int attempt = 1; attempt <= 100; ++attempt) {
    for (int number = 1; number <= 3; ++number) {
      seeds.insert(SeedOfTry(SeedOfAttempt(0x51e9c2, attempt), number));
    }
  }
  EXPECT_EQ(seeds.size(), 300u);
  EXPECT_EQ(SeedOfTry(0x51e9c2, 2), SeedOfTry(0x51e9c2, 2));
}

TEST(Seed, ErrorNamesTheTextAndWhatWasExpected) {
  for (const char* text : {"", "0x", "51e9c2", "-1", "+1", " 1", "1 ", "0xg", "1.5"}) {
    const auto seed = ParseSeed(text);
    ASSERT_FALSE(seed.has_value()) << text;
    EXPECT_THAT(seed.error().message(), HasSubstr(fmt::format("'{}'", text)));
    EXPECT_THAT(seed.error().message(), HasSubstr("0x51e9c2"));
  }
  EXPECT_EQ(ParseSeed("0x1ffffffffffffffff").error().code(), StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace watchproof
