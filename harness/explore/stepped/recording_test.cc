// SPDX-License-Identifier: Apache-2.0
// What is written of the store's answers is read as any other recording is.
#include "harness/explore/stepped/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/history/run_started.h"
#include "harness/history/wire.h"

namespace watchproof::explore {
namespace {

using testing::SizeIs;

template <typename View>
View ReadAs(const std::string& bytes) {
  View view;
  const Status read = Parse(bytes, view);
  EXPECT_TRUE(read.ok()) << read.message();
  return view;
}

const store::KeyValue kHeld{
    .key = "a", .value = "x", .create = Revision(2), .mod = Revision(3), .version = 2, .lease = 7};

void ExpectHeld(const KeyValueView& kv) {
  EXPECT_EQ(kv.key, "a");
  EXPECT_EQ(kv.value, "x");
  EXPECT_EQ(kv.create_revision, 2);
  EXPECT_EQ(kv.mod_revision, 3);
  EXPECT_EQ(kv.version, 2);
  EXPECT_EQ(kv.lease, 7);
}

TEST(VirtualRecording, RequestsAreAsTheScriptAsksThem) {
  const Create create{.key = "a/",
                      .end = "*",
                      .id = 3,
                      .options = {.prev_kv = true, .fragment = true, .no_delete = true}};
  const std::string created = ToWire(create, Placement(), 7);
  const auto request = ReadAs<WatchRequestView>(created);
  ASSERT_EQ(request.kind, WatchRequestKind::kCreate);
  EXPECT_EQ(request.create.key, "a/");
  EXPECT_EQ(request.create.range_end, std::string_view("\0", 1));
  EXPECT_EQ(request.create.start_revision, 7);
  EXPECT_EQ(request.create.watch_id, 3);
  EXPECT_TRUE(request.create.prev_kv && request.create.fragment && request.create.no_delete);
  EXPECT_FALSE(request.create.no_put || request.create.progress_notify);
  const std::string cancelled = ToWire(Cancel{1, 4});
  EXPECT_EQ(ReadAs<WatchRequestView>(cancelled).cancel_id, 4);
  const std::string asked = ToWire(AskProgress{});
  EXPECT_EQ(ReadAs<WatchRequestView>(asked).kind, WatchRequestKind::kProgress);
}

TEST(VirtualRecording, AnswersOfCallsAreReadBack) {
  const std::string put = ToWire(store::PutAnswer{.revision = Revision(4), .previous = kHeld});
  const auto put_view = ReadAs<PutResponseView>(put);
  EXPECT_EQ(put_view.header.revision, 4);
  ASSERT_TRUE(put_view.has_previous);
  ExpectHeld(put_view.previous);
  const std::string plain = ToWire(store::PutAnswer{.revision = Revision(4)});
  EXPECT_FALSE(ReadAs<PutResponseView>(plain).has_previous);
  const std::string erased =
      ToWire(store::DeleteAnswer{.revision = Revision(4), .deleted = 2, .previous = {kHeld}});
  const auto erased_view = ReadAs<DeleteRangeResponseView>(erased);
  EXPECT_EQ(erased_view.deleted, 2);
  ASSERT_THAT(erased_view.previous, SizeIs(1));
  ExpectHeld(erased_view.previous.front());
  const std::string range =
      ToWire(store::RangeAnswer{.revision = Revision(4), .kvs = {kHeld}, .more = true, .count = 9});
  const auto range_view = ReadAs<RangeResponseView>(range);
  EXPECT_EQ(range_view.count, 9);
  EXPECT_TRUE(range_view.more);
  ASSERT_THAT(range_view.kvs, SizeIs(1));
  ExpectHeld(range_view.kvs.front());
  const std::string granted = ToWire(store::Granted{.revision = Revision(4), .id = 7, .ttl = 60s});
  const auto granted_view = ReadAs<LeaseResponseView>(granted);
  EXPECT_EQ(granted_view.header.revision, 4);
  EXPECT_EQ(granted_view.id, 7);
  EXPECT_EQ(granted_view.ttl, 60);
  const std::string done = ToWire(store::CompactAnswer{.revision = Revision(4)});
  EXPECT_EQ(ReadAs<CompactionResponseView>(done).header.revision, 4);
}

TEST(VirtualRecording, EachPartOfATransactionHasItsKind) {
  const store::TxnAnswer inner{.succeeded = false, .answers = {store::DeleteAnswer{.deleted = 1}}};
  const std::string bytes = ToWire(store::TxnAnswer{
      .revision = Revision(4),
      .succeeded = true,
      .answers = {store::RangeAnswer{.count = 3}, store::PutAnswer{.previous = kHeld}, inner}});
  const auto txn = ReadAs<TxnResponseView>(bytes);
  EXPECT_TRUE(txn.succeeded);
  EXPECT_EQ(txn.header.revision, 4);
  ASSERT_THAT(txn.responses, SizeIs(3));
  EXPECT_EQ(txn.responses[0].kind, Method::kRange);
  EXPECT_EQ(ReadAs<RangeResponseView>(std::string(txn.responses[0].body)).count, 3);
  EXPECT_EQ(txn.responses[1].kind, Method::kPut);
  EXPECT_EQ(txn.responses[2].kind, Method::kTxn);
  const std::string body(txn.responses[2].body);
  const auto inner_view = ReadAs<TxnResponseView>(body);
  EXPECT_FALSE(inner_view.succeeded);
  EXPECT_EQ(inner_view.responses.front().kind, Method::kDeleteRange);
}

TEST(VirtualRecording, RepliesOfAWatchAreReadBack) {
  struct Row {
    store::WatchReply reply;
    bool created, canceled;
    std::int64_t compacted;
    const char* reason;
  };
  const Row rows[] = {
      {{.watch = WatchId(3), .revision = Revision(9), .created = true}, true, false, 0, ""},
      {{.watch = WatchId(3), .revision = Revision(9), .canceled = true, .reason = "gone"},
       false,
       true,
       0,
       "gone"},
      {{.watch = WatchId(3), .revision = Revision(9), .canceled = true, .compacted = Revision(7)},
       false,
       true,
       7,
       ""},
      {{.watch = WatchId(3), .revision = Revision(9)}, false, false, 0, ""},
  };
  for (const Row& row : rows) {
    const std::string bytes = ToWire(row.reply, {}, false);
    const auto view = ReadAs<WatchResponseView>(bytes);
    EXPECT_EQ(view.header.revision, 9);
    EXPECT_EQ(view.watch_id, 3);
    EXPECT_EQ(view.created, row.created);
    EXPECT_EQ(view.canceled, row.canceled);
    EXPECT_EQ(view.compact_revision, row.compacted);
    EXPECT_EQ(view.cancel_reason, row.reason);
    EXPECT_FALSE(view.fragment);
  }
}

// With a previous value where the store still has it.
TEST(VirtualRecording, EventsKeepTheirOrderAndTheirPrevious) {
  const auto put = std::make_shared<store::Change>(store::Change{.kv = kHeld});
  const auto erased = std::make_shared<store::Change>(
      store::Change{.kind = store::ChangeKind::kDelete, .kv = {.key = "a", .mod = Revision(4)}});
  std::vector<store::PendingEvent> events = {{.change = put}, {.change = erased, .previous = put}};
  {
    const auto gone = std::make_shared<store::Change>();
    events.push_back({.change = put, .previous = gone});
  }
  const std::string bytes = ToWire({.watch = WatchId(3)}, events, true);
  const auto view = ReadAs<WatchResponseView>(bytes);
  EXPECT_TRUE(view.fragment);
  ASSERT_THAT(view.events, SizeIs(3));
  EXPECT_EQ(view.events[0].type, 0);
  ExpectHeld(view.events[0].kv);
  EXPECT_FALSE(view.events[0].has_previous);
  EXPECT_EQ(view.events[1].type, 1);
  EXPECT_EQ(view.events[1].kv.mod_revision, 4);
  ASSERT_TRUE(view.events[1].has_previous);
  ExpectHeld(view.events[1].previous);
  EXPECT_FALSE(view.events[2].has_previous);
}

TEST(VirtualRecording, LinesHaveNumbersAndVirtualTimes) {
  Recording recording;
  recording.RunStarted({.strict_previous = true});
  recording.Advance(5ms);
  const CallId call = recording.Started(Method::kPut, "request");
  recording.Advance(1ms);
  recording.Failed(call, Method::kPut, Status(StatusCode::kUnavailable, "gone"));
  recording.Ended(recording.Started(Method::kRange, ""), Method::kRange, "response");
  recording.Killed();
  const std::vector<NumberedEntry>& lines = recording.lines();
  ASSERT_THAT(lines, SizeIs(7));
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i].line, Line(i + 1));
  EXPECT_TRUE(ParseRunStarted(lines[0].entry.text)->strict_previous);
  EXPECT_EQ(lines[1].entry.at, Duration(5ms));
  EXPECT_EQ(lines[1].entry.text, kClient);
  EXPECT_EQ(lines[2].entry.at, Duration(6ms));
  EXPECT_EQ(lines[2].entry.call, call);
  EXPECT_EQ(lines[2].entry.code, StatusCode::kUnavailable);
  EXPECT_EQ(lines[2].entry.text, "gone");
  EXPECT_NE(lines[3].entry.call, call);
  EXPECT_EQ(lines[4].entry.payload.view(), "response");
  EXPECT_EQ(lines[5].entry.kind, EntryKind::kFault);
}

}  // namespace
}  // namespace watchproof::explore
