// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/run_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace watchproof {
namespace {

using testing::ElementsAre;

std::vector<std::string> Again(const std::vector<std::string>& words) {
  CLI::App app;
  RunFlags flags(app);
  app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  return flags.GivenAgain();
}

// For each new flag: decide here whether a repeat command may leave it out.
const std::set<std::string> kNotCarried = {
    // The repeat command sets these itself, or more narrowly.
    "--target", "--releases", "--defects", "--filter", "--exclude", "--guarantee", "--level",
    "--profile", "--shard", "--shards", "--shard-by", "--seed", "--seed-from", "--repeat",
    "--until-fail",
    // No verdict depends on these.
    "--help", "--fail-fast", "--shuffle", "--jobs", "--keep", "--dry-run", "--quiet", "--verbose",
    "--json", "--color", "--progress", "--keep-runs", "--config-file", "--ci"};

TEST(RepeatFlags, AreAllThatMayChangeAVerdict) {
  CLI::App app;
  const RunFlags flags(app);
  int carried = 0;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (name == "--help" || name == "-h,--help") continue;
    const bool is_switch = option->get_expected_max() == 0;
    const std::vector<std::string> given =
        is_switch ? std::vector<std::string>{name} : std::vector<std::string>{name, "a b"};
    const std::vector<std::string> expected =
        kNotCarried.contains(name) ? std::vector<std::string>() : given;
    EXPECT_EQ(Again(given), expected) << name;
    carried += expected.empty() ? 0 : 1;
  }
  EXPECT_GE(carried, 8);
}

TEST(RepeatFlags, KeepEachValueApart) {
  EXPECT_THAT(Again({"--fault", "stall:duration=1 ms", "--no-faults", "--fault", "kill:at=2"}),
              testing::UnorderedElementsAre("--fault", "stall:duration=1 ms", "--fault",
                                            "kill:at=2", "--no-faults"));
  EXPECT_THAT(Again({"--manifest=my manifest.toml", "--jobs", "3"}),
              ElementsAre("--manifest", "my manifest.toml"));
  EXPECT_THAT(Again({}), ElementsAre());
}

// Its time limit is another one, which a repeat without --defects would not have.
TEST(RepeatFlags, RunWithDefectsHasItsTimeLimit) {
  CLI::App app;
  RunFlags flags(app);
  app.parse(std::vector<std::string>{"all", "--defects"});
  const auto options = flags.Resolve({"run", "--defects", "all"});
  ASSERT_TRUE(options.has_value());
  EXPECT_THAT(options->repeat_flags, ElementsAre("--case-timeout", "180s"));
}

}  // namespace
}  // namespace watchproof
