// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/stepped/virtual_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/explore/stepped/explorer.h"
#include "harness/history/annotation.h"
#include "harness/history/wire.h"
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

// Steps one by one: what each leaves in the recording.

// Up to the first of the standing promises.
std::vector<Entry> OwnEntries(const Script& script) {
  std::vector<Entry> entries;
  for (const NumberedEntry& line : RunScript(script, {}).lines) {
    if (IsStage(line.entry, Stage::kHealed)) break;
    entries.push_back(line.entry);
  }
  return entries;
}
std::ptrdiff_t CountOf(const Script& script, EntryKind kind) {
  return std::ranges::count(OwnEntries(script), kind, &Entry::kind);
}
// The starts of the watches, in the order of their requests.
std::vector<std::int64_t> StartsIn(const Script& script) {
  std::vector<std::int64_t> starts;
  for (const Entry& entry : OwnEntries(script)) {
    WatchRequestView request;
    if (entry.kind != EntryKind::kRequestSent) continue;
    if (!Parse(entry.payload.view(), request).ok()) continue;
    if (request.kind == WatchRequestKind::kCreate) starts.push_back(request.create.start_revision);
  }
  return starts;
}

TEST(VirtualRunTest, StepsAreRequestsAndCalls) {
  struct Row {
    const char* what;
    std::vector<Step> steps;
    std::ptrdiff_t calls, requests, streams;
  };
  const Row rows[] = {
      {"nothing", {}, 1, 0, 0},  // but the read at the start
      {"puts", {Put{.key = "b", .times = 3}}, 4, 0, 0},
      {"watches of one stream", {Create{.times = 2}, Create{}}, 1, 3, 1},
      {"two streams", {Create{}, AskProgress{2}, Cancel{2, 7}}, 1, 3, 2},
      {"what is closed again", {Create{}, CloseStream{1}, Create{}}, 1, 2, 2},
      {"what was never open", {CloseStream{1}, Resume{2}, Receive{3, 1}}, 1, 0, 0},
      {"leases", {Grant{}, KeepAlive{}, Revoke{}}, 3, 1, 1},  // and a control watch
      {"calls of each kind", {Delete{.key = "b"}, Txn{}, Get{}, Compact{}}, 5, 0, 0},
      {"loops", {Turn{Loop::kSync}, Advance{9}, SyncDisk{}, Restrict{1, "b"}}, 1, 0, 0},
      {"a crash without a disk", {Put{.key = "b"}, Crash{}}, 2, 1, 1},
  };
  for (const Row& row : rows) {
    const Script script{.steps = row.steps};
    EXPECT_EQ(CountOf(script, EntryKind::kCallStarted), row.calls) << row.what;
    EXPECT_EQ(CountOf(script, EntryKind::kCallEnded), row.calls) << row.what;
    EXPECT_EQ(CountOf(script, EntryKind::kRequestSent), row.requests) << row.what;
    EXPECT_EQ(CountOf(script, EntryKind::kStreamOpened), row.streams) << row.what;
    EXPECT_THAT(RunScript(script, {}).findings, testing::IsEmpty()) << row.what;
  }
}

TEST(VirtualRunTest, PlacesAreWhatTheClientKnows) {
  using From = Place::From;
  const auto at = [](From from, std::int64_t plus) { return Create{.start = {from, plus}}; };
  EXPECT_THAT(
      StartsIn({.steps = {Put{.key = "b", .times = 4}, at(From::kHead, 0), at(From::kHead, -2),
                          at(From::kHead, 3), at(From::kFloor, 1), Compact{{From::kHead, -1}},
                          at(From::kFloor, 0), at(From::kNumber, 0), at(From::kNumber, -1)}}),
      testing::ElementsAre(5, 3, 8, 2, 4, 0, -1));
  // A write that is not safe yet is not known.
  EXPECT_THAT(StartsIn({.limits = {.disk = true},
                        .steps = {Put{.key = "b", .times = 2}, at(From::kHead, 0), SyncDisk{1},
                                  at(From::kHead, 0), SyncDisk{1}, at(From::kHead, 0)}}),
              testing::ElementsAre(1, 2, 3));
}

// Past what was received, at the compaction that ended it, or as it was asked for.
TEST(VirtualRunTest, AStreamIsResumedWhereItsWatchesAre) {
  const Create watch{.key = "b"};
  const Step loops[] = {Turn{Loop::kCommit}, Receive{1, 9}};
  const auto with = [&](std::vector<Step> steps, const std::vector<Step>& then) {
    steps.insert(steps.end(), std::begin(loops), std::end(loops));
    steps.insert(steps.end(), then.begin(), then.end());
    steps.push_back(Resume{});
    return StartsIn({.steps = std::move(steps)});
  };
  const Put put{.key = "b"};
  EXPECT_THAT(with({watch, Receive{1, 1}, put, put}, {}), testing::ElementsAre(0, 4));
  EXPECT_THAT(with({watch, put, put}, {}), testing::ElementsAre(0, 4));
  // Its client has not received the last put.
  EXPECT_THAT(with({watch, Receive{1, 1}, put}, {put}), testing::ElementsAre(0, 3));
  const Create past{.key = "b", .start = {Place::From::kNumber, 1}};
  EXPECT_THAT(with({put, put, Compact{}, past, Turn{Loop::kSync}}, {}), testing::ElementsAre(1, 3));
  EXPECT_THAT(with({past}, {}), testing::ElementsAre(1, 1));
  EXPECT_THAT(with({watch, Create{.key = "b", .id = 4}, Receive{1, 2}}, {Cancel{1, 4}}),
              testing::ElementsAre(0, 0, 2));
}

// Where nothing else happens a watch that was answered resumes behind the revision of its answer.
TEST(VirtualRunTest, AnAnswerSaysWhereAWatchOfNowStarts) {
  EXPECT_THAT(StartsIn({.steps = {Put{.key = "b"}, Create{.key = "a0"}, Receive{1, 1}, Resume{}}}),
              testing::ElementsAre(0, 3));
}

TEST(VirtualRunTest, AnswersOfADiskComeWhenTheyAreSafe) {
  const auto ended = [](std::int64_t synced) {
    return CountOf({.limits = {.disk = true},
                    .steps = {Put{.key = "b", .times = 3}, SyncDisk{synced}, Crash{0}}},
                   EntryKind::kFault);
  };
  EXPECT_EQ(ended(0), 2);  // the kill, and that it is over
  for (const std::int64_t synced : {0, 1, 2, 3}) {
    std::ptrdiff_t failed = 0;
    for (const Entry& entry :
         OwnEntries({.limits = {.disk = true},
         .steps = {Put{.key = "b", .times = 3}, SyncDisk{synced}, Crash{0}}})) {
      failed += entry.code == StatusCode::kUnavailable && entry.kind == EntryKind::kCallEnded;
    }
    EXPECT_EQ(failed, 3 - synced);
  }
}

// No lease ends before its time, nor without a turn of the loop that ends them.
TEST(VirtualRunTest, LeasesEndInTheirLoop) {
  const auto keys_left = [](const std::vector<Step>& then) {
    std::vector<Step> steps = {Grant{.seconds = 5}, Put{.key = "b", .lease = 1}};
    steps.insert(steps.end(), then.begin(), then.end());
    steps.push_back(Get{.end = "*"});
    const std::vector<Entry> entries = OwnEntries({.steps = steps});
    const auto last = std::find_if(entries.rbegin(), entries.rend(), [](const Entry& entry) {
      return entry.kind == EntryKind::kCallEnded && entry.method == Method::kRange;
    });
    RangeResponseView view;
    EXPECT_TRUE(last != entries.rend() && Parse(last->payload.view(), view).ok());
    return view.count;
  };
  EXPECT_EQ(keys_left({Turn{Loop::kExpire}}), 1);
  EXPECT_EQ(keys_left({Advance{4000}, Turn{Loop::kExpire}}), 1);
  EXPECT_EQ(keys_left({Advance{6000}}), 1);
  EXPECT_EQ(keys_left({Advance{6000}, Turn{Loop::kExpire}}), 0);
  EXPECT_EQ(keys_left({Advance{4000}, KeepAlive{}, Advance{4000}, Turn{Loop::kExpire}}), 1);
  EXPECT_EQ(keys_left({Revoke{}}), 0);
}

// After each put everything has arrived before anything else is done.
TEST(VirtualRunTest, PacedPutsArriveOneByOne) {
  const auto responses = [](bool paced) {
    return CountOf(
        {.steps = {Create{.key = "b"}, Receive{1, 9}, Put{.key = "b", .times = 5, .paced = paced},
                   Turn{Loop::kCommit}, Receive{1, 1}}},
        EntryKind::kResponseReceived);
  };
  EXPECT_EQ(responses(true), 1 + 5);
  EXPECT_LT(responses(false), 1 + 5);
}

// What follows from two scripts is the same if their states are: of what is over, only ids in use
// count.
TEST(VirtualRunTest, AStateIsWhatTheRestDependsOn) {
  const auto state = [](const std::vector<Step>& steps) {
    return RunScript({.steps = steps}, {}).state;
  };
  const Step put = Put{.key = "b"};
  const Step watch = Create{.key = "b", .id = 1};
  const Step take = Receive{1, 9};
  EXPECT_EQ(state({put, Get{}}), state({put}));
  EXPECT_EQ(state({watch, take, Cancel{1, 1}, take}), state({AskProgress{1}}));
  EXPECT_EQ(state({watch, watch, take}), state({watch, take}));  // one of them is refused
  EXPECT_NE(state({put, put}), state({put}));
  EXPECT_NE(state({put, Compact{}}), state({put}));
  EXPECT_NE(state({put, put}), state({put, Delete{.key = "b"}}));
  EXPECT_NE(state({watch, take}), state({watch}));
  EXPECT_NE(state({watch, take}), state({Create{.key = "b", .id = 2}, take}));
  EXPECT_NE(state({watch, take, Cancel{1, 1}}), state({watch, take}));
}

TEST(VirtualRunTest, StepsOfTheStandingPromisesAreCounted) {
  const std::size_t none = RunScript({}, {}).steps;
  EXPECT_GT(none, 20U);
  EXPECT_EQ(RunScript({.steps = {Get{}, Get{}}}, {}).steps, none + 2);
}

}  // namespace
}  // namespace watchproof::explore
