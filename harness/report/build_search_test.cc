// SPDX-License-Identifier: Apache-2.0
#include "harness/report/build_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/history/json_fields.h"

namespace watchproof {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

FoundStep Sample() {
  FoundStep found{.last_good = 0, .first_bad = 2, .case_name = "A.B"};
  found.steps = {
      {.name = "etcd 3.5.13", .state = BuildState::kGood, .counted = {0, 8}},
      {.name = "b", .state = BuildState::kSkipped, .reason = "it did not\x1b build"},
      {.name = "etcd 3.5.12", .state = BuildState::kBad, .counted = {8, 8}, .repeat = "again"}};
  return found;
}

TEST(BuildSearchTest, TheStepAndWhatIsBetween) {
  const std::string text = ToText(Sample());
  EXPECT_THAT(text, HasSubstr("last good  etcd 3.5.13\nfirst bad  etcd 3.5.12\n"));
  EXPECT_THAT(text, HasSubstr("between    b: skipped, shown in 0 of 0: it did not\\x1b build\n"));
  EXPECT_THAT(text, HasSubstr("A.B, shown in 8 of 8 (63-100 %)"));
}

TEST(BuildSearchTest, SaysWhatToFetchToGoOn) {
  FoundStep found = Sample();
  EXPECT_THAT(ToText(found), Not(HasSubstr("fetch")));
  found.not_fetched = {"3.5.14", "3.5.15"};
  EXPECT_THAT(ToText(found),
              HasSubstr("go on      watchproof fetch etcd 3.5.14, which is between; then the same "
                        "again\n"));
}

TEST(BuildSearchTest, JsonSaysWhetherItIsDecided) {
  FoundStep found = Sample();
  EXPECT_EQ(Json::parse(ToJson(found)).at("decided"), false);
  found.steps.erase(found.steps.begin() + 1);
  found.first_bad = 1;
  const Json json = Json::parse(ToJson(found));
  EXPECT_EQ(json.at("decided"), true);
  EXPECT_EQ(json.at("builds")[1].at("shown"), 8);
}

}  // namespace
}  // namespace watchproof
