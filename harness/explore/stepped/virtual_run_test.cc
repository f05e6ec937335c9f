// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/stepped/virtual_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/explore/stepped/explorer.h"
#include "harness/scenario/steps/explored.h"

namespace watchproof::explore {
namespace {

Script Small() {
  return {.steps = {Create{.key = "a/", .end = "a0"}, Put{.key = "a/1"}, Turn{Loop::kCommit},
                    Receive{1, 2}, Compact{}, Delete{.key = "a/1"}, Resume{}}};
}

TEST(VirtualRunTest, RecordsTheSameBytesEachTime) {
  EXPECT_EQ(BytesOf(RunScript(Small(), {}).lines), BytesOf(RunScript(Small(), {}).lines));
}

TEST(VirtualRunTest, AScriptOfAFileIsReplayed) {
  const auto read = ParsePlan(ToText(PlanFile{.plan = PlanOf(Small())}));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(BytesOf(RunScript(Small(), {}).lines),
            BytesOf(RunScript(*ScriptOf(read->plan), {}).lines));
}

TEST(VirtualRunTest, WritesThatWereNotSafeAreLostInACrash) {
  const Script script{.limits = {.disk = true},
                      .steps = {Put{.key = "b"}, SyncDisk{1}, Put{.key = "b"}, Put{.key = "b"},
                                Crash{1}, Create{.key = "b", .start = {Place::From::kNumber, 2}}}};
  const ScriptRun shown = RunScript(script, {});
  EXPECT_THAT(shown.findings, testing::IsEmpty());
  int failed = 0;
  for (const NumberedEntry& line : shown.lines) {
    failed +=
        line.entry.kind == EntryKind::kCallEnded && line.entry.code == StatusCode::kUnavailable ? 1
                                                                                                : 0;
  }
  EXPECT_EQ(failed, 2);
}

// Even if nothing can be done with it any more.
TEST(VirtualRunTest, AStoreThatDoesNotRecoverIsNotDurable) {
  const Script script{
      .limits = {.disk = true, .room = 109},
      .steps = {Put{.key = "a/1", .bytes = 91}, Put{.key = "a/1"}, Put{.key = "a/2"},
                Put{.key = "a0"}, Put{.key = "b"}, Delete{.key = "a/1", .end = "a0"}}};
  EXPECT_THAT(RunScript(script, {}).findings, testing::IsEmpty());
  const ScriptRun shown = RunScript(script, {"delete-at-floor-lost"});
  ASSERT_THAT(shown.findings, testing::Not(testing::IsEmpty()));
  EXPECT_EQ(Name(shown.findings.front().guarantee), "Durable") << shown.findings.front().observed;
  EXPECT_THAT(shown.findings.front().expected, testing::HasSubstr("start again"));
}

// etcd lets an open range that is deleted meet a put of the same transaction, and looks previous
// values up one revision below the event's.
TEST(VirtualRunTest, AKeyMayChangeTwiceInOneTransaction) {
  const TxnPart everything{.kind = TxnPart::Kind::kDelete, .key = "*", .end = "*"};
  const Script script{
      .steps = {Put{.key = "b"}, Create{.end = "*", .options = {.prev_kv = true}},
                Txn{.then = {everything, {.key = "b"}, {.key = "a0"}}},
                Txn{.then = {{.key = "b"}, {.key = "a/1"}}, .nested = {{.then = {everything}}}}}};
  EXPECT_THAT(RunScript(script, {}).findings, testing::IsEmpty());
}

// It was lost in a crash together with its answer, and there are too many ways in which its nested
// ones may have run: what its revision left is known from the control watch alone.
TEST(VirtualRunTest, AnUnansweredTransactionMayDeleteWhatItPut) {
  const auto given = [](TxnPart part, std::vector<Txn> nested = {}) {
    const Condition holds{.key = "b", .relation = Condition::Relation::kLess, .value = "9"};
    return Txn{.when = {holds}, .then = {std::move(part)}, .nested = std::move(nested)};
  };
  const auto erase = [](const char* key) {
    return TxnPart{.kind = TxnPart::Kind::kDelete, .key = key};
  };
  const TxnPart read{.kind = TxnPart::Kind::kGet, .key = "b"};
  Txn unused = given(read);
  unused.otherwise = {erase("b")};
  const Script script{
      .limits = {.disk = true},
      .steps = {
          given({.key = "a/2"}, {given({.key = "a0"}), given(erase("b")),
                                 given(read, {given({.key = "a/1"}), unused, given(erase("a0"))})}),
          Crash{1}, Get{.end = "*", .at = {Place::From::kHead, -3}}}};
  EXPECT_THAT(RunScript(script, {}).findings, testing::IsEmpty());
}

}  // namespace
}  // namespace watchproof::explore
