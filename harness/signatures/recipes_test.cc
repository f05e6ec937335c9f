// SPDX-License-Identifier: Apache-2.0
// Observed histories of real servers in the recipes of known bugs, shortened: the bad history of a
// release with the bug, and the good one of a release without it.
#include "harness/checkers/testing/truth_table.h"
#include "harness/history/wire.h"

namespace watchproof {
namespace {

constexpr int kStale = 8;
const std::string kHot = "hot";

// etcd #17529: one watch that is far behind, a compaction at the head, stale watches behind a full
// queue.
Script FullQueue() {
  Script script;
  script.Watch(kHot, 0, {.id = 100}).Created(100, 1);
  for (int revision = 2; revision <= 20; ++revision) script.Put(kHot, "fat", revision);
  script.Compact(20);
  for (int i = 0; i < kStale; ++i) script.Watch(kHot, 2, {.id = 200 + i});
  for (int i = 0; i < kStale; ++i) script.Created(200 + i, 20);
  for (int revision = 2; revision <= 20; ++revision) script.Deliver(100, {{revision, kHot}});
  return script;
}
Script NoticesReachAll() {
  Script script = FullQueue();
  for (int i = 0; i < kStale; ++i) script.Compacted(200 + i, 20);
  return script.Put(kHot, "sentinel", 21).Deliver(100, {{21, kHot}});
}
Script NoticesAreLost() {
  Script script = FullQueue().Put(kHot, "sentinel", 21).Deliver(100, {{21, kHot}});
  for (int i = 0; i < kStale; ++i) script.Deliver(200 + i, {{21, kHot}});
  return script;
}

// etcd #18089: a delete right at the compaction floor.
Script DeleteAtTheFloor() {
  return Script().Put("k", "v", 2).Delete("k", 3).Compact(3).Watch("k", 3).Created(0, 3);
}

// etcd #15220: a progress request right behind a create that has history to catch up.
Script ProgressRequestBehindCreate() {
  Script script;
  for (int revision = 2; revision <= 6; ++revision) script.Put("k", "v", revision);
  return script.Watch("k", 2).Payload(EntryKind::kRequestSent,
                                      Message().Nested(3, Message()).bytes());
}
Script History(Script script) {
  return script.Deliver(0, {{2, "k"}, {3, "k"}, {4, "k"}, {5, "k"}, {6, "k"}});
}

// etcd #20221: a watch of the future, progress asked for before its start.
Script FutureWatch() { return Script().Put("k", "v", 2).Watch("k", 6).Created(0, 2); }
Script UpToTheStart(Script script) {
  for (int revision = 3; revision <= 6; ++revision) script.Put("k", "v", revision);
  return script.Deliver(0, {{6, "k"}});
}

// Mixed keys and prefixes on one stream, deletes and multi-key transactions.
Script MixedLoad() {
  return Script()
      .Watch("a/", 0, {.range_end = "a0"})
      .Watch("a/1", 0)
      .Created(0, 1)
      .Created(1, 1)
      .Put("a/1", "x", 2)
      .Txn({.puts = {{"a/1", "y"}, {"a/2", "y"}, {"b", "y"}}}, 3)
      .Delete("a/", 4, "a0");
}
const std::vector<Row>& Rows() {
  static const std::vector<Row> kRows = {
      {"NoticeReachesAWatcherWithAFullQueue", NoticesReachAll(), {}},
      {"NoticeIsLostWithAFullQueue", NoticesAreLost(),
       std::vector<std::string>(kStale, "CompactionSurfaced")},
      {"NoticeIsLostAndNothingFollows", FullQueue(),
       std::vector<std::string>(kStale, "CompactionSurfaced")},
      {"DeleteAtTheFloorIsDelivered", DeleteAtTheFloor().Deliver(0, {{3, "k"}}), {}},
      {"DeleteAtTheFloorIsLost",
       DeleteAtTheFloor().Put("k", "sentinel", 4).Deliver(0, {{4, "k"}}),
       {"Reliable"}},
      {"DeleteAtTheFloorIsLostAndNothingFollows", DeleteAtTheFloor(), {"Settled"}},
      {"DeleteAtTheFloorIsAnsweredWithErrCompacted",
       DeleteAtTheFloor().Compacted(0, 3),
       {},
       false,
       {.permit_compacted_at_the_floor = true}},
      {"ProgressComesAfterTheEvents",
       History(ProgressRequestBehindCreate().Created(0, 6)).Progress(kWholeStream, 6),
       {}},
      {"ProgressIsDropped", History(ProgressRequestBehindCreate().Created(0, 6)), {}},
      {"ProgressOvertakesTheEvents",
       History(ProgressRequestBehindCreate().Created(0, 6).Progress(kWholeStream, 6)),
       {"Bookmarkable"}},
      {"FutureWatchReceivesNothing", UpToTheStart(FutureWatch()), {}},
      {"FutureWatchReceivesProgressBelowItsStart",
       UpToTheStart(FutureWatch().Progress(kWholeStream, 2)),
       {"Bookmarkable"}},
      {"EverythingArrives",
       MixedLoad()
           .Deliver(0, {{2, "a/1"}})
           .Deliver(0, {{3, "a/1"}, {3, "a/2"}})
           .Deliver(1, {{2, "a/1"}, {3, "a/1"}, {4, "a/1"}})
           .Deliver(0, {{4, "a/1"}, {4, "a/2"}}),
       {}},
      {"OneEventOfATransactionIsLost",
       MixedLoad()
           .Deliver(0, {{2, "a/1"}})
           .Deliver(0, {{3, "a/1"}})
           .Deliver(1, {{2, "a/1"}, {3, "a/1"}, {4, "a/1"}})
           .Deliver(0, {{4, "a/1"}, {4, "a/2"}}),
       {"Atomic", "Reliable"}},
  };
  return kRows;
}
// An id that is used again at once, while events of its cancelled watch wait in the queue.
TEST(Recipes, EventsOfAFormerWatchHaveTheirSignature) {
  const Script reused = Script()
                            .Watch("a", 0, {.id = 7})
                            .Created(7, 1)
                            .Put("a", "v", 2)
                            .Put("b", "v", 3)
                            .Cancel(7)
                            .Watch("b", 2, {.id = 7})
                            .Cancelled(7)
                            .Created(7, 3);
  EXPECT_TRUE(Script(reused).Deliver(7, {{3, "b"}}).Judge().findings.empty());
  const auto findings =
      Script(reused).Deliver(7, {{2, "a"}}).Deliver(7, {{3, "b"}}).Judge().findings;
  ASSERT_FALSE(findings.empty());
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.signature, "events-of-former-watch") << finding.observed;
  }
}

// It asks for them itself, too, and so receives them twice.
TEST(Recipes, RepeatedEventsOfAFormerWatchHaveTheirSignature) {
  const auto signature = [](std::int64_t revision) {
    Script script = Script().Watch("a", 0, {.id = 7}).Created(7, 1).Put("a", "v", 2).Cancel(7);
    script.Cancelled(7).Watch("a", 2, {.id = 7}).Created(7, 2).Put("a", "w", 3);
    script.Deliver(7, {{2, "a"}}).Deliver(7, {{3, "a"}}).Deliver(7, {{revision, "a"}});
    const auto findings = script.Judge().findings;
    return findings.empty() ? "nothing found" : findings.front().signature;
  };
  EXPECT_EQ(signature(2), "events-of-former-watch");
  EXPECT_EQ(signature(3), "") << "written when there was no former watch";
}

INSTANTIATE_TEST_SUITE_P(Recipes, TruthTable, testing::ValuesIn(Rows()), RowName);

}  // namespace
}  // namespace watchproof
