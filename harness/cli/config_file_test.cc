// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace watchproof {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

const KnownFlags kKnown = {{"--jobs", FlagKind::kText},
                           {"--target", FlagKind::kTexts},
                           {"--no-faults", FlagKind::kSwitch}};

TEST(ConfigFile, HasTheValuesOfFlagsAsTheCommandLineHasThem) {
  const auto values = ParseConfig(
      "jobs = 4\ntarget = [\"embedded\", \"command:a b\"]\nno-faults = false\n", kKnown);
  ASSERT_TRUE(values.has_value()) << values.error().message();
  EXPECT_THAT(*values, ElementsAre(Pair("--jobs", ElementsAre("4")),
                                   Pair("--no-faults", ElementsAre("false")),
                                   Pair("--target", ElementsAre("embedded", "command:a b"))));
  EXPECT_THAT(ParseConfig("target = \"embedded\"", kKnown)->at("--target"),
              ElementsAre("embedded"));
  EXPECT_TRUE(ParseConfig("", kKnown)->empty());
}

TEST(ConfigFile, ErrorsNameLineKeyAndWhatWasExpected) {
  struct Row {
    const char* text;
    const char* error;
  };
  for (const Row& row : std::vector<Row>{
           {"jobs = 4\njob = 5", "line 2: 'job' is no flag of run; did you mean jobs?"},
           {"zzz = 1", "line 1: 'zzz' is no flag of run; `watchproof run --help`"},
           {"jobs = [1, 2]", "line 1: 'jobs': expected one value, not a list"},
           {"jobs = 1.5", "line 1: 'jobs': expected a text or a whole number"},
           {"no-faults = \"yes\"", "line 1: 'no-faults': expected true or false"},
           {"[run]\njobs = 1", "'run' is no flag of run"},
           {"target = [true]", "line 1: 'target': expected a text or a whole number"},
           {"jobs = ", "line 1: "}}) {
    const auto values = ParseConfig(row.text, kKnown);
    ASSERT_FALSE(values.has_value()) << row.text;
    EXPECT_THAT(values.error().message(), HasSubstr(row.error));
  }
}

}  // namespace
}  // namespace watchproof
