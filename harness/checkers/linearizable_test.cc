// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_table.h"

namespace watchproof {
namespace {

const KeyValueFields kOne = Kv("k", "1", 2);
const KeyValueFields kTwo = Kv("k", "2", 3, 2, 2);

CallScript TwoPuts() { return CallScript().Put("k", "1", 2).Put("k", "2", 3); }
CallScript AroundAPut() {
  return CallScript()
      .Put("k", "1", 2)
      .Begin(1, Method::kRange, GetOf("k"))
      .Begin(2, Method::kPut, PutOf("k", "2"));
}
CallScript LostPut() { return CallScript().Put("k", "1", 2).Lose(Method::kPut, PutOf("k", "2")); }
CallScript Keys() {
  return CallScript().Put("a", "1", 2).Put("b", "1", 3).Put("c", "1", 4).Put("d", "1", 5);
}
CallScript Values() { return CallScript().Put("a", "2", 2).Put("b", "1", 3); }
const KeyValueFields kB = Kv("b", "1", 3);
const KeyValueFields kC = Kv("c", "1", 4);
const KeyValueFields kD = Kv("d", "1", 5);
// What is between b and c.
Message Bounded(std::int64_t limit = 0) {
  return GetOf("a", {.range_end = "z", .limit = limit, .min_mod = 3, .max_create = 4});
}

// More keys than a transaction may have operations; only the control watch shows what it deleted.
CallScript AfterALargeRevocation() {
  CallScript script;
  script.OpenControlWatch();
  constexpr std::int64_t kKeys = 300;
  for (std::int64_t i = 0; i < kKeys; ++i) {
    KeyValueFields kv = Kv(fmt::format("k{:03}", i), "1", 2 + i);
    kv.lease = 7;
    script.Do(Method::kPut, PutOf(kv.key, "1", 7), Reported(kv.mod)).Sees(kv);
  }
  script.Do(Method::kLeaseRevoke, Message().Number(1, 7), Reported(2 + kKeys));
  std::vector<KeyValueFields> deleted;
  for (std::int64_t i = 0; i < kKeys; ++i) {
    deleted.push_back(Kv(fmt::format("k{:03}", i), "", 2 + kKeys, 0, 0));
  }
  return script.Sees(deleted, true);
}

// A snapshot of the first put is restored, and the store counts on from 1003.
CallScript RestoredStore() {
  return TwoPuts()
      .Put("x", "1", 4)
      .Annotate(Restored{.saved = 2, .revision = 1003})
      .Get("x", Shown(1003, {}));
}

const std::vector<CallRow>& CertainRows() {
  static const std::vector<CallRow> kRows = {
      {"NoKeyIsLeftOfALargeRevocation",
       AfterALargeRevocation().Do(Method::kRange, GetOf("k", {.range_end = "l"}), Shown(302, {})),
       {},
       true},
      {"ReadsTheLatestWrite", TwoPuts().Get("k", Shown(3, {kTwo}))},
      {"ReadsAKeyThatIsNotThere", TwoPuts().Get("x", Shown(3, {}))},
      {"ReadsBelowAnAnsweredWrite", TwoPuts().Get("k", Shown(2, {kOne})), {"Linearizable"}},
      {"ReadsAnotherValue",
       TwoPuts().Get("k", Shown(3, {Kv("k", "1", 3, 2, 2)})),
       {"Linearizable"}},
      {"ReadsAnotherVersion",
       TwoPuts().Get("k", Shown(3, {Kv("k", "2", 3, 2, 3)})),
       {"Linearizable"}},
      {"ReadsTheOldKeyAtTheNewRevision", TwoPuts().Get("k", Shown(3, {kOne})), {"Linearizable"}},
      {"ReadsWhatWasRestored", RestoredStore().Get("k", Shown(1003, {kOne}))},
      {"ReadsWhatWasNotRestored", RestoredStore().Get("k", Shown(1003, {kTwo})), {"Linearizable"}},
      {"WritesOverWhatWasRestored",
       RestoredStore().Put("k", "3", 1004).Get("k", Shown(1004, {Kv("k", "3", 1004, 2, 2)}))},
      {"MissesAKey", TwoPuts().Get("k", Shown(3, {})), {"Linearizable"}},
      {"ReadsAKeyThatWasNeverWritten",
       TwoPuts().Get("x", Shown(3, {Kv("x", "1", 2)})),
       {"Linearizable"}},
      {"MaySeeAConcurrentWrite",
       AroundAPut().End(1, Method::kRange, Shown(3, {kTwo})).End(2, Method::kPut, Reported(3))},
      {"MayMissAConcurrentWrite",
       AroundAPut().End(1, Method::kRange, Shown(2, {kOne})).End(2, Method::kPut, Reported(3))},
      {"ReadsALaterWrite",
       CallScript().Put("k", "1", 2).Get("k", Shown(3, {kTwo})).Put("k", "2", 3),
       {"Linearizable"}},
      {"AWriteWithAnEarlierRevision",
       CallScript().Put("a", "1", 2).Put("b", "1", 4).Put("c", "1", 3),
       {"Linearizable"}},
      {"ReadsAtAPastRevision",
       TwoPuts().Do(Method::kRange, GetOf("k", {.revision = 2}), Shown(3, {kOne}))},
      {"ReadsALaterChangeAtAPastRevision",
       TwoPuts().Do(Method::kRange, GetOf("k", {.revision = 2}), Shown(3, {kTwo})),
       {"Linearizable"}},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(Linearizable, CallTable, testing::ValuesIn(CertainRows()), CallRowName);

const std::vector<CallRow>& UndecidedRows() {
  static const std::vector<CallRow> kRows = {
      {"ALostWriteIsSettledByTheReadThatShowsIt", LostPut().Get("k", Shown(3, {kTwo}))},
      {"ALostWriteThatShowsLaterSettlesEarlierReads",
       LostPut().Put("x", "1", 4).Get("k", Shown(4, {kOne})).Get("k", Shown(4, {kTwo})),
       {"Linearizable"}},
      {"ALostWriteMayNotHaveHappened", LostPut().Get("k", Shown(2, {kOne}))},
      {"PossibleEffectOfALostWriteStaysOpen",
       LostPut().Put("x", "1", 4).Get("k", Shown(4, {kOne})),
       {},
       true},
      {"KeysOutsideALostWriteAreJudged",
       LostPut().Put("x", "1", 4).Get("x", Shown(4, {Kv("x", "2", 4)})),
       {"Linearizable"}},
      {"ControlWatchSettlesALostWrite",
       CallScript()
           .OpenControlWatch()
           .Put("k", "1", 2)
           .Sees(kOne)
           .Lose(Method::kPut, PutOf("k", "2"))
           .Sees(kTwo)
           .Get("k", Shown(3, {kOne})),
       {"Linearizable"}},
      {"OtherWritersLeaveItOpen",
       CallScript().Put("k", "1", 2).Put("x", "1", 4).Get("k", Shown(4, {kOne})),
       {},
       true},
      {"KeysFromBeforeAreKnownFromTheFirstRead",
       CallScript(9)
           .Get("k", Shown(9, {Kv("k", "old", 5, 4, 2)}))
           .Put("k", "new", 10)
           .Get("k", Shown(10, {Kv("k", "new", 10, 4, 3)}))},
      {"KeysFromBeforeDoNotChangeByThemselves",
       CallScript(9)
           .Get("k", Shown(9, {Kv("k", "old", 5, 4, 2)}))
           .Get("k", Shown(9, {Kv("k", "older", 3, 3, 1)})),
       {"Linearizable"}},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(LinearizableUndecided, CallTable, testing::ValuesIn(UndecidedRows()),
                         CallRowName);

const std::vector<CallRow>& LeaseRows() {
  static const std::vector<CallRow> kRows = {
      {"ALeaseMayHaveDeletedTheKey",
       CallScript()
           .Do(Method::kPut, PutOf("k", "1", 7), Reported(2))
           .Put("x", "1", 4)
           .Get("k", Shown(4, {})),
       {},
       true},
      {"ControlWatchSawTheDelete",
       CallScript()
           .OpenControlWatch()
           .Do(Method::kLeaseGrant, Message().Number(1, 60), Reported(1).Number(2, 7).Number(3, 60))
           .Do(Method::kPut, PutOf("k", "1", 7), Reported(2))
           .Put("x", "1", 4)
           .Sees(Kv("k", "1", 2))
           .Sees(Kv("k", "", 3, 0, 0), true)
           .Sees(Kv("x", "1", 4))
           .Get("k", Shown(4, {}))},
      {"AValueThatWasKeptSaysNothingOfItsWriter",
       CallScript()
           .OpenControlWatch()
           .Put("k", "1", 2)
           .Sees(Kv("k", "1", 2))
           .Lose(Method::kPut, Message().Text(1, "k").Number(3, 7).Number(5, 1))
           .Begin(9, Method::kPut, Message().Text(1, "k").Number(5, 1))
           .Sees(Kv("k", "1", 3, 2, 2))
           .End(9, Method::kPut, Reported(3))
           .Get("k", Shown(3, {Kv("k", "1", 3, 2, 2)}))
           .Put("y", "1", 4)
           .Sees(Kv("y", "1", 4))},
      {"TheEndOfALeaseIsNoLostDeletionOfARange",
       CallScript()
           .OpenControlWatch()
           .Do(Method::kLeaseGrant, Message().Number(1, 60), Reported(1).Number(2, 7).Number(3, 60))
           .Do(Method::kPut, PutOf("k", "1", 7), Reported(2))
           .Put("x", "1", 3)
           .Sees(Kv("k", "1", 2))
           .Sees(Kv("x", "1", 3))
           .Lose(Method::kDeleteRange, DeleteOf("a", "z"))
           .Do(Method::kLeaseRevoke, Message().Number(1, 7), Reported(4))
           .Sees(Kv("k", "", 4, 0, 0), true)
           .Get("x", Shown(4, {Kv("x", "1", 3)}))
           .Put("y", "1", 5)
           .Sees(Kv("y", "1", 5))},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(LinearizableLeases, CallTable, testing::ValuesIn(LeaseRows()),
                         CallRowName);

const std::vector<CallRow>& SortedAndBoundedRows() {
  static const std::vector<CallRow> kRows = {
      {"ARangeByItsModRevisions",
       Keys().Do(Method::kRange, GetOf("a", {.range_end = "c", .descending = true, .target = 3}),
                 Shown(5, {Kv("b", "1", 3), Kv("a", "1", 2)}))},
      {"ARangeNotByItsModRevisions",
       Keys().Do(Method::kRange, GetOf("a", {.range_end = "c", .descending = true, .target = 3}),
                 Shown(5, {Kv("a", "1", 2), Kv("b", "1", 3)})),
       {"Linearizable"}},
      {"ARangeByEqualValues",
       Keys().Do(Method::kRange, GetOf("a", {.range_end = "c", .descending = true, .target = 4}),
                 Shown(5, {Kv("a", "1", 2), Kv("b", "1", 3)}))},
      {"ARangeWithinBounds", Keys().Do(Method::kRange, Bounded(), Shown(5, {kB, kC}, 4))},
      {"ARangeThatLeavesOneWithinItsBoundsOut",
       Keys().Do(Method::kRange, Bounded(), Shown(5, {kB}, 4)),
       {"Linearizable"}},
      {"ARangeWithOneOutOfItsBounds",
       Keys().Do(Method::kRange, Bounded(), Shown(5, {kB, kC, kD}, 4)),
       {"Linearizable"}},
      {"ABoundedRangeThatCountsWhatItShows",
       Keys().Do(Method::kRange, Bounded(), Shown(5, {kB, kC}, 2)),
       {"Linearizable"}},
      {"ALimitWithinBounds", Keys().Do(Method::kRange, Bounded(1), Shown(5, {kB}, 4, true))},
      {"ALimitWithinBoundsWithoutMore",
       Keys().Do(Method::kRange, Bounded(1), Shown(5, {kB}, 4)),
       {"Linearizable"}},
      {"ALimitWithinBoundsThatSkipsOne",
       Keys().Do(Method::kRange, Bounded(1), Shown(5, {kC}, 4, true)),
       {"Linearizable"}},
      {"ALimitBeforeBounds",
       Keys().Do(Method::kRange, Bounded(2), Shown(5, {kB}, 4, true)),
       {"Linearizable"}},
      {"ALimitWithMoreOutOfBoundsOnly",
       Keys().Do(Method::kRange, Bounded(2), Shown(5, {kB, kC}, 4, true)),
       {"Linearizable"}},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(LinearizableSortedAndBounded, CallTable,
                         testing::ValuesIn(SortedAndBoundedRows()), CallRowName);

const std::vector<CallRow>& OrderAndLimitRows() {
  static const std::vector<CallRow> kRows = {
      {"ALimitAfterItsOrder",
       Keys().Do(Method::kRange,
                 GetOf("a", {.range_end = "z", .limit = 1, .descending = true, .target = 3}),
                 Shown(5, {kD}, 4, true))},
      {"ALimitBeforeItsOrder",
       Keys().Do(Method::kRange,
                 GetOf("a", {.range_end = "z", .limit = 1, .descending = true, .target = 3}),
                 Shown(5, {Kv("a", "1", 2)}, 4, true)),
       {"Linearizable"}},
      {"AFieldWithoutAnOrderAndALimit",
       Keys().Do(Method::kRange, GetOf("a", {.range_end = "z", .limit = 1, .target = 3}),
                 Shown(5, {kB}, 4, true))},
      {"AFieldWithoutAnOrderAndAKeyTwice",
       Keys().Do(Method::kRange, GetOf("a", {.range_end = "d", .target = 3}),
                 Shown(5, {Kv("a", "1", 2), kB, kB, kC}, 3)),
       {"Linearizable"}},
      {"ValuesThatAreNotShown",
       Values().Do(Method::kRange, GetOf("a", {.range_end = "c", .keys_only = true, .target = 4}),
                   Shown(3, {Kv("b", "", 3), Kv("a", "", 2)}))},
      {"NotByValuesThatAreNotShown",
       Values().Do(Method::kRange, GetOf("a", {.range_end = "c", .keys_only = true, .target = 4}),
                   Shown(3, {Kv("a", "", 2), Kv("b", "", 3)})),
       {"Linearizable"}},
      {"ACountWithMore",
       Keys().Do(Method::kRange, GetOf("a", {.range_end = "z", .limit = 1, .count_only = true}),
                 Shown(5, {}, 4, true)),
       {"Linearizable"}},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(LinearizableOrderAndLimit, CallTable,
                         testing::ValuesIn(OrderAndLimitRows()), CallRowName);

const std::vector<CallRow>& RangeRows() {
  static const std::vector<CallRow> kRows = {
      {"ARangeInItsOrder", Keys().Do(Method::kRange, GetOf("a", {.range_end = "c"}),
                                     Shown(5, {Kv("a", "1", 2), Kv("b", "1", 3)}))},
      {"ARangeThatLeavesOneOut",
       Keys().Do(Method::kRange, GetOf("a", {.range_end = "c"}), Shown(5, {Kv("a", "1", 2)}, 2)),
       {"Linearizable"}},
      {"ARangeOutOfOrder",
       Keys().Do(Method::kRange, GetOf("a", {.range_end = "c"}),
                 Shown(5, {Kv("b", "1", 3), Kv("a", "1", 2)})),
       {"Linearizable"}},
      {"ARangeThatGoesBeyondItsEnd",
       Keys().Do(Method::kRange, GetOf("a", {.range_end = "b"}),
                 Shown(5, {Kv("a", "1", 2), Kv("b", "1", 3)}, 1)),
       {"Linearizable"}},
      {"ARangeOfKeysOnly",
       Keys().Do(Method::kRange, GetOf("a", {.range_end = "c", .keys_only = true}),
                 Shown(5, {Kv("a", "", 2), Kv("b", "", 3)}))},
      {"ARangeOfKeysOnlyWithAValue",
       Keys().Do(Method::kRange, GetOf("a", {.range_end = "c", .keys_only = true}),
                 Shown(5, {Kv("a", "", 2), Kv("b", "1", 3)})),
       {"Linearizable"}},
      {"ALimitedRange", Keys().Do(Method::kRange, GetOf("a", {.range_end = "z", .limit = 2}),
                                  Shown(5, {Kv("a", "1", 2), Kv("b", "1", 3)}, 4, true))},
      {"ALimitedRangeFromTheEnd",
       Keys().Do(Method::kRange, GetOf("a", {.range_end = "z", .limit = 1, .descending = true}),
                 Shown(5, {Kv("d", "1", 5)}, 4, true))},
      {"ALimitedRangeThatSkipsOne",
       Keys().Do(Method::kRange, GetOf("a", {.range_end = "z", .limit = 2}),
                 Shown(5, {Kv("a", "1", 2), Kv("c", "1", 4)}, 4, true)),
       {"Linearizable"}},
      {"ALimitedRangeWithoutMore",
       Keys().Do(Method::kRange, GetOf("a", {.range_end = "z", .limit = 2}),
                 Shown(5, {Kv("a", "1", 2), Kv("b", "1", 3)}, 4)),
       {"Linearizable"}},
      {"AWrongCount",
       Keys().Do(Method::kRange, GetOf("a", {.range_end = "z", .count_only = true}),
                 Shown(5, {}, 3)),
       {"Linearizable"}},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(LinearizableRange, CallTable, testing::ValuesIn(RangeRows()), CallRowName);

// A finding names what of the read is wrong, not only that the read is.
TEST(LinearizableClauses, AreAboutWhatIsWrong) {
  const auto clause = [](const std::string& name) {
    for (const auto* rows : {&RangeRows(), &OrderAndLimitRows()}) {
      for (const CallRow& row : *rows) {
        if (row.name == name) return row.history.Judge().findings.at(0).clause;
      }
    }
    return std::string("no row " + name);
  };
  EXPECT_EQ(clause("AWrongCount"), "K-11");
  EXPECT_EQ(clause("ACountWithMore"), "K-12");
  EXPECT_EQ(clause("ARangeOutOfOrder"), "K-15");
  EXPECT_EQ(clause("ALimitedRangeWithoutMore"), "K-10");
  EXPECT_EQ(clause("ALimitedRangeThatSkipsOne"), HeadlineOf(Guarantee("Linearizable")).id);
  EXPECT_EQ(clause("ARangeThatLeavesOneOut"), HeadlineOf(Guarantee("Linearizable")).id);
}

}  // namespace
}  // namespace watchproof
