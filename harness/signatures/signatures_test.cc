// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "harness/bugs/answer_key.h"
#include "harness/checkers/testing/call_script.h"
#include "harness/checkers/testing/script.h"
#include "harness/history/history_parser.h"
#include "harness/history/requests.h"
#include "harness/signatures/signature.h"

namespace watchproof {
namespace {

// The signature of the first finding of the guarantee.
std::string SignatureOf(Guarantee guarantee, const Script& script,
                        const JudgeOptions& options = {}) {
  for (const Finding& finding : script.Judge(options).findings) {
    if (finding.guarantee == guarantee) return finding.signature;
  }
  return "not found";
}

// So many messages that the queue of the stream may have been full: of a watch of its own.
constexpr int kQueue = 128;
Script& FillQueue(Script& script, std::int64_t id, std::int64_t first) {
  for (int i = 0; i < kQueue; ++i) script.Put("noise", "v", first + i);
  for (int i = 0; i < kQueue; ++i) script.Deliver(id, {{first + i, "noise"}});
  return script;
}

TEST(Signatures, AreThoseOfTheAnswerKey) {
  std::set<std::string_view> registered;
  for (const RankedSignature& one : Signatures()) registered.insert(one.name);
  std::vector<std::string_view> known;
  for (const auto& [name, signature] : AnswerKey::BuiltIn().signatures()) known.push_back(name);
  EXPECT_THAT(registered, testing::ElementsAreArray(known));
}

TEST(Signature, OfALostDeleteDependsOnItsRevision) {
  const auto lost = [](bool compacted) {
    Script script;
    script.Put("k", "a", 2).Delete("k", 3);
    if (compacted) script.Compact(3);
    script.Watch("k", 3).Created(0, 3).Put("k", "b", 4).Deliver(0, {{4, "k"}});
    return SignatureOf(Guarantee("Reliable"), script);
  };
  EXPECT_EQ(lost(true), "delete-at-the-floor");
  EXPECT_EQ(lost(false), "");
}

TEST(Signature, OfALossBesideANegativeStart) {
  EXPECT_EQ(SignatureOf(Guarantee("Reliable"), Script()
                                                   .Put("k", "a", 2)
                                                   .Put("k", "b", 3)
                                                   .Watch("k", 2)
                                                   .Watch("k", -1)
                                                   .Created(0, 3)
                                                   .Created(1, 3)
                                                   .Deliver(0, {{3, "k"}})),
            "negative-start");
}

// What is written before the server has caught up with it.
TEST(Signature, OfALossOfAWatchWithANegativeStart) {
  Script script = Script().Put("k", "a", 2).Watch("k", -1).Created(0, 2).Put("k", "b", 3);
  EXPECT_EQ(
      SignatureOf(Guarantee("Reliable"), Script(script).Put("k", "c", 4).Deliver(0, {{4, "k"}})),
      "negative-start");
  EXPECT_EQ(SignatureOf(Guarantee("Reliable"), Script(script).Progress(0, 3)), "negative-start");
}

TEST(Signature, OfProgressThatNamesNoRevision) {
  const auto signature = [](std::int64_t start) {
    return SignatureOf(Guarantee("Bookmarkable"),
                       Script().Put("k", "a", 2).Watch("k", start).Created(0, 2).Progress(0, 0));
  };
  EXPECT_EQ(signature(-1), "negative-start");
  EXPECT_EQ(signature(3), "");
}

TEST(Signature, OfAWatchWithTheIdOfTheWholeStream) {
  Script script = Script().Put("k", "a", 2).Watch("k", 2).Watch("k", 2, {.id = -1}).Created(0, 2);
  EXPECT_EQ(SignatureOf(Guarantee("Isolated"), Script(script).Created(-1, 2)), "id-of-minus-one");
  EXPECT_EQ(SignatureOf(Guarantee("Bookmarkable"), script.Progress(-1, 2).Deliver(0, {{2, "k"}})),
            "id-of-minus-one")
      << "as progress that is meant for that watch passes for that of all";
  Script early = Script().Put("k", "a", 2).Watch("k", 2, {.id = -1}).Deliver(-1, {{2, "k"}});
  EXPECT_EQ(SignatureOf(Guarantee("Isolated"), early), "id-of-minus-one")
      << "as events of that watch do not wait for its created response";
  const auto silenced = [](bool refused, bool ended = false) {
    Script other = Script().Watch("k", 2, {.id = -1});
    if (ended) other.Compacted(-1, 3);
    other.Created(-1).Watch("k", 2).Created(0);
    if (refused) other.Watch("k", 2, {.id = -1}).Refused(-1, "it is in use");
    other.Annotate(DeliveryDue{
        .group = "g", .streams = {1, 1}, .ordinals = {0, 1}, .through = 2, .limit_ms = 1000});
    other.Put("k", "a", 2).Deliver(0, {{2, "k"}}).Pause(2s);
    other.Annotate(DeliveryOver{.group = "g"});
    // Its id is the first finding, and what is named like that is one with it.
    return std::ranges::count(other.Judge().findings, Guarantee("Isolated"), &Finding::guarantee);
  };
  EXPECT_EQ(silenced(true), 1);
  EXPECT_EQ(silenced(false, true), 1) << "its end does not wait for its created response either";
  EXPECT_EQ(silenced(false), 2);
}

TEST(Signature, OfAResumptionBesideANegativeStart) {
  Script script = Script().Put("k", "a", 2).Watch("k", 2).Created(0, 2).Deliver(0, {{2, "k"}});
  script.Annotate(ClosingStream{StreamId(1)}).Closed(StatusCode::kUnavailable);
  script.Put("k", "b", 3).Put("k", "c", 4).On(2);
  script.Annotate(Resumption{StreamId(1), 0, StreamId(2), 0}).Watch("k", 3).Watch("j", -1);
  script.Created(0, 4).Created(1, 4).Deliver(0, {{4, "k"}});
  EXPECT_EQ(SignatureOf(Guarantee("Resumable"), script), "negative-start");
}

TEST(Signature, OfAResumptionAtAMemberThatIsBehind) {
  const auto signature = [](std::int64_t revision_of_member, bool parted) {
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Watch("k", 2).Created(0, 3);
    if (parted) script.Armed("isolate", "none", true).Healed("isolate");
    script.Deliver(0, {{2, "k"}, {3, "k"}}).Annotate(ClosingStream{StreamId(1)});
    script.Closed(StatusCode::kUnavailable).On(2);
    script.Annotate(Resumption{StreamId(1), 0, StreamId(2), 0}).Watch("k", 4);
    script.Created(0, revision_of_member).Deliver(0, {{3, "k"}});
    return SignatureOf(Guarantee("Resumable"), script);
  };
  EXPECT_EQ(signature(1, true), "events-below-start");
  EXPECT_EQ(signature(1, false), "") << "no member can have been sent a snapshot";
  EXPECT_EQ(signature(4, true), "");
}

// The watch has received nothing up to the compaction: only the progress says so.
TEST(Signature, OfANoticeBelowProgressThatWasAskedForEarlier) {
  Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Put("k", "c", 4).Watch("j", 0);
  script.Created(0, 4).AskProgress().Watch("k", 2).Created(1, 4).Progress(-1, 4).Compact(3);
  script.Put("k", "d", 5).Put("k", "e", 6).Compact(6);
  EXPECT_EQ(SignatureOf(Guarantee("CompactionSurfaced"), script.Compacted(1, 3)),
            "progress-for-a-later-watch");
}

TEST(Signature, OfACompactedLossBesideANegativeStart) {
  const auto signature = [](bool beside) {
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Watch("k", 2).Created(0, 3);
    if (beside) script.Watch("j", -1).Created(1, 3);
    script.Compact(4).Put("k", "c", 4).Put("k", "d", 5).Deliver(0, {{4, "k"}, {5, "k"}});
    return SignatureOf(Guarantee("CompactionSurfaced"), script);
  };
  EXPECT_EQ(signature(true), "negative-start");
  EXPECT_EQ(signature(false), "") << "the queue cannot have been full";
}

// The watch with the negative start has caught up before the change was written.
TEST(Signature, OfALossLongAfterANegativeStart) {
  const auto signature = [](bool caught_up) {
    Script script = Script().Put("k", "a", 2).Watch("j", -1).Created(0, 2).Watch("k", 2);
    script.Created(1, 2).Deliver(1, {{2, "k"}});
    if (caught_up) script.Put("j", "a", 3).Deliver(0, {{3, "j"}});
    const int next = caught_up ? 4 : 3;
    script.Put("k", "b", next).Put("k", "c", next + 1).Deliver(1, {{next + 1, "k"}});
    return SignatureOf(Guarantee("Reliable"), script);
  };
  EXPECT_EQ(signature(false), "negative-start");
  EXPECT_EQ(signature(true), "");
}

TEST(Signature, OfSilenceBelowTheFloorDependsOnTheQueue) {
  const auto signature = [](bool full) {
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Compact(3).Watch("noise", 0);
    script.Created(0, 3).Watch("k", 2).Created(1, 3);
    if (full) FillQueue(script, 0, 4);
    return SignatureOf(Guarantee("CompactionSurfaced"), script);
  };
  EXPECT_EQ(signature(true), "silent-after-compaction");
  EXPECT_EQ(signature(false), "");
}

// Among many lost changes the one that nothing explains counts.
TEST(Signature, OfSeveralLostChangesIsThatOfAll) {
  const auto signature = [](bool more) {
    Script script = Script().Put("k", "a", 2).Delete("k", 3).Put("k", "b", 4).Put("k", "c", 5);
    script.Compact(3).Watch("k", 3).Created(0, 5);
    if (!more) script.Deliver(0, {{4, "k"}});
    return SignatureOf(Guarantee("Reliable"), script.Deliver(0, {{5, "k"}}));
  };
  EXPECT_EQ(signature(false), "delete-at-the-floor");
  EXPECT_EQ(signature(true), "");
}

// One that looks like a known bug does not hide those that follow.
TEST(Signature, OfTheFirstFindingOfAWatchIsNotThatOfTheNext) {
  Script script = Script().Watch("a", 0, {.id = 7}).Created(7, 1).Put("a", "v", 2);
  script.Put("c", "v", 3).Cancel(7).Cancelled(7).Watch("b", 0, {.id = 7}).Created(7, 3);
  script.Deliver(7, {{2, "a"}}).Deliver(7, {{3, "c"}});
  std::vector<std::string> signatures;
  for (const Finding& finding : script.Judge().findings) {
    if (finding.guarantee == Guarantee("Filtered")) signatures.push_back(finding.signature);
  }
  EXPECT_THAT(signatures, testing::UnorderedElementsAre("events-of-former-watch", ""));
}

// The server gives out an id again that it had chosen itself: what comes to the next watch of the
// id is not what the client brought about.
TEST(Signature, OfEventsOfTheFormerWatchWhereTheServerChoseItsIdAgain) {
  const auto signature = [](std::int64_t chosen) {
    Script script = Script().Watch("a", 0).Created(1, 1).Put("a", "v", 2).Cancel(1).Cancelled(1);
    script.Watch("b", 0, {.id = chosen}).Created(1, 2);
    return SignatureOf(Guarantee("Filtered"), script.Deliver(1, {{2, "a"}}));
  };
  EXPECT_EQ(signature(1), "events-of-former-watch");
  EXPECT_EQ(signature(0), "");
}

TEST(Signature, OfAnEventBelowTheStartThatTheFormerWatchWaitedFor) {
  const auto signature = [](std::int64_t id) {
    Script script = Script().Armed("isolate", "none", true).Healed("isolate");
    script.Watch("a", 0, {.id = 7}).Created(7, 1).Put("a", "v", 2).Cancel(7).Cancelled(7);
    script.Watch("a", 9, {.id = id}).Created(id, 2).Deliver(id, {{2, "a"}});
    return SignatureOf(Guarantee("Reliable"), script);
  };
  EXPECT_EQ(signature(7), "events-of-former-watch");
  EXPECT_EQ(signature(8), "events-below-start");
}

// It was written when there was no former watch any more, or had been delivered to it.
TEST(Signature, OfEventsThatTheFormerWatchDidNotWaitFor) {
  const auto signature = [](bool delivered, std::int64_t header) {
    Script script = Script().Watch("a", 0, {.id = 7}).Created(7, 1).Put("a", "v", 2);
    if (delivered) script.Deliver(7, {{2, "a"}});
    script.Cancel(7).Cancelled(7).Watch("b", 0, {.id = 7}).Created(7, header);
    return SignatureOf(Guarantee("Filtered"), script.Deliver(7, {{2, "a"}}));
  };
  EXPECT_EQ(signature(false, 2), "events-of-former-watch");
  EXPECT_EQ(signature(true, 2), "");
  EXPECT_EQ(signature(false, 1), "");
}

// Nothing else says that the watch had caught up, and nothing in its range has been written.
TEST(Signature, OfANoticeBelowProgress) {
  Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Put("k", "c", 4);
  script.Watch("j", 2).Created(0, 4);
  const auto signature = [&script](bool asked) {
    Script judged = script;
    if (asked) judged.AskProgress();
    judged.Progress(asked ? -1 : 0, 4).Put("k", "d", 5).Put("k", "e", 6).Compact(6);
    return SignatureOf(Guarantee("CompactionSurfaced"), judged.Compacted(0, 3));
  };
  EXPECT_EQ(signature(true), "progress-overtakes");
  EXPECT_EQ(signature(false), "") << "periodic progress waits in line with events";
}

TEST(Signature, OfEmptyResponsesBesideANegativeStart) {
  const auto signature = [](const char* guarantee, std::int64_t start) {
    Script script = Script().Put("k", "a", 2).Watch("k", 2).Created(0, 2).Deliver(0, {{2, "k"}});
    return SignatureOf(Guarantee(guarantee), script.Watch("j", start).Created(1, 2).Progress(0, 0));
  };
  EXPECT_EQ(signature("Headers", -1), "negative-start");
  EXPECT_EQ(signature("Headers", 2), "");
}

// What is compacted is not of its range.
TEST(Signature, OfSilenceThatLostNothing) {
  Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Compact(3);
  script.Watch("j", 2).Created(0, 3).Put("j", "c", 4).Deliver(0, {{4, "j"}});
  EXPECT_EQ(SignatureOf(Guarantee("CompactionSurfaced"), script), "");
}

TEST(Signature, OfImpossibleProgress) {
  const Script script = Script().Put("k", "a", 2);
  const auto back = [&script](std::int64_t id) {
    Script judged = Script(script).Put("k", "b", 3).Watch("k", 2).Created(0, 3);
    judged.Deliver(0, {{2, "k"}, {3, "k"}}).AskProgress().Progress(id, 3).Progress(id, 2);
    return SignatureOf(Guarantee("Bookmarkable"), judged);
  };
  EXPECT_EQ(back(-1), "progress-overtakes");
  EXPECT_EQ(back(0), "");
  const auto early = [&script](bool asked, std::int64_t revision) {
    Script judged = Script(script).Watch("k", 2).Created(0, 2);
    if (asked) judged.AskProgress();
    judged.Progress(asked ? -1 : 0, revision).Deliver(0, {{2, "k"}});
    return SignatureOf(Guarantee("Bookmarkable"), judged);
  };
  EXPECT_EQ(early(true, 2), "progress-overtakes");
  EXPECT_EQ(early(false, 2), "");
  EXPECT_EQ(early(true, 9), "") << "no write can have made that revision";
  EXPECT_EQ(SignatureOf(Guarantee("Bookmarkable"),
                        Script(script).Watch("k", 9).Created(0, 2).Progress(0, 2)),
            "progress-below-start");
  EXPECT_EQ(SignatureOf(Guarantee("Bookmarkable"),
                        Script(script).Watch("k", 9).Created(0, 2).Progress(0, 1)),
            "")
      << "the store was beyond that when the watch was created";
}

// The first answer may be to the one request before the create; the second is to a later one.
TEST(Signature, OfProgressThatWasAskedForEarlier) {
  const auto signature = [](bool answered) {
    Script script = Script().Put("k", "a", 2).Watch("j", 0).Created(0, 2).AskProgress();
    if (answered) script.Progress(-1, 2);
    script.Watch("k", 2).Created(1, 2).AskProgress();
    return SignatureOf(Guarantee("Bookmarkable"), script.Progress(-1, 2).Deliver(1, {{2, "k"}}));
  };
  EXPECT_EQ(signature(false), "progress-for-a-later-watch");
  EXPECT_EQ(signature(true), "progress-overtakes");
  Script later = Script().Put("k", "a", 2).Watch("j", 0).Created(0, 2).AskProgress();
  later.Watch("k", 2).Created(1, 2).Put("j", "b", 3).Progress(-1, 3).Deliver(1, {{2, "k"}});
  EXPECT_EQ(SignatureOf(Guarantee("Bookmarkable"), later), "progress-overtakes")
      << "it names a revision that was written after the create";
  EXPECT_EQ(SignatureOf(Guarantee("CompactionSurfaced"), Script()
                                                             .Put("k", "a", 2)
                                                             .Put("k", "b", 3)
                                                             .Watch("j", 0)
                                                             .Created(0, 3)
                                                             .AskProgress()
                                                             .Watch("k", 2)
                                                             .Created(1, 3)
                                                             .Progress(-1, 3)
                                                             .Compact(3)
                                                             .Compacted(1, 3)),
            "progress-for-a-later-watch");
}

// A watch with a negative start, anywhere on the store, explains less than the request itself.
TEST(Signature, OfProgressThatWasAskedForEarlierBesideANegativeStart) {
  Script script = Script().Put("k", "a", 2).Watch("j", -1).Created(0, 2).AskProgress();
  script.Watch("k", 2).Created(1, 2).Progress(-1, 2).Annotate(ClosingStream{StreamId(1)});
  script.Closed(StatusCode::kUnavailable).On(2);
  script.Annotate(Resumption{StreamId(1), 1, StreamId(2), 0}).Watch("k", 3).Created(0, 2);
  EXPECT_EQ(SignatureOf(Guarantee("Resumable"), script), "progress-for-a-later-watch");
}

// The known bug delays a change. A change that never came to a watch that is open is lost.
TEST(Signature, OfALossBelowProgressThatWasAskedForEarlier) {
  const auto signature = [](bool closed) {
    Script script = Script().Put("k", "a", 2).Watch("j", 0).Created(0, 2).AskProgress();
    script.Watch("k", 2).Created(1, 2).Progress(-1, 2);
    if (closed) script.Closed(StatusCode::kUnavailable);
    return SignatureOf(Guarantee("Reliable"), script);
  };
  EXPECT_EQ(signature(true), "progress-for-a-later-watch");
  EXPECT_EQ(signature(false), "") << "it had its time to come";
}

TEST(Signature, OfACreatedResponseAheadOfItsWatch) {
  const auto signature = [](const Script& script) {
    return SignatureOf(Guarantee("Reliable"), Script(script).Created(0, 2).Deliver(0, {{2, "k"}}));
  };
  EXPECT_EQ(signature(Script().Watch("k", 0).Put("k", "a", 2)), "created-too-late");
  EXPECT_EQ(signature(Script().Put("k", "a", 2).Watch("k", 0)), "");
  // What other members have, one that was away may not have yet.
  const Script behind = Script()
                            .Armed("pause", "none", true)
                            .Put("k", "a", 2)
                            .Healed("pause")
                            .OfMember(8)
                            .Watch("k", 0);
  EXPECT_EQ(SignatureOf(Guarantee("Reliable"), Script(behind).Created(0, 2).Deliver(0, {{2, "k"}}),
                        {.members = 3}),
            "created-too-late");
  const Script caught_up = Script()
                               .Armed("pause", "none", true)
                               .Put("k", "a", 2)
                               .Healed("pause")
                               .Pause(10s)
                               .Watch("k", 0)
                               .Created(0, 2)
                               .Deliver(0, {{2, "k"}});
  EXPECT_EQ(SignatureOf(Guarantee("Reliable"), caught_up, {.members = 3}), "");
  // Nor what was written just before.
  const Script at_once = Script().Put("k", "a", 2).OfMember(8).Watch("k", 0).Created(0, 2);
  EXPECT_EQ(
      SignatureOf(Guarantee("Reliable"), Script(at_once).Deliver(0, {{2, "k"}}), {.members = 3}),
      "created-too-late");
  // Unless its own member had it.
  const auto of_another_stream = [](std::int64_t member) {
    Script script = Script().Put("k", "a", 2).OfMember(7).On(2).Watch("j", 0).Created(0, 2);
    script.OfMember(member).On(1).Watch("k", 0).Created(0, 2).Deliver(0, {{2, "k"}});
    return SignatureOf(Guarantee("Reliable"), script, {.members = 3});
  };
  EXPECT_EQ(of_another_stream(7), "");
  EXPECT_EQ(of_another_stream(8), "created-too-late");
  // The stream had said before that the store was there.
  Script script = Script().StartPut(1, "k", "a").Watch("j", 0).Created(0, 2);
  script.Watch("k", 0).AckPut(1, 2).Created(1, 2).Deliver(1, {{2, "k"}});
  EXPECT_EQ(SignatureOf(Guarantee("Reliable"), script), "");
}

// A gRPC proxy names the start that it was asked for; so does a server that stands there by chance.
TEST(Signature, OfAWatchThatJoinsAnEndedOneIsOfAProxy) {
  const auto signature = [](const std::string& topology) {
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Compact(3).StartPut(9, "k", "c");
    script.Watch("k", 2).Created(0, 3).Compacted(0, 3).Watch("k", 5).Created(1, 5);
    script.AckPut(9, 4).Put("k", "d", 5).Progress(1, 6).Put("k", "e", 6);
    JudgeOptions options;
    options.topology = topology;
    for (const Finding& finding : script.Judge(options).findings) {
      if (finding.guarantee == Guarantee("Reliable")) return finding.signature;
    }
    return std::string("not found");
  };
  EXPECT_EQ(signature("grpc-proxy"), "joins-ended-watch");
  EXPECT_EQ(signature(""), "joins-ended-watch");
  EXPECT_NE(signature("plain"), "joins-ended-watch");
}

// Watches with one notice after the other leave no room for those that wait.
TEST(Signature, OfADelayBesideRepeatedNotices) {
  const auto signature = [](int notices) {
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Compact(3);
    script.Watch("k", 3).Watch("k", 2).Created(0, 3).Created(1, 3).Compacted(1, 3);
    script.Annotate(DeliveryDue{"g", {1}, {0}, 3, 0});
    for (int i = 0; i < notices; ++i) script.Compacted(1, 3);
    return SignatureOf(Guarantee("Isolated"), script.Annotate(DeliveryOver{"g"}));
  };
  EXPECT_EQ(signature(512), "notice-repeated");
  EXPECT_EQ(signature(511), "");
}

TEST(Signature, OfADelayBesideOtherCalls) {
  const auto signature = [](bool calls, std::uint32_t stream) {
    Script script = Script().Put("k", "a", 2).Watch("k", 2).Created(0, 2);
    if (calls) script.Annotate(CallsBeside{StreamId(stream), "reads"});
    script.Annotate(DeliveryDue{"g", {1}, {0}, 3, 0});
    return SignatureOf(Guarantee("Isolated"), script.Annotate(DeliveryOver{"g"}));
  };
  EXPECT_EQ(signature(true, 1), "starved-by-reads");
  EXPECT_EQ(signature(true, 2), "");
  EXPECT_EQ(signature(false, 1), "");
}

TEST(Signature, OfABurden) {
  const auto signature = [](const char* guarantee, const char* of, std::string_view beside,
                            double with) {
    Script script = Script().Watch("k", 2).Created(0, 1).Put("k", "a", 2).Deliver(0, {{2, "k"}});
    for (int i = 0; i < 6; ++i) {
      script.Annotate(MeasuredPair{of, std::string(beside), with, 100, 2});
    }
    return SignatureOf(Guarantee(guarantee), script);
  };
  EXPECT_EQ(signature("Available", "puts", kFarBehind, 20), "slowed-by-backlog");
  EXPECT_EQ(signature("Available", "event-delay", kFarBehind, 900), "");
  EXPECT_EQ(signature("Available", "puts", "a compaction", 20), "");
  EXPECT_EQ(signature("Bounded", "kept", kCaughtUp, 400), "backlog-kept");
  EXPECT_EQ(signature("Bounded", "kept", "cancelled watches", 400), "");
  EXPECT_EQ(signature("Bounded", "goroutines", kCaughtUp, 400), "");
}

TEST(Signature, OfAKeyThatChangedTwiceAtTheFloor) {
  const auto signature = [](std::int64_t floor) {
    Script script = Script().Put("k", "a", 2).Txn({.puts = {{"k", "b"}}, .deletes = {"k"}}, 3);
    script.Put("j", "a", 4).Compact(floor).Watch("k", 3).Created(0, 4);
    return SignatureOf(Guarantee("Reliable"),
                       script.DeliverRaw(0, {{.deleted = true, .kv = {.key = "k", .mod = 3}}}));
  };
  EXPECT_EQ(signature(3), "half-revision-at-the-floor");
  EXPECT_EQ(signature(2), "");
}

// What is left of a revision at the floor is its last change of each key.
TEST(Signature, OfTheOrderInARevisionAtTheFloor) {
  const auto signature = [](std::int64_t floor) {
    Script script = Script().Put("k", "a", 2).Put("j", "a", 3);
    script.Txn({.puts = {{"k", "b"}}, .deletes = {"j", "k"}}, 4);
    script.Put("i", "a", 5).Compact(floor).Watch("i", 4, {.range_end = "l"}).Created(0, 5);
    return SignatureOf(Guarantee("Ordered"),
                       script.DeliverRaw(0, {{.deleted = true, .kv = {.key = "j", .mod = 4}},
                                             {.deleted = true, .kv = {.key = "k", .mod = 4}}}));
  };
  EXPECT_EQ(signature(4), "half-revision-at-the-floor");
  EXPECT_EQ(signature(3), "");
}

// The compaction was never answered, because the server was killed.
TEST(Signature, OfADeleteAtARequestedFloor) {
  Script script = Script().Put("k", "a", 2).Delete("k", 3).Put("k", "b", 4);
  script.StartCompact(9, 3).FailCall(9, Method::kCompact, StatusCode::kUnavailable);
  script.Watch("k", 3).Created(0, 4).Deliver(0, {{4, "k"}});
  EXPECT_EQ(SignatureOf(Guarantee("Reliable"), script), "delete-at-the-floor");
}

// The next watch with the id was due it, and the cancel was not answered yet.
TEST(Signature, OfErrCompactedOfTheNextWatchWithTheId) {
  const auto signature = [](std::int64_t start) {
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Put("k", "c", 4).Compact(3);
    script.Watch("k", 4, {.id = 7}).Cancel(7).Watch("k", start, {.id = 7}).Created(7, 4);
    return SignatureOf(Guarantee("CompactionSurfaced"),
                       script.Compacted(7, 3).Cancelled(7).Created(7, 4));
  };
  EXPECT_EQ(signature(2), "events-of-former-watch");
  EXPECT_EQ(signature(4), "");
}

TEST(Signature, OfAWatchThatGoesOnAfterErrCompacted) {
  Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Compact(3).Watch("noise", 0);
  script.Created(0, 3).Watch("k", 2).Created(1, 3).Compacted(1, 3);
  Script full = script;
  FillQueue(full, 0, 4).Put("k", "c", 4 + kQueue);
  const auto signature = [](const Script& judged) {
    return SignatureOf(Guarantee("CompactionSurfaced"), judged);
  };
  EXPECT_EQ(signature(Script(full).Deliver(1, {{4 + kQueue, "k"}})), "silent-after-compaction");
  EXPECT_EQ(signature(Script(full).Progress(1, 4 + kQueue)), "silent-after-compaction");
  EXPECT_EQ(signature(Script(script).Put("k", "c", 4).Deliver(1, {{4, "k"}})), "");
  EXPECT_EQ(signature(Script(script).Compacted(1, 3)), "") << "one pass takes that many watches";
}

// One pass takes 512 watches.
TEST(Signature, OfErrCompactedAgain) {
  const auto signature = [](int watches) {
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Compact(3);
    for (int i = 0; i < watches; ++i) script.Watch("k", 2).Created(i, 3);
    for (int i = 0; i < watches; ++i) script.Compacted(i, 3);
    return SignatureOf(Guarantee("CompactionSurfaced"), script.Compacted(0, 3));
  };
  EXPECT_EQ(signature(513), "notice-repeated");
  EXPECT_EQ(signature(512), "");
}

// It waited when its watch was cancelled, and came to the next one.
TEST(Signature, OfErrCompactedOfTheFormerWatchWithTheId) {
  const auto signature = [](std::int64_t start) {
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Put("k", "c", 4);
    script.Watch("k", start, {.id = 7}).Created(7, 4).Cancel(7).Cancelled(7).Compact(3);
    script.Watch("k", 4, {.id = 7}).Created(7, 4);
    return SignatureOf(Guarantee("CompactionSurfaced"), script.Compacted(7, 3));
  };
  EXPECT_EQ(signature(2), "events-of-former-watch");
  EXPECT_EQ(signature(4), "");
}

// The next watch with the id, which the client chose or the server, got it, and the cancel was not
// answered yet.
TEST(Signature, OfEventsOfTheNextWatchWithTheId) {
  for (const std::int64_t chosen : {7, 0}) {
    Script script = Script().Watch("k", 0, {.id = 7}).Created(7, 1).Cancel(7);
    script.Watch("j", 0, {.id = chosen}).Put("j", "a", 2).Deliver(7, {{2, "j"}}).Cancelled(7);
    script.Created(7, 1).Put("j", "b", 3).Deliver(7, {{3, "j"}});
    EXPECT_EQ(SignatureOf(Guarantee("Filtered"), script), "events-of-former-watch") << chosen;
    EXPECT_EQ(SignatureOf(Guarantee("Reliable"), script), "events-of-former-watch") << chosen;
  }
}

// The events that follow it are no sign of a full queue then.
TEST(Signature, OfANoticeToTheFormerWatchOfTheId) {
  Script script = Script().Put("k", "a", 2).Put("k", "b", 3);
  script.Watch("k", 2, {.id = 7}).Created(7, 3).Cancel(7).Cancelled(7).Compact(3);
  script.Watch("k", 4, {.id = 7}).Created(7, 3);
  for (std::int64_t at = 4; at < 204; ++at) {
    script.Put("k", "c", at);
    if (at == 150) script.Compacted(7, 3);
    script.Deliver(7, {{at, "k"}});
  }
  std::set<std::string> signatures;
  for (const Finding& finding : script.Judge().findings) signatures.insert(finding.signature);
  EXPECT_THAT(signatures, testing::ElementsAre("events-of-former-watch"));
}

TEST(Signature, OfAPreviousValueThatIsMissingAfterACancel) {
  const auto signature = [](bool cancelled, bool asked_again = false) {
    Script script = Script().Put("k", "a", 2);
    script.Watch("k", 3, {.id = 7, .previous = true}).Created(7, 2).Put("k", "b", 3);
    if (asked_again) script.Watch("j", 0, {.id = 7});
    if (cancelled) script.Cancel(7);
    return SignatureOf(
        Guarantee("PreviousValue"),
        script.DeliverRaw(
            7, {{.kv = {.key = "k", .value = "b", .create = 2, .mod = 3, .version = 2}}}));
  };
  EXPECT_EQ(signature(true), "forgotten-by-cancel");
  EXPECT_EQ(signature(false), "") << "nothing has been compacted";
  EXPECT_EQ(signature(true, true), "forgotten-by-cancel") << "as what asks for its id is refused";
}

// Events that were made before the created response was sent, and only those, whatever of them a
// response brings.
TEST(Signature, OfPreviousValuesThatAreMissingRightAfterTheCreation) {
  enum class Before { kNothing, kCreation, kPrevious };
  const auto signature = [](std::int64_t created_at, Before before, bool written_before = true) {
    Script script = Script().Put("k", "a", 2);
    if (written_before) script.Put("k", "b", 3).Put("k", "c", 4);
    script.Watch("k", before == Before::kCreation ? 2 : 3, {.previous = true});
    script.Created(0, created_at);
    if (!written_before) script.Put("k", "b", 3);
    const KeyValueFields first{.key = "k", .value = "a", .create = 2, .mod = 2, .version = 1};
    const KeyValueFields second{.key = "k", .value = "b", .create = 2, .mod = 3, .version = 2};
    const KeyValueFields third{.key = "k", .value = "c", .create = 2, .mod = 4, .version = 3};
    if (before == Before::kCreation) script.DeliverRaw(0, {{.kv = first}});
    if (before == Before::kPrevious) script.DeliverRaw(0, {{.kv = second, .previous = first}});
    return SignatureOf(
        Guarantee("PreviousValue"),
        script.DeliverRaw(0, {{.kv = before == Before::kPrevious ? third : second}}));
  };
  EXPECT_EQ(signature(4, Before::kNothing), "options-too-late");
  EXPECT_EQ(signature(2, Before::kNothing), "options-too-late")
      << "others write while the watch is made";
  EXPECT_EQ(signature(4, Before::kCreation), "options-too-late")
      << "a response before it had none to bring";
  EXPECT_EQ(signature(4, Before::kPrevious), "");
  EXPECT_EQ(signature(2, Before::kNothing, false), "");
}

TEST(Signature, OfAPreviousValueThatTheNextWatchOfTheIdAskedFor) {
  const auto signature = [](bool cancelled) {
    Script script = Script().Put("k", "a", 2).Watch("k", 3).Created(0, 2).Put("k", "b", 3);
    if (cancelled) script.Cancel(0);
    script.Watch("k", 3, {.previous = true});
    return SignatureOf(
        Guarantee("PreviousValue"),
        script.DeliverRaw(0,
                          {{.kv = {.key = "k", .value = "b", .create = 2, .mod = 3, .version = 2},
                            .previous = KeyValueFields{
                                .key = "k", .value = "a", .create = 2, .mod = 2, .version = 1}}}));
  };
  EXPECT_EQ(signature(true), "forgotten-by-cancel");
  EXPECT_EQ(signature(false), "");
}

TEST(Signature, OfWhatComesAgainDependsOnASnapshot) {
  const auto signature = [](const char* guarantee, bool parted) {
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Watch("k", 2).Created(0, 3);
    script.Deliver(0, {{2, "k"}, {3, "k"}});
    if (parted) script.Armed("pause", "none", true).Healed("pause");
    return SignatureOf(Guarantee(guarantee), script.Deliver(0, {{2, "k"}, {3, "k"}}));
  };
  EXPECT_EQ(signature("Unique", true), "replayed");
  EXPECT_EQ(signature("Ordered", true), "replayed");
  EXPECT_EQ(signature("Unique", false), "");
  EXPECT_EQ(signature("Ordered", false), "");
}

TEST(Signature, OfAFalseNoticeDependsOnASnapshot) {
  const auto signature = [](bool parted) {
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3);
    if (parted) script.Armed("pause", "none", true).Healed("pause");
    return SignatureOf(Guarantee("CompactionSurfaced"),
                       script.Watch("k", 2).Created(0, 3).Compacted(0, 3));
  };
  EXPECT_EQ(signature(true), "false-notice");
  EXPECT_EQ(signature(false), "");
}

// Nothing that it watches was written between its latest event and the floor.
TEST(Signature, OfANoticeToAQuietWatchDependsOnASnapshot) {
  const auto signature = [](bool parted, const std::string& key) {
    Script script = Script().Put("k", "a", 2).Watch("k", 2).Created(0, 2).Deliver(0, {{2, "k"}});
    script.Put(key, "b", 3).Put("j", "c", 4).AskProgress().Progress(-1, 4).Compact(4);
    if (parted) script.Armed("pause", "none", true).Healed("pause");
    return SignatureOf(Guarantee("CompactionSurfaced"), script.Compacted(0, 4));
  };
  EXPECT_EQ(signature(true, "j"), "quiet-watch-compacted");
  EXPECT_EQ(signature(false, "j"), "progress-overtakes");
  EXPECT_EQ(signature(true, "k"), "progress-overtakes");
}

// The watch had not come as far as its progress claims, which passed over nothing.
TEST(Signature, OfANoticeAfterProgressThatIsOfNoConcernToTheWatch) {
  const auto signature = [](std::int64_t other, bool before) {
    Script script = Script().Put("j", "a", 2).Put("j", "b", 3).Put("j", "c", 4);
    script.Watch("j", 5, {.id = other}).Created(other, 4);
    if (before) script.AskProgress();
    script.Watch("k", 2, {.id = 8}).Created(8, 4);
    if (!before) script.AskProgress();
    return SignatureOf(Guarantee("CompactionSurfaced"),
                       script.Progress(-1, 4).Compact(4).Compacted(8, 4));
  };
  EXPECT_EQ(signature(-1, false), "id-of-minus-one");
  EXPECT_EQ(signature(7, true), "progress-for-a-later-watch");
  EXPECT_EQ(signature(7, false), "progress-overtakes");
}

// The bug concerns open ranges only.
TEST(Signature, OfAKeyOutsideTheReadRight) {
  const auto shown = [](const std::string& end) {
    return SignatureOf(Guarantee("Authorized"),
                       Script()
                           .Annotate(ReadRight{StreamId(1), {"a/"}, {"a0"}})
                           .Watch("a/", 0, {.range_end = end})
                           .Created(0)
                           .Put("b", "v", 2)
                           .Deliver(0, {{2, "b"}}));
  };
  EXPECT_EQ(shown(std::string(1, '\0')), "open-range-allowed");
  EXPECT_EQ(shown("c"), "");
}

std::string SignatureOf(Guarantee guarantee, const CallScript& script) {
  for (const Finding& finding : script.Judge().findings) {
    if (finding.guarantee == guarantee) return finding.signature;
  }
  return "not found";
}

// Answered to a user that may only write "k".
std::string OfAnsweredCall(Method method, const Message& request, const Message& answer) {
  const CallScript script =
      CallScript()
          .Do(Method::kLeaseGrant, Message().Number(1, 60), Reported(1).Number(2, 7).Number(3, 60))
          .Do(Method::kPut, PutOf("foreign", "v", 7), Reported(2))
          .Annotate(UserRights{"x", {}, {{false, true, {"k"}, {}}}})
          .Annotate(CallsAs{"x", "x"})
          .As("x")
          .Do(method, request, answer);
  return SignatureOf(Guarantee("Authorized"), script);
}

TEST(Signature, OfCallsThatLackARight) {
  const auto transaction = [](const Message& operation, bool nested) {
    const Message inner = TxnOf{.success = {operation}}.message();
    const Message outer = TxnOf{.success = {Part(Method::kTxn, inner)}}.message();
    return OfAnsweredCall(Method::kTxn, nested ? outer : inner, Decided(3, true));
  };
  const Message read = Part(Method::kRange, GetOf("foreign"));
  const Message over = Part(Method::kPut, PutOver("k", "v"));
  const Message joins = Part(Method::kPut, PutOf("k", "v", 7));
  EXPECT_EQ(transaction(read, true), "nested-rights-unchecked");
  EXPECT_EQ(transaction(read, false), "");
  EXPECT_EQ(transaction(over, false), "put-options-unchecked");
  EXPECT_EQ(transaction(joins, false), "put-options-unchecked");
  EXPECT_EQ(OfAnsweredCall(Method::kPut, PutOver("k", "v"), Reported(3)), "");
  const Message lease = Message().Number(1, 7);
  EXPECT_EQ(OfAnsweredCall(Method::kLeaseTimeToLive, Message(lease).Number(2, 1),
                           Reported(2).Number(2, 7).Number(3, 60).Number(4, 60).Text(5, "foreign")),
            "lease-keys-shown");
  EXPECT_EQ(OfAnsweredCall(Method::kLeaseKeepAlive, lease, Reported(2).Number(2, 7).Number(3, 60)),
            "calls-unguarded");
  EXPECT_EQ(OfAnsweredCall(Method::kMoveLeader, lease, Message()), "leader-unguarded");
  EXPECT_EQ(OfAnsweredCall(Method::kDefragment, Message(), Message()), "");
}

TEST(Signature, OfATokenThatCountsWhileAuthenticationIsDisabled) {
  const auto signature = [](StatusCode code) {
    CallScript script = CallScript().Annotate(CallsAs{"x", "", true}).As("a");
    script.Do(Method::kAuthDisable, Message(), Reported(1)).As("x");
    script.Begin(9, Method::kPut, PutOf("k", "v")).Fail(9, Method::kPut, code, "no");
    return SignatureOf(Guarantee("Authorized"), script);
  };
  EXPECT_EQ(signature(StatusCode::kUnauthenticated), "token-judged-while-disabled");
  EXPECT_EQ(signature(StatusCode::kPermissionDenied), "");
}

// Puts the key to "ghost", and reads what its user may not.
Message GhostOf(const std::string& key) {
  return Message()
      .Nested(2, Message().Nested(2, Message().Text(1, key).Text(2, "ghost")))
      .Nested(2, Message().Nested(1, Message().Text(1, "secret")));
}

TEST(Signature, OfAWriteThatIsRefusedForSpaceAndDone) {
  const auto signature = [](StatusCode code) {
    CallScript script;
    script.Put("k", "a", 2)
        .Begin(9, Method::kTxn, GhostOf("k"))
        .Fail(9, Method::kTxn, code)
        .Do(Method::kRange, GetOf("k"), Shown(3, {Kv("k", "ghost", 3, 2, 2)}));
    return SignatureOf(Guarantee("Transactional"), script);
  };
  EXPECT_EQ(signature(StatusCode::kResourceExhausted), "done-beyond-space");
  EXPECT_NE(signature(StatusCode::kFailedPrecondition), "done-beyond-space");
}

TEST(Signature, OfPutsBeyondTheQuota) {
  const auto signature = [](const Message& operation) {
    return SignatureOf(
        Guarantee("Limited"),
        CallScript()
            .Annotate(StoreLimits{.space = 10})
            .Put("k", "as large as the quota", 2)
            .Pause(2s)
            .Do(Method::kTxn, TxnOf{.success = {operation}}.message(), Decided(3, true)));
  };
  const Message put = Part(Method::kPut, PutOf("k", "v"));
  EXPECT_EQ(signature(Part(Method::kTxn, TxnOf{.success = {put}}.message())),
            "nested-puts-uncounted");
  EXPECT_EQ(signature(put), "");
}

TEST(Signature, OfWhatIsWonWithoutALease) {
  const auto claim = [](std::int64_t lease) { return Message().Text(1, "n").Number(2, lease); };
  const auto granted = [](std::int64_t lease, std::int64_t ttl) {
    return Reported(1).Number(2, lease).Number(3, ttl);
  };
  const auto answer = [](Method claims, std::int64_t lease) {
    const std::string key = fmt::format("n/{}", lease);
    if (claims == Method::kLock) return Reported(1).Text(2, key);
    const Message leader = Message().Text(1, "n").Text(2, key).Number(3, 1).Number(4, lease);
    return Reported(1).Nested(2, leader);
  };
  const auto won = [&](Method claims, Method releases, const Message& release) {
    return SignatureOf(Guarantee("Exclusive"),
                       CallScript()
                           .Do(Method::kLeaseGrant, Message().Number(1, 60), granted(1, 60))
                           .Do(Method::kLeaseGrant, Message().Number(1, 2), granted(2, 2))
                           .Do(claims, claim(1), answer(claims, 1))
                           .Begin(9, claims, claim(2))
                           .Pause(5s)
                           .Do(Method::kLeaseTimeToLive, Message().Number(1, 2), granted(2, -1))
                           .Do(releases, release, Reported(1))
                           .End(9, claims, answer(claims, 2)));
  };
  EXPECT_EQ(won(Method::kCampaign, Method::kResign, Message().Nested(1, Message().Text(2, "n/1"))),
            "elected-without-lease");
  EXPECT_EQ(won(Method::kLock, Method::kUnlock, Message().Text(1, "n/1")), "locked-without-lease");
  EXPECT_EQ(SignatureOf(Guarantee("Exclusive"),
                        CallScript()
                            .Do(Method::kLeaseGrant, Message().Number(1, 60), granted(1, 60))
                            .Do(Method::kLeaseGrant, Message().Number(1, 60), granted(2, 60))
                            .Do(Method::kLock, claim(1), answer(Method::kLock, 1))
                            .Do(Method::kLock, claim(2), answer(Method::kLock, 2))),
            "");
}

TEST(Signature, OfAnEventAfterTheRightWasTaken) {
  EXPECT_EQ(SignatureOf(Guarantee("Authorized"), Script()
                                                     .Annotate(ReadRight{StreamId(1), {"k"}, {}})
                                                     .Watch("k", 0)
                                                     .Created(0)
                                                     .Annotate(ReadRight{StreamId(1), {}, {}})
                                                     .Pause(2s)
                                                     .Put("k", "v", 2)
                                                     .Deliver(0, {{2, "k"}})),
            "watch-keeps-right");
}

// The created response names the start of another watch that waited with it, and that the store
// has not reached.
TEST(Signature, OfAnAnswerToAnotherCreate) {
  const auto signature = [](std::int64_t header) {
    Script script = Script().Put("k", "a", 2).Watch("k", 9).Watch("k", 0).Created(0, header);
    script.Created(1, 2).Put("k", "b", 3).Put("k", "c", 4);
    return SignatureOf(Guarantee("Reliable"), script.Deliver(0, {{4, "k"}}));
  };
  EXPECT_EQ(signature(2), "");
  Script crossed = Script().Put("k", "a", 2).Watch("k", 0).Watch("k", 9).Created(0, 9);
  crossed.Created(1, 2).Put("k", "b", 3).Deliver(1, {{3, "k"}});
  EXPECT_EQ(SignatureOf(Guarantee("Reliable"), crossed), "answers-out-of-order");
}

// A user may not read what it reads.
TEST(Signature, OfATransactionThatIsRefusedForRightsAndDone) {
  const auto signature = [](bool reads) {
    const Message read = Message().Text(1, "secret");
    const Message put = Message().Text(1, "k").Text(2, "ghost");
    Message request = Message().Nested(2, Message().Nested(2, put));
    if (reads) request.Nested(2, Message().Nested(1, read));
    Script script = Script()
                        .Annotate(RightsChanged{"writer"})
                        .Put("k", "a", 2)
                        .Put("k", "b", 3)
                        .Watch("k", 4)
                        .Created(0, 3);
    script.StartTxn(9, request).FailCall(9, Method::kTxn, StatusCode::kPermissionDenied);
    script.DeliverRaw(
        0, {{.kv = {.key = "k", .value = "ghost", .create = 2, .mod = 4, .version = 3}}});
    script.Annotate(MemberBehind{1, 4, "it is at revision 3", 20000}).Put("k", "c", 4).Read(4);
    EXPECT_EQ(SignatureOf(Guarantee("Available"), script), reads ? "refused-write-done" : "");
    return SignatureOf(Guarantee("Reliable"), script);
  };
  EXPECT_EQ(signature(true), "refused-write-done");
  EXPECT_EQ(signature(false), "") << "the right to write was checked by all";
}

// The same of one that deletes, unless another deletion may be what is seen.
TEST(Signature, OfADeletionThatIsRefusedForRightsAndDone) {
  const auto signature = [](bool other) {
    const Message erase = Message().Text(1, "a").Text(2, "z");
    const Message read = Message().Text(1, "secret");
    const Message request =
        Message().Nested(2, Message().Nested(3, erase)).Nested(2, Message().Nested(1, read));
    Script script =
        Script().Annotate(RightsChanged{"writer"}).Put("k", "a", 2).Watch("k", 3).Created(0, 2);
    script.StartTxn(7, request).FailCall(7, Method::kTxn, StatusCode::kPermissionDenied);
    script.Put("x", "a", 3);
    if (other) script.StartTxn(8, request);
    const Event event{.deleted = true, .kv = {.key = "k", .mod = 3}};
    return SignatureOf(Guarantee("Reliable"), script.DeliverRaw(0, {event}).Read(3));
  };
  EXPECT_EQ(signature(false), "refused-write-done");
  EXPECT_EQ(signature(true), "");
}

// From there on revisions hold less than was acknowledged at them, and a watch may wait for ever.
TEST(Signature, OfWhatIsMissingSinceATransactionWasRefusedAndDone) {
  const auto broken = [](bool refused) {
    Script script = Script()
                        .Annotate(RightsChanged{"writer"})
                        .Put("k", "a", 2)
                        .Put("k", "b", 3)
                        .Watch("a", 2, {.range_end = "z"})
                        .Created(0, 3)
                        .Deliver(0, {{2, "k"}})
                        .Deliver(0, {{3, "k"}});
    if (refused) {
      script.StartTxn(9, GhostOf("k")).FailCall(9, Method::kTxn, StatusCode::kPermissionDenied);
      script.DeliverRaw(
          0, {{.kv = {.key = "k", .value = "ghost", .create = 2, .mod = 4, .version = 3}}});
    }
    script.Put("k", "c", 4).Txn({.puts = {{"a", "1"}, {"b", "1"}}}, 5).Deliver(0, {{5, "a"}});
    return script.Put("x", "1", 6).Deliver(0, {{6, "x"}}).Read(6);
  };
  EXPECT_EQ(SignatureOf(Guarantee("Atomic"), broken(true)), "refused-write-done");
  EXPECT_EQ(SignatureOf(Guarantee("Atomic"), broken(false)), "");
  for (const bool refused : {true, false}) {
    Script hashes = broken(refused);
    hashes.Annotate(HistoryHash{.member = 1, .revision = 6, .hash = 1});
    hashes.Annotate(HistoryHash{.member = 2, .revision = 6, .hash = 2});
    EXPECT_EQ(SignatureOf(Guarantee("Serializable"), hashes), refused ? "refused-write-done" : "");
  }
}

// From there on a watch may be given another value as the one before; what it was given up to there
// is not excused.
TEST(Signature, OfTheValueBeforeSinceATransactionWasRefusedAndDone) {
  const auto broken = [](std::int64_t changed) {
    Script script = Script()
                        .Annotate(RightsChanged{"writer"})
                        .Put("k", "a", 2)
                        .Put("k", "b", 3)
                        .Watch("a", 2, {.range_end = "z", .previous = true})
                        .Created(0, 3)
                        .Deliver(0, {{2, "k"}});
    const KeyValueFields first{.key = "k", .value = "a", .create = 2, .mod = 2, .version = 1};
    const KeyValueFields other{.key = "k", .value = "?", .create = 2, .mod = 2, .version = 1};
    const auto deliver = [&](std::int64_t revision, const KeyValueFields& before) {
      const KeyValueFields now{.key = "k",
                               .value = revision == 3 ? "b" : "c",
                               .create = 2,
                               .mod = revision,
                               .version = revision - 1};
      script.DeliverRaw(0, {{.kv = now, .previous = before}});
    };
    deliver(3, changed == 3 ? other : first);
    script.StartTxn(9, GhostOf("x")).FailCall(9, Method::kTxn, StatusCode::kPermissionDenied);
    script.DeliverRaw(
        0, {{.kv = {.key = "x", .value = "ghost", .create = 4, .mod = 4, .version = 1}}});
    script.Put("k", "c", 4);
    if (changed == 4) deliver(4, other);
    return script.Read(4);
  };
  EXPECT_EQ(SignatureOf(Guarantee("PreviousValue"), broken(4)), "refused-write-done");
  EXPECT_EQ(SignatureOf(Guarantee("PreviousValue"), broken(3)), "");
}

// What it did is in no range that is watched. Later puts have higher revisions at those that did
// it, or lower ones at the member that refused it; one may be the same value once more.
TEST(Signature, OfPutsThatMovedSinceAnUnseenOneWasRefusedAndDone) {
  const auto broken = [](StatusCode refused, std::int64_t moved, int puts) {
    Script script = Script()
                        .Annotate(RightsChanged{"writer"})
                        .Put("k", "a", 2)
                        .Watch("k", 2)
                        .Created(0, 2)
                        .Deliver(0, {{2, "k"}});
    script.StartTxn(9, GhostOf("x")).FailCall(9, Method::kTxn, refused);
    script.Put("y", "a", 3).Put("k", "b", 4).Put("k", "c", 5).Put("y", "c", 6);
    for (int i = 0; i < puts; ++i) {
      script.DeliverRaw(0, {{.kv = {.key = "k",
                                    .value = i == 0 ? "b" : "c",
                                    .create = 2,
                                    .mod = 4 + i + moved,
                                    .version = 2 + i}}});
    }
    return script.Read(6);
  };
  for (const std::int64_t moved : {-1, 1}) {
    EXPECT_EQ(SignatureOf(Guarantee("Reliable"), broken(StatusCode::kPermissionDenied, moved, 2)),
              "refused-write-done")
        << moved;
  }
  // One that was refused moves by one only.
  EXPECT_NE(SignatureOf(Guarantee("Reliable"), broken(StatusCode::kPermissionDenied, -2, 2)),
            "refused-write-done");
  EXPECT_NE(SignatureOf(Guarantee("Reliable"), broken(StatusCode::kPermissionDenied, 1, 1)),
            "refused-write-done");
  EXPECT_NE(SignatureOf(Guarantee("Reliable"), broken(StatusCode::kInvalidArgument, 1, 2)),
            "refused-write-done");
}

// That the first was done does not show by itself, if another deletion may be what is seen.
TEST(Signature, OfWhatIsMissingSinceAnEarlierTransactionWasRefusedAndDone) {
  const auto signature = [](bool first) {
    const Message erase = Message().Text(1, "k");
    const Message read = Message().Text(1, "secret");
    const Message request =
        Message().Nested(2, Message().Nested(3, erase)).Nested(2, Message().Nested(1, read));
    Script script = Script().Annotate(RightsChanged{"writer"}).Put("k", "a", 2).Watch("k", 3);
    script.Created(0, 2);
    if (first) script.StartTxn(7, request).FailCall(7, Method::kTxn, StatusCode::kPermissionDenied);
    script.StartTxn(8, request).DeliverRaw(0, {{.deleted = true, .kv = {.key = "k", .mod = 3}}});
    script.Put("k", "b", 3).Put("y", "b", 4);
    script.StartTxn(9, GhostOf("k")).FailCall(9, Method::kTxn, StatusCode::kPermissionDenied);
    script.DeliverRaw(
        0, {{.kv = {.key = "k", .value = "ghost", .create = 3, .mod = 6, .version = 2}}});
    return SignatureOf(Guarantee("Reliable"), script.Read(4));
  };
  EXPECT_EQ(signature(true), "refused-write-done");
  EXPECT_EQ(signature(false), "");
}

// One member refuses it for its read of the past, and the others do its put; whichever is seen
// first.
TEST(Signature, OfARefusedTransactionThatIsDone) {
  const auto signature = [](const std::string& written, bool seen_first) {
    const Message past = Message().Text(1, "k").Number(4, 2);
    const Message put = Message().Text(1, "k").Text(2, "ghost");
    const Message request =
        Message().Nested(2, Message().Nested(1, past)).Nested(2, Message().Nested(2, put));
    const Event event{.kv = {.key = "k", .value = written, .create = 2, .mod = 4, .version = 3}};
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Compact(3).Watch("k", 4);
    script.Created(0, 3).StartTxn(9, request);
    if (seen_first) script.DeliverRaw(0, {event});
    script.FailCall(9, Method::kTxn, StatusCode::kOutOfRange);
    if (!seen_first) script.DeliverRaw(0, {event});
    return SignatureOf(Guarantee("Reliable"), script.Put("k", "c", 4).Read(4));
  };
  for (const bool seen_first : {true, false}) {
    EXPECT_EQ(signature("ghost", seen_first), "refused-write-done");
    EXPECT_EQ(signature("other", seen_first), "");
  }
}

// After a crash inside a compaction revisions are given out again; nothing else brings that about.
TEST(Signature, OfRevisionsThatAreGivenOutAgain) {
  const auto signature = [](bool crash, bool compaction) {
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3);
    if (compaction) script.StartCompact(9, 3);
    if (crash) script.Armed("kill", "every", true);
    if (compaction) script.FailCall(9, Method::kCompact, StatusCode::kUnavailable);
    if (crash) script.Healed("kill");
    return SignatureOf(Guarantee("Durable"), script.Put("k", "c", 3));
  };
  EXPECT_EQ(signature(true, true), "revisions-reused");
  EXPECT_EQ(signature(true, false), "write-lost");
  EXPECT_EQ(signature(false, true), "");
}

// What is only a guess from the watches of a stream gives way to that.
TEST(Signature, OfWhatHappensAtRevisionsThatAreGivenOutAgain) {
  Script script = Script().Put("k", "a", 2).Put("k", "b", 3).StartCompact(9, 3);
  script.Armed("kill", "every", true).FailCall(9, Method::kCompact, StatusCode::kUnavailable);
  script.Healed("kill").Put("k", "c", 3).On(2);
  Script event = Script(script).Watch("k", 3).Watch("k", 3).Created(0, 3).Created(1, 3);
  EXPECT_EQ(SignatureOf(
                Guarantee("Reliable"),
                event.DeliverRaw(
                    1, {{.kv = {.key = "k", .value = "c", .create = 3, .mod = 3, .version = 1}}})),
            "revisions-reused");
  script.Watch("j", 0).Created(0, 3);
  script.Annotate(ProgressDue{.stream = StreamId(2), .asked = true, .limit_ms = 1000});
  script.AskProgress().Pause(2s).Annotate(ProgressOver{StreamId(2)});
  EXPECT_EQ(SignatureOf(Guarantee("Bookmarkable"), script), "revisions-reused")
      << "progress of revisions that are gone is waited for in vain";
}

// The last words of a member name the bug, if it had been ended before.
TEST(Signature, OfAMemberThatDoesNotStartAgain) {
  const auto signature = [](bool crash, const std::string& words) {
    Script script = Script().Put("k", "a", 2);
    if (crash) script.Armed("restart", "every", true).Healed("restart");
    return SignatureOf(
        Guarantee("Available"),
        script.Annotate(TargetEnded{.member = 2, .how = "exited with 1", .last_words = words}));
  };
  const std::string commit = "panic: 71a8 state.commit 910 is out of range [101, 631]";
  const std::string gap =
      "wal: slice bounds out of range, snapshot[Index: 101, Term: 2], current entry[Index: 910";
  EXPECT_EQ(signature(true, commit), "older-snapshot-last");
  EXPECT_EQ(signature(true, gap), "older-snapshot-last");
  EXPECT_EQ(signature(false, gap), "");
  EXPECT_EQ(signature(true, "failed to find database snapshot file"), "snapshot-gone");
  const std::string old = "recovering backend from snapshot error: database snapshot file path";
  EXPECT_EQ(signature(true, old), "snapshot-gone");
  EXPECT_EQ(signature(false, old), "");
  EXPECT_EQ(signature(true, "no space left on device"), "");
}

// Keys that are deleted by a range without an end, and put in the same transaction.
Script Recreated(const std::string& end) {
  return Script()
      .Put("k", "a", 2)
      .Txn({.puts = {{"k", "b"}}, .deletes = {"j"}, .deletes_to = end, .puts_second = true}, 3);
}
TEST(Signature, OfAKeyDeletedToTheEndAndPut) {
  EXPECT_EQ(SignatureOf(Guarantee("Transactional"), Recreated(kOpenEnd)), "open-end-overlooked");
  EXPECT_EQ(SignatureOf(Guarantee("Transactional"), Recreated("l")), "");
}

TEST(Signature, OfAKeyDeletedToTheEndAndPutAtTheFloor) {
  const auto lost = [](const std::string& end, std::int64_t floor) {
    Script script = Recreated(end).Put("i", "c", 4).Compact(floor);
    return SignatureOf(Guarantee("Linearizable"), script.Read(4, "k"));
  };
  EXPECT_EQ(lost(kOpenEnd, 3), "recreated-at-the-floor");
  EXPECT_EQ(lost(kOpenEnd, 2), "");
  EXPECT_EQ(lost("l", 3), "");
  const auto ended = [](std::int64_t floor) {
    return SignatureOf(Guarantee("Available"),
                       Recreated(kOpenEnd).Compact(floor).Annotate(
                           TargetEnded{1, "exited with 1", "range failed to find revision pair"}));
  };
  EXPECT_EQ(ended(3), "recreated-at-the-floor");
  EXPECT_EQ(ended(2), "");
}

TEST(Signature, OfAKeptValueThatIsDeleted) {
  const auto signature = [](const std::string& deleted_from, bool keeps) {
    const TxnRequest txn{
        .success = {DeleteRequest{.key = deleted_from, .range_end = kOpenEnd},
                    PutRequest{.key = "k", .value = keeps ? "" : "v", .keeps_value = keeps}}};
    return SignatureOf(
        Guarantee("Available"),
        Script()
            .Put("k", "a", 2)
            .StartTxn(9, ToMessage(txn))
            .Annotate(TargetEnded{1, "exited with 2", "unexpected error during txn with writes"}));
  };
  EXPECT_EQ(signature("j", true), "kept-value-deleted");
  EXPECT_EQ(signature("j", false), "");
  EXPECT_EQ(signature("l", true), "");
}

TEST(Signature, OfARequestThatEndsTheServer) {
  const auto signature = [](Method method, const Message& request, const std::string& words) {
    return SignatureOf(Guarantee("Available"),
                       CallScript()
                           .Put("k", "v", 2)
                           .Lose(method, request)
                           .Annotate(TargetEnded{1, "exited with 2", words}));
  };
  const std::string sorts = "panic: nil\nin sort.Sort < etcdserver.(*applierV3backend).Range";
  const Message get = GetOf("k");
  EXPECT_EQ(signature(Method::kRange, Message(get).Number(6, 9), sorts), "sorts-by-nothing");
  EXPECT_EQ(signature(Method::kRange, Message(get).Number(6, 4), sorts), "");
  EXPECT_EQ(signature(Method::kRange, Message(get).Number(6, 9), "panic: nil"), "");
  const std::string grants = "panic: nil\nin auth.(*authStore).RoleGrantPermission";
  const Message role = Message().Text(1, "r");
  EXPECT_EQ(signature(Method::kRoleGrantPermission, role, grants), "grants-nothing");
  EXPECT_EQ(signature(Method::kRoleGrantPermission, Message(role).Nested(2, Message().Text(2, "k")),
                      grants),
            "");
  EXPECT_EQ(signature(Method::kRoleGrantPermission, role, "panic: nil"), "");
  const std::string adds = "cannot put key into bucket (key required)";
  EXPECT_EQ(signature(Method::kRoleAdd, Message(), adds), "adds-no-role");
  EXPECT_EQ(signature(Method::kRoleAdd, role, adds), "");
  EXPECT_EQ(signature(Method::kRoleAdd, Message(), "panic: nil"), "");
  const std::string uses = "panic: runtime error: nil pointer dereference";
  EXPECT_EQ(signature(Method::kAlarm, Message().Number(1, 7), uses), "alarm-of-no-action");
  EXPECT_EQ(signature(Method::kAlarm, Message().Number(1, 2), uses), "");
}

// The watch receives what comes before the value that there is none to keep of.
TEST(Signature, OfATransactionThatIsDoneHalfWay) {
  const TxnRequest txn{.success = {PutRequest{.key = "a", .value = "x"},
                                   DeleteRequest{.key = "j", .range_end = kOpenEnd},
                                   PutRequest{.key = "k", .keeps_value = true}}};
  const std::vector<Event> done = {
      {.kv = {.key = "a", .value = "x", .create = 3, .mod = 3, .version = 1}},
      {.deleted = true, .kv = {.key = "k", .mod = 3}}};
  const ScriptedCreate all{.range_end = "z"};
  Script half = Script().On(9, "control").Watch("a", 2, all).Created(0).On(1).Put("k", "a", 2);
  half.Watch("a", 2, all).Created(0, 2).Deliver(0, {{2, "k"}}).On(9).Deliver(0, {{2, "k"}});
  half.StartTxn(9, ToMessage(txn)).DeliverRaw(0, done).On(1).DeliverRaw(0, done);
  half.FailCall(9, Method::kTxn, StatusCode::kUnavailable);
  EXPECT_EQ(SignatureOf(Guarantee("Atomic"), half), "half-transaction");
  Script other = Script().Watch("a", 2, {.range_end = "z"}).Created(0, 1);
  other.Txn({.puts = {{"a", "x"}, {"b", "y"}}}, 2).Put("c", "z", 3);
  other.Deliver(0, {{2, "a"}}).Deliver(0, {{3, "c"}});
  EXPECT_EQ(SignatureOf(Guarantee("Atomic"), other), "");
}

TEST(Signature, OfASnapshotThatOvertakesWhatAMemberDoes) {
  const auto signature = [](const std::string& words, const char* fault) {
    Script script = Script().Put("k", "a", 2);
    script.Armed("isolate", "none", true).Healed("isolate").Armed(fault, "none").Healed(fault);
    script.Armed("kill", "every", true).Healed("kill");
    return SignatureOf(
        Guarantee("Available"),
        script.Annotate(TargetEnded{.member = 2, .how = "exited with 2", .last_words = words}));
  };
  EXPECT_EQ(signature("panic: failed to open snapshot backend", "slow-disk"),
            "snapshot-taken-away");
  EXPECT_EQ(
      signature("panic: nil\nin backend.ForceCommit < mvcc.(*store).hash < v3rpc.Hash", "pause"),
      "hash-in-snapshot");
  EXPECT_EQ(signature("in bbolt.Bucket < backend.UnsafeRange < schema.UnsafeGetUser < auth.isOp",
                      "pause"),
            "rights-from-closed-database");
  EXPECT_EQ(signature("panic: consistent_index(9) isn't equal to snapshot index (8)", "pause"),
            "snapshot-ahead-of-index");
  EXPECT_EQ(signature("panic: nil\nin mvcc.(*store).restore", "pause"), "");
  const std::string no_file = "panic: failed to find database snapshot file";
  EXPECT_EQ(signature(no_file, "defragment"), "old-database-back");
  const std::string closed = "failed to commit tx, tx closed, backend.(*backend).Defrag";
  EXPECT_EQ(signature(closed, "defragment"), "old-database-back");
  EXPECT_EQ(signature(no_file, "slow-disk"), "snapshot-gone");
}

TEST(Signature, OfAMemberThatRefusesWritesAfterASnapshot) {
  const auto signature = [](const std::string& refusal, bool behind) {
    Script script = Script().Put("k", "a", 2);
    if (behind) script.Armed("isolate", "none", true).Healed("isolate");
    return SignatureOf(Guarantee("Available"),
                       script.Annotate(TargetRefused{.asked = "a put", .refusal = refusal}));
  };
  const std::string too_many = "etcdserver: too many requests (unknown)";
  EXPECT_EQ(signature(too_many, true), "refuses-after-snapshot");
  EXPECT_EQ(signature(too_many, false), "");
  EXPECT_EQ(signature("etcdserver: no leader (unavailable)", true), "");
}

TEST(Signature, OfDamageThatIsServed) {
  const auto signature = [](const char* fault) {
    Script script = Script().Watch("k", 2).Created(0).Put("k", "written", 2);
    script.Armed(fault, "every", true).Healed(fault);
    return SignatureOf(
        Guarantee("Reliable"),
        script.DeliverRaw(
            0, {{.kv = {.key = "k", .value = "damaged", .create = 2, .mod = 2, .version = 1}}}));
  };
  EXPECT_EQ(signature("damaged-file"), "damage-served");
  EXPECT_EQ(signature("kill"), "");
}

TEST(Signature, OfAMemberThatItsLeaderDoesNotKnow) {
  const auto signature = [](const std::string& refusal, const char* fault) {
    const char* const ends = fault == std::string("kill") ? "every" : "none";
    Script script = Script().Put("k", "a", 2).Armed(fault, ends, true).Healed(fault);
    return SignatureOf(Guarantee("Answered"),
                       script.Annotate(AnswerDiffers{.client = "an operator at member 2",
                                                     .expected = "a refusal for another reason",
                                                     .observed = refusal}));
  };
  const std::string unknown = "promoting member 3a: etcdserver: member not found (not found)";
  EXPECT_EQ(signature(unknown, "kill"), "unknown-to-its-leader");
  EXPECT_EQ(signature(unknown, "isolate"), "") << "none was killed";
  EXPECT_EQ(signature("promoting member 3a: etcdserver: no leader (unavailable)", "kill"), "");
}

// What was written stands at another revision since the crash: at a higher one where the log was
// applied once more, at a lower one where a write was left out.
TEST(Signature, OfRevisionsThatMoveInACrash) {
  const auto signature = [](bool crash, std::int64_t stands_at, bool asked_again = false,
                            bool asked_before = false) {
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Put("k", "c", 4);
    if (crash) script.Armed("crash-point", "every", true).Healed("crash-point");
    if (asked_before) script.Put("k", "d", 5);
    if (asked_before) script.Armed("crash-point/2", "every", true).Healed("crash-point/2");
    if (asked_again) script.StartPut(9, "k", "c");
    script.On(2).Watch("k", 2).Created(0).DeliverRaw(0, {{.kv = {.key = "k",
                                                                 .value = asked_before ? "d" : "c",
                                                                 .create = 2,
                                                                 .mod = stands_at,
                                                                 .version = 2}}});
    return SignatureOf(Guarantee("Reliable"), script);
  };
  EXPECT_EQ(signature(true, 6), "applied-again");
  EXPECT_EQ(signature(true, 3), "left-out");
  EXPECT_EQ(signature(false, 6), "");
  EXPECT_EQ(signature(true, 6, true), "");
  // What was put between two crashes.
  EXPECT_EQ(signature(true, 4, false, true), "left-out");

  // What a put keeps stands at a higher revision, too, whether it was asked before the crash or
  // after it, and whenever its answer comes.
  for (const bool before : {true, false}) {
    const PutRequest keep{.key = "k", .keeps_value = true};
    Script kept = Script().Put("k", "a", 2);
    if (before) kept.StartPut(9, keep);
    kept.Armed("kill", "every", true).Healed("kill");
    if (!before) kept.StartPut(9, keep);
    kept.Watch("k", 2).Created(0).DeliverRaw(
        0, {{.kv = {.key = "k", .value = "a", .create = 2, .mod = 5, .version = 2}}});
    EXPECT_EQ(SignatureOf(Guarantee("Reliable"), kept), "") << before;
  }

  // It had moved before that came to a watch: a member was ahead of all that had been written.
  Script ahead = Script().Put("k", "a", 2).Put("k", "b", 3);
  ahead.Armed("crash-point", "every", true).Read(6).StartPut(9, "k", "c").Healed("crash-point");
  ahead.On(2).Watch("k", 2).Created(0).DeliverRaw(
      0, {{.kv = {.key = "k", .value = "b", .create = 2, .mod = 5, .version = 3}}});
  ahead.AckPut(9, 6);
  EXPECT_EQ(SignatureOf(Guarantee("Linearizable"), ahead), "applied-again");

  // What moved need not come first.
  Script behind = Script().Put("k", "a", 2).Put("k", "b", 3).Put("k", "c", 4);
  behind.Armed("crash-point", "every", true).Healed("crash-point");
  behind.On(2).Watch("k", 2).Created(0).DeliverRaw(
      0, {{.kv = {.key = "k", .value = "a", .create = 2, .mod = 2, .version = 1}},
          {.kv = {.key = "k", .value = "c", .create = 2, .mod = 3, .version = 2}}});
  EXPECT_EQ(SignatureOf(Guarantee("Reliable"), behind), "left-out");
}

// The member refused for itself what the others carried out: what follows is lower there. That
// rights were changed is not enough.
TEST(Signature, OfRightsThatWereChangedWhileAMemberWasAway) {
  const auto signature = [](bool away, bool changed, std::int64_t stands_at) {
    Script script = Script().Put("k", "a", 2);
    script.Armed("isolate", "none", true);
    if (!away) script.Healed("isolate");
    if (changed) script.Annotate(RightsChanged{"late"});
    if (away) script.Healed("isolate");
    script.Put("k", "b", 3).Put("k", "c", 4);
    script.On(2).Watch("k", 3).Created(0).DeliverRaw(
        0, {{.kv = {.key = "k", .value = "c", .create = 2, .mod = stands_at, .version = 2}}});
    return SignatureOf(Guarantee("Reliable"), script);
  };
  EXPECT_EQ(signature(true, true, 3), "rights-left-behind");
  EXPECT_EQ(signature(true, false, 3), "");
  EXPECT_EQ(signature(false, true, 3), "");
  EXPECT_EQ(signature(true, true, 6), "");
}

TEST(Signature, OfAMemberThatStaysBehindSinceRightsWereChanged) {
  const auto signature = [](bool changed, bool applied) {
    Script script = Script().Put("k", "a", 2);
    script.Armed("isolate", "none", true);
    if (changed) script.Annotate(RightsChanged{"late"});
    script.Healed("isolate").Annotate(MemberBehind{3, 2, "it is at revision 1", 20000, applied});
    return SignatureOf(Guarantee("Available"), script);
  };
  EXPECT_EQ(signature(true, true), "rights-left-behind");
  EXPECT_EQ(signature(true, false), "") << "it lacks entries of the log";
  EXPECT_EQ(signature(false, true), "");
}

TEST(Signature, OfAMemberThatCountsLessSinceItCrashed) {
  const std::string counts_less = "it is at revision 2";
  const auto signature = [&counts_less](bool crash, bool applied, const std::string& lacks = {}) {
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3);
    const std::string fault = crash ? "crash-point" : "isolate";
    script.Armed(fault, crash ? "every" : "none", true).Healed(fault);
    script.Annotate(MemberBehind{2, 3, lacks.empty() ? counts_less : lacks, 20000, applied});
    return SignatureOf(Guarantee("Available"), script);
  };
  EXPECT_EQ(signature(true, true), "left-out");
  EXPECT_EQ(signature(true, false), "") << "it lacks entries of the log";
  EXPECT_EQ(signature(false, true), "");
  EXPECT_EQ(signature(true, true, "it has compacted through 1 instead of 2"), "");

  Script defragmented = Script().Put("k", "a", 2).Put("k", "b", 3);
  for (const char* const fault : {"isolate", "defragment"}) {
    defragmented.Armed(fault, "none", true).Healed(fault);
  }
  defragmented.Armed("restart", "every", true).Healed("restart");
  defragmented.Annotate(MemberBehind{2, 3, "it is at revision 2", 20000, true});
  EXPECT_EQ(SignatureOf(Guarantee("Available"), defragmented), "old-database-back");
}

TEST(Signature, OfWhatStreamsLeaveBehind) {
  const auto signature = [](const std::string& of, std::int64_t after, const char* before = "") {
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3);
    if (before == std::string("stall")) script.Armed("stall", "none").Healed("stall");
    if (before == std::string("compaction")) script.Compact(3);
    script.Annotate(Account{1, of, 60, after, 20, of == "watchers"});
    return SignatureOf(Guarantee("Bounded"), script);
  };
  EXPECT_EQ(signature("goroutines", 80, "stall"), "goroutine-left-behind");
  EXPECT_EQ(signature("goroutines", 80), "") << "no stream was stalled";
  EXPECT_EQ(signature("open files", 80, "stall"), "");
  EXPECT_EQ(signature("watchers", 59, "compaction"), "watchers-miscounted");
  EXPECT_EQ(signature("watchers", 59), "") << "no watch was compacted";
  EXPECT_EQ(signature("watchers", 61, "compaction"), "");
  EXPECT_EQ(signature("watch streams that ended as Unavailable", 80), "ended-as-unavailable");

  const auto counted = [](bool answered, std::int64_t after) {
    Script script = Script().Put("k", "a", 2).Watch("k", 0).Created(1, 2).Cancel(1);
    if (answered) script.Cancelled(1);
    script.Annotate(Account{1, "watchers", 1, after, 20, true});
    return SignatureOf(Guarantee("Bounded"), script);
  };
  EXPECT_EQ(counted(false, -1), "counted-out-twice");
  EXPECT_EQ(counted(false, 2), "");
  EXPECT_EQ(counted(true, -1), "") << "its cancel was answered before its stream ended";
}

TEST(Signature, OfMembersThatAreNotAsTheyWereMade) {
  const std::vector<std::string> made = {"1a", "2b", "3c (learner)"};
  const auto signature = [&](std::vector<std::string> listed, const std::string& after,
                             const std::vector<std::string>& faults = {}) {
    Script script = Script().Put("k", "a", 2);
    for (const std::string& fault : faults) script.Armed(fault, "every", true).Healed(fault);
    script.Annotate(MembersListed{2, after, made, std::move(listed)});
    return SignatureOf(Guarantee("Enrolled"), script);
  };
  const std::string moved = "moving the learner to another address";
  EXPECT_EQ(signature({"1a", "2b", "3c"}, moved), "learner-forgotten");
  EXPECT_EQ(signature({"1a", "2b", "3c"}, "adding a learner"), "");
  EXPECT_EQ(signature({"1a", "2b", "3c", "4d"}, moved), "") << "and one more than there are";
  const std::vector<std::string> lost = {"1a", "2b (learner)", "3c (learner)"};
  EXPECT_EQ(signature(lost, "", {"replace", "restart"}), "vote-forgotten");
  EXPECT_EQ(signature(lost, "", {"restart"}), "") << "none was promoted";
  EXPECT_EQ(signature(lost, "", {"replace"}), "") << "none became another release";
}

TEST(Signature, OfAReleaseThatDoesNotStartForItsLearners) {
  const auto signature = [](const std::string& fault, const std::string& words) {
    Script script = Script().Put("k", "a", 2).Armed("replace", "every", true).Healed("replace");
    script.Armed(fault, "every", true);
    return SignatureOf(
        Guarantee("Available"),
        script.Annotate(TargetEnded{.member = 2, .how = "exited with 1", .last_words = words}));
  };
  const std::string learners = "membership: too many learner members in cluster";
  EXPECT_EQ(signature("restart", learners), "vote-forgotten");
  EXPECT_EQ(signature("kill", learners), "") << "it is the same release";
  EXPECT_EQ(signature("restart", "membership: ID removed"), "");
}

TEST(Signature, OfWhatAnOperatorIsRefused) {
  const auto signature = [](const std::string& refusal, bool users, bool down) {
    Script script = Script().Put("k", "a", 2);
    if (users) script.Annotate(ReadRight{StreamId(1), {"k"}, {}});
    if (down) script.Armed("kill", "every", true);
    return SignatureOf(Guarantee("Answered"),
                       script.Annotate(AnswerDiffers{"an operator", "an answer", refusal}));
  };
  const std::string late = "promoting member 3c: Deadline Exceeded (deadline exceeded)";
  EXPECT_EQ(signature(late, true, false), "promotion-without-user");
  EXPECT_EQ(
      signature("promoting member 3c: etcdserver: request timed out (unavailable)", true, false),
      "promotion-without-user");
  EXPECT_EQ(signature(late, false, false), "") << "there are no users";
  const std::string unhealthy = "adding member http://a:1: etcdserver: unhealthy cluster";
  EXPECT_EQ(signature(unhealthy, false, true), "none-added-while-one-is-down");
  EXPECT_EQ(signature(unhealthy, false, false), "") << "every member runs";
}

TEST(Signature, OfALeaseThatEndsTooEarlyAsAMemberGoesOn) {
  const auto signature = [](const std::string& fault, bool before, Duration later = {}) {
    Script script = Script().On(9, "control").Watch("k", 2).Created(0).On(1);
    if (before) script.Armed(fault, "none", true).Healed(fault);
    script.Grant(7, 60).PutWithLease("k", 7, 2).Watch("k", 2).Created(3).Deliver(3, {{2, "k"}});
    if (!before) script.Armed(fault, "none", true).Healed(fault);
    script.Pause(later);
    script.Expire(7, 3).On(9).Deliver(0, {{2, "k"}}).Deliver(0, {{3, "k"}}).On(1);
    return SignatureOf(Guarantee("Leased"), script.Deliver(3, {{3, "k"}}).Read(3));
  };
  EXPECT_EQ(signature("pause", false), "revoked-on-waking");
  EXPECT_EQ(signature("pause", true), "") << "it was granted afterwards";
  EXPECT_EQ(signature("isolate", false), "");
  EXPECT_EQ(signature("pause", false, 10s), "") << "it was awake for so long";
}

// The member goes on before its fault is healed, which takes until it answers.
TEST(Signature, OfALeaseThatEndsWhileAMemberWakes) {
  const auto signature = [](bool wakes) {
    Script script = Script().On(9, "control").Watch("k", 2).Created(0).On(1);
    script.Grant(7, 60).PutWithLease("k", 7, 2).Watch("k", 2).Created(3).Deliver(3, {{2, "k"}});
    script.Armed("pause/1", "none", true);
    if (wakes) script.Annotate(HealingBegan{"pause/1"});
    script.Expire(7, 3).On(9).Deliver(0, {{2, "k"}}).Deliver(0, {{3, "k"}}).On(1);
    return SignatureOf(Guarantee("Leased"), script.Deliver(3, {{3, "k"}}).Read(3));
  };
  EXPECT_EQ(signature(true), "revoked-on-waking");
  EXPECT_EQ(signature(false), "") << "the member stands still";
}

// The member asks for its end as it goes on, and a client renews it meanwhile.
TEST(Signature, OfALeaseThatIsRenewedWhileItsEndIsUnderWay) {
  const auto signature = [](bool granted_before, Duration later) {
    Script script = Script().On(9, "control").Watch("k", 2).Created(0).On(1);
    if (granted_before) script.Grant(7, 60).PutWithLease("k", 7, 2);
    script.Armed("pause", "none", true).Healed("pause");
    if (!granted_before) script.Grant(7, 60).PutWithLease("k", 7, 2);
    script.KeepAlive(7, 60, 2).Watch("k", 2).Created(3).Deliver(3, {{2, "k"}}).Pause(later);
    script.Expire(7, 3).On(9).Deliver(0, {{2, "k"}}).Deliver(0, {{3, "k"}}).On(1);
    return SignatureOf(Guarantee("Leased"), script.Deliver(3, {{3, "k"}}).Read(3));
  };
  EXPECT_EQ(signature(true, 200ms), "revoked-on-waking");
  EXPECT_EQ(signature(true, 1s), "") << "it had arrived by then";
  EXPECT_EQ(signature(false, 200ms), "") << "the member did not know the lease";
}

// A client that asks for it later learns that it has ended, and not when.
TEST(Signature, OfALeaseThatEndedAtAnyTimeSinceItWasRenewed) {
  const auto signature = [](Duration renewed, Duration asked) {
    Script script = Script().Put("k", "a", 2).Grant(7, 60).Read(2);
    script.Armed("pause", "none", true).Healed("pause").Pause(renewed).KeepAlive(7, 60, 2);
    return SignatureOf(Guarantee("Leased"), script.Pause(asked).KeepAlive(7, 0, 2));
  };
  EXPECT_EQ(signature(100ms, 1s), "revoked-on-waking");
  EXPECT_EQ(signature(1s, 100ms), "") << "its end had arrived by then";
  EXPECT_EQ(signature(100ms, 10s), "") << "it was awake for so long";
}

// It asks for sixteen ends at a time, and gives those up that it asked for too early.
TEST(Signature, OfALeaseThatWaitsForItsTurnToEnd) {
  const auto signature = [](bool granted_before, Duration renewed, Duration asked) {
    Script script = Script().Put("k", "a", 2);
    if (granted_before) script.Grant(7, 60).Read(2);
    script.Armed("pause", "none", true).Healed("pause").Pause(renewed);
    if (!granted_before) script.Grant(7, 60).Read(2);
    script.KeepAlive(7, 60, 2);
    return SignatureOf(Guarantee("Leased"), script.Pause(asked).KeepAlive(7, 0, 2));
  };
  EXPECT_EQ(signature(true, 6s, 1500ms), "revoked-on-waking");
  EXPECT_EQ(signature(true, 13s, 1500ms), "revoked-on-waking");
  EXPECT_EQ(signature(true, 4s, 2s), "") << "none has its turn then";
  EXPECT_EQ(signature(true, 8s, 1s), "") << "its end had arrived by then";
  EXPECT_EQ(signature(false, 6s, 1500ms), "") << "the member did not know the lease";
}

// Granted between two of them: the next one is stopped as it ends.
TEST(Signature, OfALeaseThatIsGrantedAfterAMemberWokeIsNoOtherWaking) {
  const auto signature = [](bool granted_before) {
    Script script = Script().Put("k", "a", 2);
    if (granted_before) script.Grant(7, 60).Read(2);
    script.Armed("pause/1", "none", true).Healed("pause/1").Pause(1s);
    if (!granted_before) script.Grant(7, 60).Read(2);
    script.Pause(5s).KeepAlive(7, 60, 2).Armed("pause/2", "none", true).Pause(1500ms);
    return SignatureOf(Guarantee("Leased"), script.KeepAlive(7, 0, 2));
  };
  EXPECT_EQ(signature(true), "revoked-on-waking");
  EXPECT_EQ(signature(false), "") << "the member that woke did not know the lease";
}

// What is wrong before that is not its doing, and with a raised revision clients learn of it.
TEST(Signature, OfAStoreThatIsRestoredAsItWas) {
  const auto signature = [](bool healed, bool raised) {
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3).Armed("restore", "every", true);
    if (healed) script.Healed("restore");
    if (raised) script.Annotate(Restored{.saved = 2, .revision = 1002});
    return SignatureOf(Guarantee("Linearizable"), script.Read(2));
  };
  EXPECT_EQ(signature(true, false), "restored-as-it-was");
  EXPECT_NE(signature(false, false), "restored-as-it-was");
  EXPECT_NE(signature(true, true), "restored-as-it-was");
}

// The member had acknowledged it before it was on disk.
TEST(Signature, OfAWriteThatIsGoneAfterACrash) {
  const auto signature = [](bool crash) {
    Script script = Script().On(9, "control").Watch("k", 2).Created(0).On(1).Put("k", "a", 2);
    if (crash) script.Armed("kill", "every", true).Healed("kill");
    script.On(9).DeliverRaw(
        0, {{.kv = {.key = "k", .value = "b", .create = 2, .mod = 2, .version = 1}}});
    return SignatureOf(Guarantee("Durable"), script);
  };
  EXPECT_EQ(signature(true), "write-lost");
  EXPECT_EQ(signature(false), "");
}

// The leader may have changed since the later revision was reported.
TEST(Signature, OfAReadOfThePast) {
  const auto signature = [](bool parted) {
    Script script = Script().Put("k", "a", 2).Put("k", "b", 3);
    if (parted) script.Armed("isolate", "none", true).Healed("isolate");
    return SignatureOf(Guarantee("Linearizable"), script.Read(2));
  };
  EXPECT_EQ(signature(true), "stale-read");
  EXPECT_EQ(signature(false), "");
}

// Only a field without an order is sorted in parts, and only a streamed read has parts.
TEST(Signature, OfAReadThatIsSortedInParts) {
  const auto signature = [](const char* client, std::int64_t field, const char* value) {
    return SignatureOf(Guarantee("Linearizable"),
                       CallScript()
                           .Put("a", "1", 2)
                           .Put("b", "1", 3)
                           .As(client)
                           .Do(Method::kRange, GetOf("a", {.range_end = "c", .target = field}),
                               Shown(3, {Kv("b", value, 3), Kv("a", "1", 2)})));
  };
  constexpr std::int64_t kByMod = 3;
  EXPECT_EQ(signature("c, in parts", kByMod, "1"), "sorted-in-parts");
  EXPECT_EQ(signature("c", kByMod, "1"), "");
  EXPECT_EQ(signature("c, in parts", 0, "1"), "");
  EXPECT_EQ(signature("c, in parts", kByMod, "2"), "");  // another value
}

// Two creates waited together, and their watches have swapped ids.
TEST(Signature, OfAnswersInAnotherOrder) {
  const Script crossed = Script()
                             .Watch("a", 0)
                             .Watch("b", 0)
                             .Created(0)
                             .Created(1)
                             .Put("a", "v", 2)
                             .Deliver(1, {{2, "a"}});
  EXPECT_EQ(SignatureOf(Guarantee("Filtered"), crossed), "answers-out-of-order");
  const Script one_by_one = Script()
                                .Watch("a", 0)
                                .Created(0)
                                .Watch("b", 0)
                                .Created(1)
                                .Put("a", "v", 2)
                                .Deliver(1, {{2, "a"}});
  EXPECT_EQ(SignatureOf(Guarantee("Filtered"), one_by_one), "");
}

}  // namespace
}  // namespace watchproof
