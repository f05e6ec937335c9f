// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"
#include "harness/history/history_parser.h"
#include "harness/model/key_range.h"

namespace watchproof {
namespace {

// The user of stream 1 may read the keys with the prefix a/ only.
// Another range, beside the one below.
Script ReaderOfTwo(const std::string& second = "b/") {
  const std::string end = EndOfPrefix(second);
  return Script().Annotate(ReadRight{StreamId(1), {"a/"}, {"a0"}, {{{second}, {end}}}});
}
Script Reader() { return Script().Annotate(ReadRight{StreamId(1), {"a/"}, {"a0"}}); }
Script Taken() {
  return Reader()
      .Watch("a/", 0, {.range_end = "a0"})
      .Created(0)
      .Annotate(ReadRight{StreamId(1), {}, {}});
}
ScriptedCreate Until(const std::string& end) { return {.range_end = end}; }

// The watch that was created is no second finding beside what it received.
TEST(Authorized, WhatWasDeliveredIsNamedFirst) {
  Script script = Reader().Watch("a/", 0, Until("b")).Created(0);
  EXPECT_THAT(script.Judge().findings.front().observed,
              testing::HasSubstr("answered with a watch"));
  const auto findings = script.Put("a1", "v", 2).Deliver(0, {{2, "a1"}}).Judge().findings;
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings.front().clause, "A-2");
}

INSTANTIATE_TEST_SUITE_P(
    Authorized, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"OwnKeys",
         Reader()
             .Watch("a/", 0, Until("a0"))
             .Created(0)
             .Put("a/x", "v", 2)
             .Put("b", "v", 3)
             .Deliver(0, {{2, "a/x"}}),
         {}},
        {"CorrectlyRefused",
         Reader().Watch("a/", 0, Until(std::string(1, '\0'))).Refused(-1, "no"),
         {}},
        {"AnotherKeyByAnOpenRange",
         Reader()
             .Watch("a/", 0, Until(std::string(1, '\0')))
             .Created(0)
             .Put("a/x", "v", 2)
             .Put("b", "v", 3)
             .Deliver(0, {{2, "a/x"}, {3, "b"}}),
         {"Authorized"}},
        {"CreatedBeyondTheRight", Reader().Watch("a/", 0, Until("b")).Created(0), {"Authorized"}},
        {"WrittenAfterTheRightWasTaken",
         Taken().Pause(2s).Put("a/x", "v", 2).Deliver(0, {{2, "a/x"}}),
         {"Authorized"}},
        {"DeliveredLongAfterItWasWritten",
         Taken().Put("a/x", "v", 2).Pause(2s).Deliver(0, {{2, "a/x"}}),
         {},
         false,
         {},
         {"Settled"}},
        {"WrittenLateAndNeverPermitted",
         Reader()
             .Watch("a/", 0, Until("b"))
             .Created(0)
             .Annotate(ReadRight{StreamId(1), {}, {}})
             .Put("a1", "v", 2)
             .Deliver(0, {{2, "a1"}}),
         {"Authorized"}},
        {"AskedBeforeTheRightWasKnown",
         Script()
             .Watch("a/", 0, Until("b"))
             .Annotate(ReadRight{StreamId(1), {"a/"}, {"a0"}})
             .Created(0),
         {}},
        {"OneOfTwoRangesIsDelivered",
         ReaderOfTwo().Watch("b/x", 0).Created(0).Put("b/x", "v", 2).Deliver(0, {{2, "b/x"}}),
         {}},
        {"ARangeThatIsNoneOfTwoIsDelivered",
         ReaderOfTwo().Watch("c", 0).Created(0).Put("c", "v", 2).Deliver(0, {{2, "c"}}),
         {"Authorized"}},
        {"ARangeBeyondBothOfTwoIsWatched",
         ReaderOfTwo().Watch("b", 0, Until("c")).Created(0),
         {"Authorized"}},
        {"ARangeOfTwoIsRefused", ReaderOfTwo().Watch("b/x", 0).Refused(-1, "no"), {"Settled"}},
        {"ARangeThatIsNoneOfTwoIsRefused", ReaderOfTwo().Watch("c", 0).Refused(-1, "no"), {}},
        // A store may join the two, or not.
        {"BothOfTwoTogetherAreWatched",
         ReaderOfTwo("a0").Watch("a/", 0, Until("a1")).Created(0),
         {}},
        {"BothOfTwoTogetherAreRefused",
         ReaderOfTwo("a0").Watch("a/", 0, Until("a1")).Refused(-1, "no"),
         {}},
        {"AskedBeforeTheRightWasTaken",
         Reader().Watch("a/", 0, Until("a0")).Annotate(ReadRight{StreamId(1), {}, {}}).Created(0),
         {}},
        {"WrittenWhileTheRightWasTaken", Taken().Put("a/x", "v", 2).Deliver(0, {{2, "a/x"}}), {}},
        {"EndedAsTheRightWasTaken", Taken().Cancelled(0, "no").Pause(2s).Put("a/x", "v", 2), {}},
        {"AnotherStreamHasNoUser",
         Reader().On(2).Watch("b", 0).Created(0).Put("b", "v", 2).Deliver(0, {{2, "b"}}),
         {}},
    }),
    RowName);

}  // namespace
}  // namespace watchproof
