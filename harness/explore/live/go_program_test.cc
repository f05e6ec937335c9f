// SPDX-License-Identifier: Apache-2.0
#include "harness/explore/live/go_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/checkers/testing/script.h"
#include "harness/explore/live/go_requests.h"
#include "harness/history/requests.h"

namespace watchproof::explore {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Recording = watchproof::Script;

// What it does about the finding of that guarantee.
std::string MainOf(const Recording& recording, const char* guarantee) {
  for (const Finding& finding : recording.Judge().findings) {
    if (finding.guarantee != Guarantee(guarantee)) continue;
    const std::string program =
        GoProgram(recording.lines(), finding, SoughtOf(recording.lines(), finding));
    const std::size_t begin = program.find("func main");
    return program.substr(begin, program.find("\n}\n") - begin);
  }
  return "no such finding";
}

TEST(GoProgramTest, AWrongMessageIsLookedForAfterAllThatItsWatchReceived) {
  Recording recording;
  recording.Put("k", "v", 2).Watch("k", 2).Created(0, 2).Deliver(0, {{2, "k"}});
  recording.Put("other", "w", 3).Deliver(0, {{2, "k"}}).Put("late", "x", 4);
  EXPECT_THAT(MainOf(recording, "Unique"),
              AllOf(HasSubstr("open(1, ctx)"),
                    HasSubstr(R"(show(kv.Put(ctx, &pb.PutRequest{Key: []byte("k"), )"
                              R"(Value: []byte("v")})))"),
                    HasSubstr(R"(create(1, &pb.WatchCreateRequest{Key: []byte("k"), )"
                              R"(StartRevision: 2, ProgressNotify: true}))"),
                    HasSubstr("await(1, 2)\n\tshow(kv.Put(ctx, &pb.PutRequest{Key: []byte(\"other"),
                    HasSubstr("end(came(1, ofWatch(0),\n\t\t\"watch 0: created\",\n\t\t\"watch 0: "
                              "put \\\"k\\\" = \\\"v\\\" (create 2, mod 2, version 1, lease "
                              "0)\",\n\t\t"),
                    // What was sent after it is left out.
                    Not(HasSubstr("\"late\""))));
}

TEST(GoProgramTest, ProgressCountsWhereTheFindingIsAboutIt) {
  Recording recording;
  recording.Put("k", "v", 2).Watch("k", 2).Created(0, 2).AskProgress().Progress(0, 2);
  recording.Progress(0, 1);
  EXPECT_THAT(MainOf(recording, "Bookmarkable"),
              HasSubstr("\"watch 0: created\",\n\t\t\"watch 0: progress 2\",\n\t\t\"watch 0: "
                        "progress 1\"), "));
  recording = Recording();
  recording.Put("k", "v", 2).Watch("k", 2).Created(0, 2).AskProgress().Progress(0, 2);
  recording.Deliver(0, {{2, "k"}});
  EXPECT_THAT(MainOf(recording, "Bookmarkable"),
              HasSubstr("\"watch 0: progress 2\",\n\t\t\"watch 0: put"));
}

TEST(GoProgramTest, ARefusalIsLookedForAfterTheEndsThatFreeIds) {
  Recording recording;
  recording.Watch("k", 0, {.id = 7}).Created(7).Cancel(7).Cancelled(7);
  recording.Watch("k", 0, {.id = 7}).Refused(-1, "in use");
  EXPECT_THAT(MainOf(recording, "Settled"),
              HasSubstr("end(came(1, isBound,\n\t\t\"watch 7: created\",\n\t\t\"watch 7: canceled, "
                        "compact revision 0: \",\n\t\t\"watch -1: created, but canceled, compact "
                        "revision 0: in use, header 1\"), "));
}

TEST(GoProgramTest, AWatchIsThatOfItsCreation) {
  Recording recording;
  recording.Put("k", "v", 2).Watch("k", 2).Refused(-1, "none").Watch("k", 2).Created(0, 2);
  recording.Deliver(0, {{2, "k"}}).Deliver(0, {{2, "k"}});
  EXPECT_THAT(MainOf(recording, "Unique"), HasSubstr("isOf(1, 2, 0)\n\tend(came(1, ofWatch(0),"));
}

TEST(GoProgramTest, WhatDoesNotComeIsWaitedFor) {
  Recording recording;
  recording.Put("k", "v", 2).Watch("k", 2).Created(0, 2).Deliver(0, {{2, "k"}}).Cancel(0);
  EXPECT_THAT(MainOf(recording, "Settled"),
              AllOf(HasSubstr("cancel(1, 0)\n"), HasSubstr("end(only(1, endOf(0)), ")));
  recording = Recording();
  recording.Watch("k", 2).Put("k", "v", 2);
  EXPECT_THAT(MainOf(recording, "Settled"), HasSubstr("end(only(1, isCreation), "));
  recording = Recording();
  recording.Watch("k", 2).Created(0).Put("k", "v", 2);
  EXPECT_THAT(MainOf(recording, "Settled"),
              HasSubstr("end(only(1, linesOf(0),\n\t\t\"watch 0: created\"), "));
}

TEST(GoProgramTest, MissingProgressIsCountedFromWhereItWasDue) {
  Recording recording;
  recording.Put("k", "v", 2).Watch("k", 2).Created(0, 2).Deliver(0, {{2, "k"}});
  recording.Annotate(ProgressDue{.stream = StreamId(1), .asked = true, .limit_ms = 1});
  recording.AskProgress().Pause(1s).Annotate(ProgressOver{StreamId(1)});
  EXPECT_THAT(MainOf(recording, "Bookmarkable"),
              AllOf(HasSubstr("await(1, 2)\n\tbefore := soFar(1, progressFrom(2))\n\t"
                              "askProgress(1)\n"),
                    HasSubstr("end(noMore(1, before, progressFrom(2)), ")));
}

TEST(GoProgramTest, AnAnswerThatDiffersIsThatOfTheLastCall) {
  Recording recording;
  recording.ReadRefusedAt(1).Annotate(AnswerDiffers{.expected = "an answer"});
  EXPECT_THAT(MainOf(recording, "Answered"), HasSubstr("end(lastAnswer == \"error 11: "));
}

TEST(GoProgramTest, AServerThatEndedAnswersNothing) {
  Recording recording;
  recording.Annotate(TargetEnded{.how = "was killed"}).Put("k", "v", 2);
  EXPECT_THAT(MainOf(recording, "Available"),
              AllOf(HasSubstr("end(!alive(), "), Not(HasSubstr("kv.Put"))));
}

TEST(GoProgramTest, TheClientStopsClosesAndAsksThePersonAsInTheRecording) {
  Recording recording(5);
  recording.Watch("k", 6).Created(0, 5);
  recording.Annotate(ClientAsks{.client = "script 1", .text = "the leases"});
  recording.Annotate(ReadingLimited{StreamId(1), 2}).Put("k", "v", 6).Deliver(0, {{6, "k"}});
  recording.Pause(250ms);
  recording.Armed("kill", "every").Pause(3s).Healed("kill").Annotate(ClosingStream{StreamId(1)});
  recording.On(2, "control").On(3).Annotate(ReadRight{StreamId(3), {"a"}, {"b"}});
  recording.On(4).Closed(StatusCode::kUnavailable);
  const std::string program = MainOf(recording, "Settled");
  EXPECT_THAT(program, AllOf(HasSubstr("\tfill(5)\n"), HasSubstr("// Asked at the end of every "),
                             HasSubstr("allow(1, 2)"), HasSubstr("time.Sleep(25"),
                             HasSubstr("\trestart()\n\tcloseStream(1)")));
  EXPECT_THAT(program, AllOf(HasSubstr("permit(\"a\", \"b\")\n\topen(3, asReader)"),
                             HasSubstr("enableUsers()"), Not(HasSubstr("open(2")),
                             HasSubstr("end(ended(4, 14), ")));
}

TEST(GoProgramTest, RequestsInARowThatAreAlikeAreALoop) {
  Recording recording;
  for (int i = 0; i < 5; ++i) recording.AskProgress();
  recording.Closed(StatusCode::kUnavailable);
  EXPECT_THAT(MainOf(recording, "Settled"),
              HasSubstr("for i := 0; i < 5; i++ {\n\t\taskProgress(1)\n\t}\n"));
}

TEST(GoProgramTest, ThePromiseIsTheLastBeforeTheFinding) {
  Recording recording;
  recording.Put("k", "v", 2).Watch("k", 2).Created(0, 2);
  recording.Annotate(ClientAsks{.client = "script 1", .text = "delivery"}).Deliver(0, {{2, "k"}});
  recording.Deliver(0, {{2, "k"}}).Annotate(ClientAsks{.client = "script 1", .text = "leases"});
  const std::vector<Finding> findings = recording.Judge().findings;
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(PromiseAskedFor(recording.lines(), SoughtOf(recording.lines(), findings.front())),
            "delivery");
  recording.Annotate(StageReached{Stage::kHealed}).Closed(StatusCode::kUnavailable);
  const std::vector<Finding> later = recording.Judge().findings;
  const auto ended = std::ranges::find(later, Guarantee("Settled"), &Finding::guarantee);
  ASSERT_NE(ended, later.end());
  EXPECT_EQ(PromiseAskedFor(recording.lines(), SoughtOf(recording.lines(), *ended)),
            "a last write, of another key");
}

TEST(GoRequestsTest, EveryPartOfATransactionIsWritten) {
  const TxnRequest nested{.success = {DeleteRequest{.key = "d", .previous = true}}};
  const TxnRequest txn{
      .compares = {{.key = "a", .target = CompareTarget::kMod, .number = 7}},
      .success = {PutRequest{.key = std::string("a\0\"", 3), .lease = 3}, nested},
      .failure = {ReadRequest{.key = "a", .range_end = "b", .limit = 2, .count_only = true}}};
  EXPECT_EQ(GoStatement(Method::kTxn, ToMessage(txn).bytes()),
            R"(show(kv.Txn(ctx, &pb.TxnRequest{Compare: []*pb.Compare{&pb.Compare{)"
            R"(Key: []byte("a"), Target: pb.Compare_CompareTarget(2), )"
            R"(Result: pb.Compare_CompareResult(0), )"
            R"(TargetUnion: &pb.Compare_ModRevision{ModRevision: 7}}}, )"
            R"(Success: []*pb.RequestOp{{Request: &pb.RequestOp_RequestPut{RequestPut: )"
            R"(&pb.PutRequest{Key: []byte("a\x00\""), Lease: 3}}}, )"
            R"({Request: &pb.RequestOp_RequestTxn{RequestTxn: &pb.TxnRequest{)"
            R"(Success: []*pb.RequestOp{{Request: &pb.RequestOp_RequestDeleteRange{)"
            R"(RequestDeleteRange: &pb.DeleteRangeRequest{Key: []byte("d"), PrevKv: true}}}})"
            R"(}}}}, Failure: []*pb.RequestOp{{Request: &pb.RequestOp_RequestRange{)"
            R"(RequestRange: &pb.RangeRequest{Key: []byte("a"), RangeEnd: []byte("b"), )"
            R"(Limit: 2, CountOnly: true}}}}})))");
}

TEST(GoRequestsTest, LeasesAndLongValuesAreWritten) {
  EXPECT_EQ(GoStatement(Method::kLeaseGrant, GrantOf(7, 60).bytes()),
            "show(lease.LeaseGrant(ctx, &pb.LeaseGrantRequest{ID: 7, TTL: 60}))");
  EXPECT_EQ(GoStatement(Method::kLeaseKeepAlive, LeaseOf(7).bytes()),
            "show(keepAlive(&pb.LeaseKeepAliveRequest{ID: 7}))");
  EXPECT_EQ(GoStatement(Method::kLeaseTimeToLive, TimeToLiveOf(7).bytes()),
            "show(lease.LeaseTimeToLive(ctx, &pb.LeaseTimeToLiveRequest{ID: 7, Keys: true}))");
  EXPECT_EQ(GoString("v1" + std::string(100, '.')), R"("v1" + strings.Repeat(".", 100))");
  EXPECT_EQ(GoString(std::string(100, '.')), R"(strings.Repeat(".", 100))");
}

}  // namespace
}  // namespace watchproof::explore
