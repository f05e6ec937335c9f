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
TEST(Serializable, MembersHoldTheSameHistory) {
  const HistoryHash first{
      .member = 1, .release = "3.5.21", .revision = 2, .compacted = 1, .hash = 7};
  const auto findings = [&first](const auto& change) {
    HistoryHash second = first;
    second.member = 2;
    change(second);
    return CallScript().Put("a", "1", 2).Annotate(first).Annotate(second).Judge().findings;
  };
  EXPECT_THAT(findings([](HistoryHash&) {}), testing::IsEmpty());
  const auto differs = findings([](HistoryHash& second) { second.hash = 8; });
  ASSERT_THAT(differs, testing::SizeIs(1));
  EXPECT_EQ(differs.front().guarantee, Guarantee("Serializable"));
  EXPECT_EQ(differs.front().observed, "member 2 answered 00000008");
  // Those of other releases, or of what was compacted differently, may differ.
  EXPECT_THAT(findings([](HistoryHash& second) {
                second.hash = 8;
                second.release = "3.6.0";
              }),
              testing::IsEmpty());
  EXPECT_THAT(findings([](HistoryHash& second) {
                second.hash = 8;
                second.compacted = 0;
              }),
              testing::IsEmpty());
}

TEST(Serializable, AHashIsOfTheRevisionThatItWasAskedFor) {
  const auto findings = [](std::int64_t hashed) {
    const HistoryHash hash{.release = "3.6.0", .revision = 2, .hash = 7, .hashed = hashed};
    return CallScript().Put("a", "1", 2).Annotate(hash).Judge().findings;
  };
  EXPECT_THAT(findings(2), testing::IsEmpty());
  EXPECT_THAT(findings(0), testing::IsEmpty()) << "before etcd 3.6 it is not said";
  ASSERT_THAT(findings(1), testing::SizeIs(1));
  EXPECT_EQ(findings(1).front().guarantee, Guarantee("Serializable"));
}

TEST(Serializable, HashesOfTwoRevisionsDiffer) {
  const HistoryHash first{.release = "3.5.21", .revision = 2, .compacted = 1, .hash = 7};
  const auto findings = [&first](HistoryHash second) {
    return CallScript()
        .Put("a", "1", 2)
        .Put("a", "2", 3)
        .Annotate(first)
        .Annotate(second)
        .Judge()
        .findings;
  };
  HistoryHash second = first;
  second.revision = 3;
  const auto equal = findings(second);
  ASSERT_THAT(equal, testing::SizeIs(1));
  EXPECT_EQ(equal.front().observed, "both are 00000007");
  second.compacted = 2;
  EXPECT_THAT(findings(second), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Serializable, CallTable, testing::ValuesIn(Rows()), CallRowName);

}  // namespace
}  // namespace watchproof
