// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_table.h"

namespace watchproof {
namespace {

CallScript SideBySide() {
  return CallScript()
      .Begin(1, Method::kPut, PutOf("a", "1"))
      .Begin(2, Method::kPut, PutOf("b", "1"));
}
CallScript ControlEvents() { return CallScript().OpenControlWatch().Put("a", "1", 2); }

const std::vector<CallRow>& Rows() {
  static const std::vector<CallRow> kRows = {
      {"EachWriteHasItsRevision",
       SideBySide().End(1, Method::kPut, Reported(3)).End(2, Method::kPut, Reported(2))},
      {"TwoWritesShareARevision",
       SideBySide().End(1, Method::kPut, Reported(2)).End(2, Method::kPut, Reported(2)),
       {"Durable"}},
      {"ALostWriteIsMissedByARead",
       CallScript().Put("a", "1", 2).Put("b", "1", 3).Get("a", Shown(3, {})),
       {"Linearizable"}},
      {"ControlWatchSawTheWrite", ControlEvents().Sees(Kv("a", "1", 2))},
      {"ControlWatchSawAnotherValue", ControlEvents().Sees(Kv("a", "0", 2)), {"Durable"}},
      {"ControlWatchSawAnotherKey", ControlEvents().Sees(Kv("b", "1", 2)), {"Durable"}},
      {"ControlWatchSawADelete", ControlEvents().Sees(Kv("a", "", 2, 0, 0), true), {"Durable"}},
      {"AnUnansweredWriteNeedsNoRevision",
       CallScript().Lose(Method::kPut, PutOf("a", "1")).Put("b", "1", 2)},
      {"ALostWriteMayHaveTakenARevision",
       CallScript()
           .Lose(Method::kPut, PutOf("a", "1"))
           .Put("b", "1", 3)
           .Do(Method::kRange, GetOf("a", {.count_only = true}), Shown(3, {}, 1)),
       {},
       true},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(Durable, CallTable, testing::ValuesIn(Rows()), CallRowName);

TEST(Durable, ATargetThatDoesNotStartAgain) {
  for (const bool late : {false, true}) {
    const CallScript script =
        CallScript()
            .Put("a", "1", 2)
            .Annotate(NotRestarted{
                .client = late ? "" : "a", .observed = "exited: the log is torn", .late = late});
    const std::vector<Finding> findings = script.Judge().findings;
    ASSERT_THAT(findings, testing::SizeIs(1));
    EXPECT_EQ(findings.front().guarantee, Guarantee("Durable"));
    EXPECT_EQ(findings.front().by_silence, late);
    EXPECT_EQ(findings.front().watch, late ? "the store" : "client a");
  }
}

}  // namespace
}  // namespace watchproof
