// SPDX-License-Identifier: Apache-2.0
#include "harness/model/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "harness/base/prng.h"
#include "harness/history/wire_writer.h"

namespace watchproof {
namespace {

const KeyRange kEverything("", std::string_view("\0", 1));

Message Put(const std::string& key, const std::string& value) {
  return Message().Text(1, key).Text(2, value);
}
Message Range(const std::string& key, const std::string& end = {}) {
  return end.empty() ? Message().Text(1, key) : Message().Text(1, key).Text(2, end);
}

// A model with the lines of a recording fed to it.
class Recording {
 public:
  explicit Recording(Revisions revisions = Revisions::kDense) : model_(revisions) {}

  Model& model() { return model_; }
  const Timeline& timeline() const { return model_.timeline(); }

  std::uint32_t Start(Method method, const Message& request) {
    methods_.push_back(method);
    const CallId call(static_cast<std::uint32_t>(methods_.size()));
    model_.Consume({Next(),
                    {.kind = EntryKind::kCallStarted,
                     .method = method,
                     .call = call,
                     .payload = Bytes::Copy(request.bytes())}});
    return call.value;
  }
  void End(std::uint32_t call, const Message& response) {
    model_.Consume({Next(),
                    {.kind = EntryKind::kCallEnded,
                     .method = methods_[call - 1],
                     .call = CallId(call),
                     .payload = Bytes::Copy(response.bytes())}});
  }
  void Fail(std::uint32_t call, StatusCode code) {
    model_.Consume({Next(),
                    {.kind = EntryKind::kCallEnded,
                     .method = methods_[call - 1],
                     .code = code,
                     .call = CallId(call)}});
  }
  void Call(Method method, const Message& request, const Message& response) {
    End(Start(method, request), response);
  }
  void Read(std::int64_t revision) {
    Call(Method::kRange, Range("x"), Message().Nested(1, Header(revision)));
  }
  void Grant(std::int64_t lease) {
    Call(Method::kLeaseGrant, Message().Number(1, 60), Message().Number(2, lease));
  }
  void ControlEvents(bool deleted, const KeyValueFields& kv) {
    const Bytes payload = Bytes::Copy(KeyValue(kv).bytes());
    EventView event;
    event.type = deleted ? 1 : 0;
    event.kv.key = payload.view().substr(2, kv.key.size());
    event.kv.value = payload.view().substr(payload.size() - kv.value.size());
    event.kv.mod_revision = kv.mod;
    model_.ControlEvents(StreamId(2), {event}, payload, Next());
  }
  std::int64_t known() const { return timeline().known_through().value; }

 private:
  Line Next() { return line_ = line_.next(); }

  Model model_;
  Line line_{};
  std::vector<Method> methods_;
};

Message Acked(std::int64_t revision) { return Message().Nested(1, Header(revision)); }

TEST(Model, LearnsTheBaseFromTheFirstHeader) {
  Recording recording;
  recording.Read(7);
  EXPECT_EQ(recording.known(), 7);
  recording.model().HeaderSeen(Revision(9), true);  // others wrote before the recording
  EXPECT_EQ(recording.known(), 9);
  recording.Call(Method::kPut, Put("k", "v"), Acked(10));
  recording.model().HeaderSeen(Revision(20), true);  // after the first write it is no base
  EXPECT_EQ(recording.timeline().base(), Revision(9));
  EXPECT_EQ(recording.known(), 10);
}

TEST(Model, LearnsTheBaseFromConcurrentFirstWrites) {
  Recording recording;
  const auto a = recording.Start(Method::kPut, Put("a", "1"));
  const auto b = recording.Start(Method::kPut, Put("b", "1"));
  const auto c = recording.Start(Method::kPut, Put("c", "1"));
  recording.End(b, Acked(6));
  EXPECT_EQ(recording.timeline().changes(), 0u);  // a or c may have come before it
  const auto d = recording.Start(Method::kPut, Put("d", "1"));
  recording.End(c, Acked(5));
  recording.End(a, Acked(7));
  EXPECT_EQ(recording.timeline().base(), Revision(4));
  EXPECT_EQ(recording.known(), 7);
  recording.End(d, Acked(8));
  EXPECT_EQ(recording.known(), 8);
}

TEST(Model, AppliesRevisionsWithoutGaps) {
  Recording recording;
  recording.Read(1);
  const auto a = recording.Start(Method::kPut, Put("a", "1"));
  recording.Call(Method::kPut, Put("b", "1"), Acked(3));
  EXPECT_EQ(recording.known(), 1);
  recording.End(a, Acked(2));
  EXPECT_EQ(recording.known(), 3);
}

TEST(Model, AWriteThatChangesNothingMakesNoRevision) {
  Recording recording;
  recording.Read(1);
  recording.Call(Method::kDeleteRange, Range("a"), Acked(1));
  recording.Call(Method::kTxn, Message().Nested(3, Message().Nested(1, Range("a"))),
                 Acked(1).Nested(3, Message().Nested(1, Acked(1))));
  EXPECT_EQ(recording.known(), 1);
  EXPECT_TRUE(recording.model().undecided().empty());
}

TEST(Model, FollowsNestedTransactionsAlongTheirAnswers) {
  Recording recording;
  recording.Read(1);
  const Message inner = Message()
                            .Nested(2, Message().Nested(2, Put("yes", "1")))
                            .Nested(3, Message().Nested(2, Put("no", "1")));
  const Message outer = Message()
                            .Nested(2, Message().Nested(2, Put("a", "1")))
                            .Nested(2, Message().Nested(4, inner))
                            .Nested(3, Message().Nested(2, Put("other", "1")));
  const Message inner_answer = Message().Nested(3, Message().Nested(2, Message()));
  recording.Call(Method::kTxn, outer,
                 Acked(2)
                     .Number(2, 1)
                     .Nested(3, Message().Nested(2, Message()))
                     .Nested(3, Message().Nested(4, inner_answer)));
  ASSERT_EQ(recording.timeline().changes(), 2u);
  EXPECT_EQ(recording.timeline().change(0).key, "a");
  EXPECT_EQ(recording.timeline().change(1).key, "no");
}

TEST(Model, RevisionsThatChangeAKeyTwiceAreKnownWhenForgotten) {
  Recording recording;
  recording.Read(1);
  recording.Call(Method::kPut, Put("a", "1"), Acked(2));
  recording.Call(Method::kTxn,
                 Message()
                     .Nested(2, Message().Nested(3, Range("a")))
                     .Nested(2, Message().Nested(2, Put("a", "2"))),
                 Acked(3)
                     .Number(2, 1)
                     .Nested(3, Message().Nested(3, Message().Number(2, 1)))
                     .Nested(3, Message().Nested(2, Message())));
  recording.Call(Method::kPut, Put("a", "3"), Acked(4));
  recording.model().timeline().Forget(Revision(4));
  ASSERT_EQ(recording.timeline().first_change(), 3u);
  EXPECT_FALSE(recording.timeline().ChangesKeyTwice(Revision(2)));
  EXPECT_TRUE(recording.timeline().ChangesKeyTwice(Revision(3)));
}

TEST(Model, DefiniteRefusalsLeaveNoHole) {
  Recording recording;
  recording.Read(1);
  recording.Fail(recording.Start(Method::kPut, Put("a", "1")), StatusCode::kResourceExhausted);
  recording.Call(Method::kPut, Put("b", "1"), Acked(2));
  recording.model().Finish();
  EXPECT_EQ(recording.known(), 2);
  EXPECT_FALSE(recording.model().MayExist(Revision(3)));
  EXPECT_TRUE(recording.model().undecided().empty());
}

TEST(Model, UndecidedNamesTheOpenWrite) {
  Recording recording;
  recording.Read(1);
  recording.Fail(recording.Start(Method::kPut, Put("a", "1")), StatusCode::kUnavailable);
  recording.Call(Method::kPut, Put("b", "1"), Acked(3));
  recording.model().Finish();
  EXPECT_EQ(recording.known(), 1);
  EXPECT_TRUE(recording.model().MayExist(Revision(2)));
  ASSERT_EQ(recording.model().undecided().size(), 1u);
  EXPECT_THAT(recording.model().undecided()[0], testing::HasSubstr("the first: line 3"));
}

TEST(Model, ControlWatchSettlesAnOpenWrite) {
  Recording recording;
  recording.Read(1);
  recording.Fail(recording.Start(Method::kPut, Put("a", "1")), StatusCode::kUnavailable);
  recording.Fail(recording.Start(Method::kPut, Put("a", "2")), StatusCode::kDeadlineExceeded);
  recording.Call(Method::kPut, Put("b", "1"), Acked(3));
  recording.ControlEvents(false, {.key = "a", .value = "2", .mod = 2});
  EXPECT_EQ(recording.known(), 3);
  EXPECT_EQ(recording.timeline().change(0).value, "2");
  recording.model().Finish();
  EXPECT_TRUE(recording.model().undecided().empty());
  EXPECT_TRUE(recording.model().MayExist(Revision(4)));  // the other may still come
  EXPECT_FALSE(recording.model().MayExist(Revision(5)));
}

TEST(Model, AWriteWithAnUnreadableAnswerIsOpen) {
  Recording recording;
  recording.Read(1);
  recording.Call(Method::kPut, Put("k", "v"), Acked(2));
  recording.Call(Method::kDeleteRange, Range("k"), Message().Text(1, "x"));
  recording.Call(Method::kPut, Put("k", "w"), Acked(4));
  EXPECT_EQ(recording.known(), 2);
  recording.ControlEvents(true, {.key = "k", .mod = 3});
  EXPECT_EQ(recording.known(), 4);
  EXPECT_FALSE(recording.model().unexplained().has_value());
  EXPECT_THAT(recording.model().undecided(),
              testing::Contains(testing::HasSubstr("does not fit its request")));
}

TEST(Model, OneOfTwoWritesWithTheSameChangesMayStillCome) {
  Recording recording;
  recording.Read(1);
  recording.Call(Method::kPut, Put("a", "1"), Acked(2));
  recording.Fail(recording.Start(Method::kDeleteRange, Range("a", "c")), StatusCode::kUnavailable);
  recording.Fail(recording.Start(Method::kDeleteRange, Range("a")), StatusCode::kUnavailable);
  recording.ControlEvents(true, {.key = "a", .mod = 3});
  EXPECT_EQ(recording.known(), 3);
  recording.Call(Method::kPut, Put("b", "1"), Acked(4));
  recording.ControlEvents(true, {.key = "b", .mod = 5});  // it was the second that deleted a
  EXPECT_EQ(recording.known(), 5);
  recording.model().Finish();
  EXPECT_TRUE(recording.model().undecided().empty());
}

// What it may have done is known from what came: a range delete that follows the put deletes it.
TEST(Model, ControlWatchSettlesWhichBranchRan) {
  Recording recording;
  recording.Read(1);
  const Message compare = Message().Text(3, "b");
  const Message inner =
      Message().Nested(1, compare).Nested(2, Message().Nested(3, Range("a", "c")));
  const Message txn =
      Message().Nested(2, Message().Nested(2, Put("a", "1"))).Nested(2, Message().Nested(4, inner));
  recording.Fail(recording.Start(Method::kTxn, txn), StatusCode::kUnavailable);
  recording.Call(Method::kPut, Put("b", "1"), Acked(3));
  recording.ControlEvents(false, {.key = "a", .value = "1", .mod = 2});
  EXPECT_EQ(recording.known(), 3);
  ASSERT_EQ(recording.timeline().changes(), 2u);
  EXPECT_FALSE(recording.timeline().change(0).deleted);
  EXPECT_EQ(recording.timeline().change(1).key, "b");
}

TEST(Model, ControlEventBeforeTheCallFails) {
  Recording recording;
  recording.Read(1);
  const Message txn = Message()
                          .Nested(2, Message().Nested(2, Put("a", "yes")))
                          .Nested(2, Message().Nested(2, Put("unseen", "yes")))
                          .Nested(3, Message().Nested(2, Put("a", "no")));
  const auto call = recording.Start(Method::kTxn, txn);
  recording.ControlEvents(false, {.key = "a", .value = "yes", .mod = 2});
  EXPECT_EQ(recording.known(), 1);
  recording.Fail(call, StatusCode::kCancelled);
  EXPECT_EQ(recording.known(), 2);
  EXPECT_EQ(recording.timeline().changes(), 2u);
}

Message PutOn(const std::string& key, std::int64_t lease) {
  return Put(key, "leased").Number(3, lease);
}
// Three keys on a lease, at revisions 2 to 4.
void PutThreeOnLease(Recording& recording, std::int64_t lease) {
  recording.Read(1);
  std::int64_t revision = 1;
  for (const char* key : {"a", "b", "c"}) {
    recording.Call(Method::kPut, PutOn(key, lease), Acked(++revision));
  }
}
std::vector<std::string> DeletedAt(const Recording& recording, std::int64_t revision) {
  std::vector<std::string> keys;
  for (std::uint32_t i = 0; i < recording.timeline().changes(); ++i) {
    const Change& change = recording.timeline().change(i);
    if (change.deleted && change.revision.value == revision) keys.emplace_back(change.key);
  }
  return keys;
}

TEST(Model, EndOfALeaseDeletesEveryKeyStillAttached) {
  Recording recording;
  recording.Grant(7);
  PutThreeOnLease(recording, 7);
  recording.Call(Method::kPut, PutOn("b", 8), Acked(5));  // to another lease
  recording.Call(Method::kPut, Put("d", "1"), Acked(7));
  EXPECT_EQ(recording.known(), 5);
  recording.ControlEvents(true, {.key = "c", .mod = 6});
  EXPECT_EQ(recording.known(), 7);
  EXPECT_THAT(DeletedAt(recording, 6), testing::ElementsAre("a", "c"));
  EXPECT_TRUE(recording.model().undecided().empty());
}

TEST(Model, FirstRequestToRevokeALeaseExplainsItsEnd) {
  Recording recording;
  recording.Grant(7);
  PutThreeOnLease(recording, 7);
  const auto first = recording.Start(Method::kLeaseRevoke, Message().Number(1, 7));
  recording.ControlEvents(true, {.key = "a", .mod = 5});
  recording.End(first, Acked(5));
  recording.Fail(recording.Start(Method::kLeaseRevoke, Message().Number(1, 7)),
                 StatusCode::kNotFound);
  recording.Call(Method::kPut, Put("d", "1"), Acked(6));
  ASSERT_EQ(recording.known(), 6);
  EXPECT_EQ(recording.timeline().change(3).written.value, 11U);
}

// It is understood once the control watch has shown it, and by then another request may be out.
TEST(Model, FirstRequestExplainsAnEndThatIsUnderstoodLater) {
  Recording recording;
  recording.Grant(7);
  PutThreeOnLease(recording, 7);
  const auto first = recording.Start(Method::kLeaseRevoke, Message().Number(1, 7));
  recording.End(first, Acked(5));
  recording.Start(Method::kLeaseRevoke, Message().Number(1, 7));
  recording.ControlEvents(true, {.key = "a", .mod = 5});
  recording.Call(Method::kPut, Put("d", "1"), Acked(6));
  ASSERT_EQ(recording.known(), 6);
  EXPECT_EQ(recording.timeline().change(3).written.value, 11U);
}

// It had ended before: that a client asked in vain, later, made nothing.
TEST(Model, ARequestThatFoundNoLeaseDoesNotExplainItsEnd) {
  Recording recording;
  recording.Grant(7);
  PutThreeOnLease(recording, 7);
  recording.Fail(recording.Start(Method::kLeaseRevoke, Message().Number(1, 7)),
                 StatusCode::kNotFound);
  recording.ControlEvents(true, {.key = "a", .mod = 5});
  recording.Call(Method::kPut, Put("d", "1"), Acked(6));
  ASSERT_EQ(recording.known(), 6);
  EXPECT_EQ(recording.timeline().change(3).written.value, 2U);
}

TEST(Model, LeaseEndsOneKeyAtATimeIfTheControlWatchSawThat) {
  Recording recording;
  recording.Grant(7);
  PutThreeOnLease(recording, 7);
  recording.model().ControlAsked(StreamId(2), {.key = "a", .range_end = "z", .start_revision = 2});
  recording.ControlEvents(true, {.key = "b", .mod = 5});
  EXPECT_EQ(recording.known(), 4) << "events of the other keys may still come";
  recording.ControlEvents(true, {.key = "a", .mod = 6});
  EXPECT_EQ(recording.known(), 5);
  recording.ControlEvents(true, {.key = "c", .mod = 7});
  EXPECT_EQ(recording.known(), 7);
  EXPECT_THAT(DeletedAt(recording, 5), testing::ElementsAre("b"));
  EXPECT_THAT(DeletedAt(recording, 6), testing::ElementsAre("a"));
  EXPECT_THAT(DeletedAt(recording, 7), testing::ElementsAre("c"));
  for (std::uint32_t i = 3; i < 6; ++i) EXPECT_EQ(recording.timeline().change(i).ended_lease, 7);
}

TEST(Model, MissingRevisionIsNoGapInADenseStore) {
  Recording recording;
  recording.Read(1);
  recording.model().ControlAsked(StreamId(2), {.key = "a", .range_end = "z", .start_revision = 2});
  recording.Call(Method::kPut, Put("a", "1"), Acked(3));
  recording.ControlEvents(false, {.key = "a", .value = "1", .mod = 3});
  recording.model().Finish();
  EXPECT_EQ(recording.known(), 1);
  EXPECT_EQ(recording.model().undecided().size(), 1u);
}

TEST(Model, ControlWatchRevealsGaps) {
  Recording recording(Revisions::kWithGaps);
  recording.Read(1);
  recording.Call(Method::kPut, Put("a", "1"), Acked(5));
  EXPECT_EQ(recording.known(), 1) << "there is no control watch";
  recording.model().ControlAsked(StreamId(2), {.key = "a", .range_end = "z", .start_revision = 2});
  EXPECT_EQ(recording.known(), 1) << "the control watch has received no later event";
  recording.ControlEvents(false, {.key = "a", .value = "1", .mod = 5});
  EXPECT_EQ(recording.known(), 5);
  // Two connections, of which the later one is answered first.
  const auto slow = recording.Start(Method::kPut, Put("b", "1"));
  recording.Call(Method::kPut, Put("a", "2"), Acked(9));
  recording.ControlEvents(false, {.key = "b", .value = "1", .mod = 7});
  recording.ControlEvents(false, {.key = "a", .value = "2", .mod = 9});
  EXPECT_EQ(recording.known(), 6);
  recording.End(slow, Acked(7));
  EXPECT_EQ(recording.known(), 9);
  recording.model().Finish();
  EXPECT_TRUE(recording.model().undecided().empty());
  EXPECT_EQ(recording.timeline().changes(), 3u);
}

TEST(Model, AcknowledgedWriteWithoutControlEventIsAContradiction) {
  Recording recording(Revisions::kWithGaps);
  recording.Read(1);
  recording.model().ControlAsked(StreamId(2), {.key = "a", .range_end = "z", .start_revision = 2});
  const auto slow = recording.Start(Method::kPut, Put("b", "1"));
  recording.Call(Method::kPut, Put("a", "1"), Acked(3));
  recording.ControlEvents(false, {.key = "a", .value = "1", .mod = 3});
  recording.End(slow, Acked(2));
  recording.model().Finish();
  EXPECT_THAT(
      recording.model().undecided(),
      testing::ElementsAre(testing::HasSubstr("answered with revision 2, which was taken")));
}

TEST(Model, OnlyLeasesOfTheRecordingExplainDeletes) {
  Recording recording;
  PutThreeOnLease(recording, 7);
  recording.ControlEvents(true, {.key = "a", .mod = 5});
  EXPECT_EQ(recording.known(), 4);
  recording.Start(Method::kLeaseRevoke, Message().Number(1, 7));
  recording.ControlEvents(true, {.key = "b", .mod = 5});
  EXPECT_THAT(DeletedAt(recording, 5), testing::ElementsAre("a", "b", "c"));
}

TEST(Model, DeleteUnderWayIsPreferredToTheEndOfALease) {
  Recording recording;
  recording.Grant(7);
  PutThreeOnLease(recording, 7);
  const auto call = recording.Start(Method::kDeleteRange, Range("b"));
  recording.ControlEvents(true, {.key = "b", .mod = 5});
  EXPECT_EQ(recording.known(), 4);
  recording.End(call, Acked(5).Number(2, 1));
  EXPECT_THAT(DeletedAt(recording, 5), testing::ElementsAre("b"));
  EXPECT_TRUE(recording.model().undecided().empty());
}

// A server that was paused carries out what its client gave up on long ago.
TEST(Model, AWriteThatTheEndOfALeaseMayHaveAnticipatedMayStillCome) {
  Recording recording;
  recording.Read(1);
  recording.Grant(7);
  recording.Call(Method::kPut, Put("a", "1").Number(3, 7), Acked(2));
  recording.Fail(recording.Start(Method::kDeleteRange, Range("a")), StatusCode::kUnavailable);
  recording.ControlEvents(true, {.key = "a", .mod = 3});
  EXPECT_EQ(recording.known(), 3);
  recording.Call(Method::kPut, Put("a", "2"), Acked(4));
  recording.ControlEvents(true, {.key = "a", .mod = 5});
  EXPECT_EQ(recording.known(), 5);
  recording.model().Finish();
  EXPECT_TRUE(recording.model().undecided().empty());
}

// An answer may be seconds behind the event of its write, as after a pause of the store.
TEST(Model, AWriteUnderWayIsPreferredToOneThatExplainsMoreThanWasSeen) {
  Recording recording;
  recording.Read(1);
  for (const char* key : {"a", "b"}) {
    recording.Call(Method::kPut, Put(key, "1"), Acked(recording.known() + 1));
  }
  recording.Fail(recording.Start(Method::kDeleteRange, Range("a", "c")),
                 StatusCode::kDeadlineExceeded);
  const auto call = recording.Start(Method::kDeleteRange, Range("a"));
  recording.ControlEvents(true, {.key = "a", .mod = 4});
  EXPECT_EQ(recording.known(), 3);
  recording.End(call, Acked(4).Number(2, 1));
  EXPECT_THAT(DeletedAt(recording, 4), testing::ElementsAre("a"));
  EXPECT_TRUE(recording.model().undecided().empty());
}

TEST(Model, PartialEndOfALeaseStaysUndecided) {
  Recording recording;
  recording.Grant(7);
  PutThreeOnLease(recording, 7);
  recording.ControlEvents(true, {.key = "a", .mod = 5});
  recording.ControlEvents(true, {.key = "b", .mod = 6});
  recording.Call(Method::kPut, Put("d", "1"), Acked(7));
  recording.model().Finish();
  EXPECT_EQ(recording.known(), 5);
  EXPECT_THAT(
      recording.model().undecided(),
      testing::ElementsAre(testing::HasSubstr("no write in this recording made revision 6")));
}

TEST(Model, TwoClaimsToOneRevisionAreAContradiction) {
  Recording recording;
  recording.Read(1);
  recording.Call(Method::kPut, Put("a", "1"), Acked(2));
  recording.Call(Method::kPut, Put("b", "1"), Acked(2));
  ASSERT_EQ(recording.model().undecided().size(), 1u);
  EXPECT_THAT(recording.model().undecided()[0], testing::HasSubstr("revision 2, which was taken"));
}

TEST(Model, AWrongCountOfDeletedKeysIsAContradiction) {
  Recording recording;
  recording.Read(1);
  recording.Call(Method::kPut, Put("a", "1"), Acked(2));
  recording.Call(Method::kDeleteRange, Range("a", "z"), Acked(3).Number(2, 2));
  EXPECT_EQ(recording.model().undecided().size(), 1u);
}

TEST(Model, KeysFromBeforeTheRecordingMayBeDeleted) {
  Recording recording;
  recording.Read(10);
  recording.Call(Method::kPut, Put("a", "1"), Acked(11));
  recording.Call(Method::kDeleteRange, Range("a", "z"), Acked(12).Number(2, 2));
  EXPECT_TRUE(recording.model().undecided().empty());
  EXPECT_TRUE(recording.timeline().partly_known(Revision(12)));
  EXPECT_FALSE(recording.timeline().change(0).lineage_known);
  recording.Call(Method::kPut, Put("a", "2"), Acked(13));
  EXPECT_TRUE(recording.timeline().change(2).lineage_known);
}

TEST(Model, KeepsTheValueWhenAskedTo) {
  Recording recording;
  recording.Read(1);
  recording.Call(Method::kPut, Put("a", "1"), Acked(2));
  recording.Call(Method::kPut, Message().Text(1, "a").Number(5, 1), Acked(3));
  EXPECT_EQ(recording.timeline().change(1).value, "1");
  EXPECT_EQ(recording.timeline().change(1).version, 2);
  EXPECT_EQ(recording.timeline().change(1).previous, 0u);
}

TEST(Model, RequestedAndAcknowledgedCompactionsDiffer) {
  Recording recording;
  const auto a = recording.Start(Method::kCompact, Message().Number(1, 5));
  EXPECT_EQ(recording.model().calls().compaction_requested(), Revision(5));
  EXPECT_EQ(recording.model().calls().compaction_acknowledged(), Revision(0));
  recording.End(a, Acked(9));
  EXPECT_EQ(recording.model().calls().compaction_acknowledged(), Revision(5));
  recording.Fail(recording.Start(Method::kCompact, Message().Number(1, 99)),
                 StatusCode::kOutOfRange);
  EXPECT_EQ(recording.model().calls().compaction_requested(), Revision(5));
  recording.Fail(recording.Start(Method::kCompact, Message().Number(1, 7)),
                 StatusCode::kUnavailable);
  EXPECT_EQ(recording.model().calls().compaction_requested(), Revision(7));
  EXPECT_EQ(recording.model().calls().compaction_acknowledged(), Revision(5));
}

// What was put, deleted and added since the snapshot is undone; a write without an answer is lost.
TEST(Model, FollowsAStoreThatIsRestored) {
  Recording recording;
  recording.Read(1);
  recording.Call(Method::kPut, Put("a", "1"), Acked(2));
  recording.Call(Method::kPut, Put("b", "1"), Acked(3));
  recording.Call(Method::kPut, Put("a", "2"), Acked(4));
  recording.Call(Method::kDeleteRange, Range("b"), Acked(5).Number(2, 1));
  recording.Call(Method::kPut, Put("c", "1"), Acked(6));
  recording.Start(Method::kPut, Put("d", "1"));
  recording.model().Restored(Revision(3), Revision(1003));
  EXPECT_EQ(recording.model().calls().compaction_acknowledged(), Revision(1003));
  recording.Call(Method::kPut, Put("a", "3"), Acked(1004));
  recording.Call(Method::kPut, Put("c", "2"), Acked(1005));
  recording.Call(Method::kDeleteRange, Range("a", "z"), Acked(1006).Number(2, 3));
  recording.model().Finish();
  EXPECT_THAT(recording.model().undecided(), testing::IsEmpty());
  const Change& over = recording.timeline().change(5);
  EXPECT_EQ(over.create_revision, Revision(2));
  EXPECT_EQ(over.version, 2);
  EXPECT_EQ(recording.timeline().change(6).version, 1) << "it was not there";
}

TEST(Model, ARestoredStateThatIsNotKnownIsLeftOpen) {
  Recording recording;
  recording.Read(1);
  recording.Call(Method::kPut, Put("a", "1"), Acked(3));
  recording.model().Restored(Revision(3), Revision(1003));
  EXPECT_THAT(recording.model().undecided(),
              testing::Contains(testing::HasSubstr("the state at revision 3, which was restored")));
}

// The simplest possible store, written independently of the model.
class NaiveStore {
 public:
  struct Item {
    std::int64_t revision;
    bool deleted;
    KeyValueFields kv;
  };
  const std::vector<Item>& log() const { return log_; }
  std::int64_t revision() const { return revision_; }

  void Put(const std::string& key, const std::string& value) {
    KeyValueFields& kv = live_[key];
    kv.create = kv.version == 0 ? revision_ + 1 : kv.create;
    kv = {.key = key,
          .value = value,
          .create = kv.create,
          .mod = revision_ + 1,
          .version = kv.version + 1};
    log_.push_back({revision_ + 1, false, kv});
    dirty_ = true;
  }
  std::int64_t Delete(const std::string& from, const std::string& to) {
    std::int64_t count = 0;
    for (auto it = live_.begin(); it != live_.end();) {
      if (it->first < from || it->first >= to) {
        ++it;
        continue;
      }
      log_.push_back({revision_ + 1, true, {.key = it->first, .mod = revision_ + 1}});
      it = live_.erase(it);
      ++count;
    }
    dirty_ = dirty_ || count > 0;
    return count;
  }
  std::int64_t Commit() {
    revision_ += dirty_ ? 1 : 0;
    dirty_ = false;
    return revision_;
  }

 private:
  std::int64_t revision_ = 1;
  bool dirty_ = false;
  std::map<std::string, KeyValueFields> live_;
  std::vector<Item> log_;
};

// One random write against the store: its request and answer.
struct Written {
  Method method;
  Message request;
  Message response;
};
Written RandomWrite(NaiveStore& store, Prng& prng) {
  const auto key = [&prng] { return "k" + std::to_string(prng.Below(8)); };
  const std::string from = key();
  const std::string to = key() + "~";
  if (prng.Chance(0.5)) {
    const std::string value = prng.Word(5);
    store.Put(from, value);
    return {Method::kPut, Put(from, value), Acked(store.Commit())};
  }
  if (prng.Chance(0.5)) {
    const std::int64_t count = store.Delete(from, to);
    return {Method::kDeleteRange, Range(from, to), Acked(store.Commit()).Number(2, count)};
  }
  const bool succeeded = prng.Chance(0.5);
  Message request;
  Message answers;
  const std::uint32_t branch = succeeded ? 2 : 3;
  request.Nested(5 - branch, Message().Nested(2, Put("never", "run")));
  for (const char* name : {"t1", "t2"}) {
    const std::string value = prng.Word(5);
    store.Put(name, value);
    request.Nested(branch, Message().Nested(2, Put(name, value)));
    answers.Nested(3, Message().Nested(2, Message()));
  }
  const std::int64_t count = store.Delete("k0", "k4");
  request.Nested(branch, Message().Nested(3, Range("k0", "k4")));
  answers.Nested(3, Message().Nested(3, Message().Number(2, count)));
  const Message response = Acked(store.Commit()).Number(2, succeeded ? 1 : 0);
  return {Method::kTxn, request, Message().Raw(response.bytes()).Raw(answers.bytes())};
}

// The changes that are not forgotten.
void ExpectSame(const Timeline& timeline, const ExpectedList& expected,
                const std::vector<NaiveStore::Item>& log) {
  ASSERT_EQ(expected.size(), log.size());
  for (std::uint32_t i = expected.first(); i < log.size(); ++i) {
    const Change& change = timeline.change(expected[i].change);
    EXPECT_EQ(change.revision.value, log[i].revision);
    EXPECT_EQ(expected[i].revision.value, log[i].revision);
    EXPECT_EQ(change.deleted, log[i].deleted);
    EXPECT_EQ(change.key, log[i].kv.key);
    EXPECT_EQ(change.value, log[i].kv.value);
    EXPECT_EQ(change.version, log[i].kv.version);
    EXPECT_EQ(change.create_revision.value, log[i].kv.create);
    const auto same = [&](const auto& item) { return item.revision == log[i].revision; };
    EXPECT_EQ(expected[i].run_size, std::count_if(log.begin(), log.end(), same));
    EXPECT_EQ(log[expected[i].run_begin].revision, log[i].revision);
    if (expected[i].run_begin > 0) {
      EXPECT_LT(log[expected[i].run_begin - 1].revision, log[i].revision);
    }
  }
}

class Replay : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Model, Replay, testing::Bool(), [](const auto& row) {
  return row.param ? "Forgetful" : "WithAGoodMemory";
});

TEST_P(Replay, AgreesWithANaiveStoreForAnyOrderOfAnswers) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Prng prng(seed);
    NaiveStore store;
    Recording recording;
    recording.Read(1);
    const RangeId early = recording.model().timeline().Track({.range = kEverything});
    std::vector<std::pair<std::uint32_t, Message>> out;
    for (int i = 0; i < 100; ++i) {
      const Written write = RandomWrite(store, prng);
      out.emplace_back(recording.Start(write.method, write.request), write.response);
      if (out.size() < 5) continue;
      prng.Shuffle(out);
      recording.End(out.back().first, out.back().second);
      out.pop_back();
      if (!GetParam() || prng.Chance(0.8)) continue;
      recording.model().timeline().Forget(Revision(prng.Between(1, recording.known() + 1)));
    }
    for (const auto& [call, response] : out) recording.End(call, response);
    EXPECT_TRUE(recording.model().undecided().empty());
    EXPECT_EQ(recording.known(), store.revision());
    ExpectSame(recording.timeline(), recording.timeline().expected(early), store.log());

    std::vector<NaiveStore::Item> some;
    const Revision forgotten = recording.timeline().forgotten();
    EXPECT_EQ(forgotten.value > 0, GetParam());
    for (const auto& item : store.log()) {
      if (item.revision < forgotten.value) continue;
      if (item.deleted && item.kv.key >= "k2" && item.kv.key < "k5") some.push_back(item);
    }
    const RangeId late =
        recording.model().timeline().Track({.range = KeyRange("k2", "k5"), .puts = false});
    ExpectSame(recording.timeline(), recording.timeline().expected(late), some);
  }
}

TEST(KeyRange, MatchesTheMeaningInEtcd) {
  const std::string zero(1, '\0');
  EXPECT_TRUE(KeyRange("a", "").Contains("a"));
  EXPECT_FALSE(KeyRange("a", "").Contains("aa"));
  EXPECT_TRUE(KeyRange("a", "c").Contains("bzz"));
  EXPECT_FALSE(KeyRange("a", "c").Contains("c"));
  EXPECT_TRUE(KeyRange("b", zero).Contains("z"));
  EXPECT_FALSE(KeyRange("b", zero).Contains("a"));
  EXPECT_TRUE(KeyRange("", zero).Contains(zero));
  EXPECT_EQ(KeyRange("", zero), KeyRange(zero, zero));
  EXPECT_TRUE(KeyRange("c", "a").empty());
  EXPECT_TRUE(KeyRange("a", "a").empty());
  EXPECT_FALSE(KeyRange("a", zero).empty());
}

}  // namespace
}  // namespace watchproof
