// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/call_table.h"

namespace watchproof {
namespace {

const KeyValueFields kA = Kv("a", "1", 2);
const KeyValueFields kB = Kv("b", "1", 3);
const KeyValueFields kNewA = Kv("a", "2", 4, 2, 2);

// Another client reads, so its answers may be behind.
CallScript ThreePuts() {
  return CallScript().Put("a", "1", 2).Put("b", "1", 3).Put("a", "2", 4).As("b");
}
CallScript Reads(CallScript script, const Message& answer) {
  return script.Do(Method::kRange, GetOf("a", {.range_end = "z", .serializable = true}), answer);
}

const std::vector<CallRow>& Rows() {
  static const std::vector<CallRow> kRows = {
      {"ShowsThePresent", Reads(ThreePuts(), Shown(4, {kNewA, kB}))},
      {"ShowsThePast", Reads(ThreePuts(), Shown(3, {kA, kB}))},
      {"ShowsTheBeginning", Reads(ThreePuts(), Shown(1, {}))},
      {"MixesTwoStates", Reads(ThreePuts(), Shown(3, {kNewA, kB})), {"Serializable"}},
      {"LacksAKeyOfItsState", Reads(ThreePuts(), Shown(3, {kA})), {"Serializable"}},
      {"ShowsTheFuture",
       Reads(CallScript().Put("a", "1", 2), Shown(3, {kA, kB})).Put("b", "1", 3),
       {"Linearizable", "Serializable"}},
      {"AStateWithALostWriteStaysOpen",
       Reads(CallScript()
                 .Put("a", "1", 2)
                 .Lose(Method::kDeleteRange, DeleteOf("a"))
                 .Put("b", "1", 4)
                 .As("b"),
             Shown(4, {Kv("b", "1", 4)})),
       {},
       true},
      {"AStateFromBeforeTheRecordingStaysOpen",
       Reads(CallScript(3).As("b"), Shown(2, {kA})),
       {},
       true},
  };
  return kRows;
}
INSTANTIATE_TEST_SUITE_P(Serializable, CallTable, testing::ValuesIn(Rows()), CallRowName);

}  // namespace
}  // namespace watchproof
