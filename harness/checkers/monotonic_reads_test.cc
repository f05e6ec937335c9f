// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_table.h"

namespace watchproof {
namespace {

const KeyValueFields kOne = Kv("k", "1", 2);
const Message kSerializableGet = GetOf("k", {.serializable = true});

CallScript TwoPuts() { return CallScript().Put("k", "1", 2).Put("x", "1", 3); }
CallScript Reads(CallScript script, std::int64_t revision) {
  return script.Do(Method::kRange, kSerializableGet, Shown(revision, {kOne}));
}

const std::vector<CallRow>& Rows() {
  static const std::vector<CallRow> kRows = {
      {"SeesItsOwnWrites", Reads(TwoPuts(), 3)},
      {"GoesBackBelowItsOwnWrite", Reads(TwoPuts(), 2), {"MonotonicReads"}},
      {"AnotherClientMayBeBehind", Reads(TwoPuts().As("b"), 2)},
      {"GoesBackBelowItsOwnRead", Reads(Reads(TwoPuts().As("b"), 3), 2), {"MonotonicReads"}},
      {"StaysWhereItIs", Reads(Reads(TwoPuts().As("b"), 2), 2)},
      {"ConcurrentReadsMayCross", TwoPuts()
                                      .As("b")
                                      .Begin(1, Method::kRange, kSerializableGet)
                                      .Begin(2, Method::kRange, kSerializableGet)
                                      .End(2, Method::kRange, Shown(3, {kOne}))
                                      .End(1, Method::kRange, Shown(2, {kOne}))},
      {"ALostConnectionMayLeadElsewhere",
       Reads(Reads(TwoPuts().As("b"), 3)
                 .Begin(1, Method::kRange, kSerializableGet)
                 .Fail(1, Method::kRange, StatusCode::kUnavailable),
             2)},
      {"AClientWithoutANameIsNotJudged", Reads(Reads(TwoPuts().As(""), 3), 2)},
      {"ALinearizableReadIsJudgedByLinearizable",
       TwoPuts().Get("k", Shown(2, {kOne})),
       {"Linearizable"}},
      {"ALostWriteOfTheClientItselfStaysOpen",
       CallScript()
           .Put("k", "1", 2)
           .Lose(Method::kPut, PutOf("k", "2"))
           .Put("x", "1", 4)
           .Do(Method::kRange, kSerializableGet, Shown(4, {kOne})),
       {},
       true},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(MonotonicReads, CallTable, testing::ValuesIn(Rows()), CallRowName);

}  // namespace
}  // namespace watchproof
