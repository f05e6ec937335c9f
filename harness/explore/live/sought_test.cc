// SPDX-License-Identifier: Apache-2.0
// What a report's program looks for, finding by finding.
#include "harness/explore/live/sought.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "harness/checkers/testing/script.h"

namespace watchproof::explore {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = Sought::Kind;
using Recorded = watchproof::Script;

// What is sought of the first finding of a guarantee.
Sought SoughtIn(const Recorded& recording, const char* guarantee) {
  for (const Finding& finding : recording.Judge().findings) {
    if (finding.guarantee == Guarantee(guarantee)) return SoughtOf(recording.lines(), finding);
  }
  ADD_FAILURE() << "no finding of " << guarantee;
  return {};
}

// A watch of k that has received its first change.
Recorded Watched() {
  Recorded recording;
  recording.Put("k", "v", 2).Watch("k", 2).Created(0, 2).Deliver(0, {{2, "k"}});
  return recording;
}

struct SoughtRow {
  const char* what;
  const char* guarantee;
  std::function<Recorded()> recording;
  Kind kind;
  const char* of;
  std::size_t lines;
};

const SoughtRow kSought[] = {
    {"Twice", "Unique",
     [] {
       return Recorded(Watched()).Deliver(0, {{2, "k"}});
     },
     Kind::kMessage, "ofWatch(0)", 4},  // with that it is of the same revision
    {"BackInTime", "Ordered",
     [] {
       return Recorded(Watched()).Put("k", "w", 3).Deliver(0, {{3, "k"}}).Deliver(0, {{2, "k"}});
     },
     Kind::kMessage, "ofWatch(0)", 4},
    {"Missing", "Reliable",
     [] {
       return Recorded(Watched()).Put("k", "w", 3).Put("k", "x", 4).Deliver(0, {{4, "k"}});
     },
     Kind::kMessage, "ofWatch(0)", 3},
    {"NothingMore", "Settled", [] { return Recorded(Watched()).Put("k", "w", 3); }, Kind::kSilence,
     "linesOf(0)", 2},
    {"NoAnswer", "Settled", [] { return Recorded().Watch("k", 2).Put("k", "v", 2); },
     Kind::kSilence, "isCreation", 0},
    {"NoEnd", "Settled", [] { return Recorded(Watched()).Cancel(0); }, Kind::kSilence, "endOf(0)",
     0},
    {"Refused", "Settled", [] { return Recorded().Watch("k", 0).Refused(-1, "why"); },
     Kind::kMessage, "isBound", 1},
    {"StreamEnded", "Settled", [] { return Recorded(Watched()).Closed(StatusCode::kUnavailable); },
     Kind::kStreamEnd, "", 0},
    {"Answer", "Answered",
     [] { return Recorded().ReadRefusedAt(1).Annotate(AnswerDiffers{.expected = "an answer"}); },
     Kind::kAnswer, "", 1},
    {"TargetEnded", "Available",
     [] { return Recorded().Annotate(TargetEnded{.how = "was killed"}); }, Kind::kNoServer, "", 0},
    {"NotRestarted", "Durable",
     [] { return Recorded().Annotate(NotRestarted{.client = "script 1", .observed = "nothing"}); },
     Kind::kNoServer, "", 0},
    {"LateRestart", "Durable",
     [] {
       return Recorded().Annotate(
           NotRestarted{.client = "script 1", .observed = "nothing", .late = true});
     },
     Kind::kNoServer, "", 0},
};

class SoughtTable : public testing::TestWithParam<SoughtRow> {};

TEST_P(SoughtTable, IsWhatTheFindingIsAbout) {
  const SoughtRow& row = GetParam();
  const Sought sought = SoughtIn(row.recording(), row.guarantee);
  EXPECT_EQ(sought.kind, row.kind);
  EXPECT_EQ(sought.of, row.of);
  EXPECT_EQ(sought.lines.size(), row.lines) << testing::PrintToString(sought.lines);
}
INSTANTIATE_TEST_SUITE_P(Findings, SoughtTable, testing::ValuesIn(kSought),
                         [](const auto& row) { return row.param.what; });

// Whatever is sent afterwards makes no difference.
TEST(Sought, EndsWithWhatWasWrong) {
  Recorded recording = Watched();
  recording.Deliver(0, {{2, "k"}});
  const Line wrong = recording.lines().back().line;
  recording.Put("k", "w", 3).Deliver(0, {{3, "k"}});
  const Sought sought = SoughtIn(recording, "Unique");
  EXPECT_EQ(sought.until, wrong);
  EXPECT_EQ(sought.stream, StreamId(1));
  EXPECT_EQ(sought.lines.back(), sought.lines[1]);  // the same once more
}

TEST(Sought, AStreamEndsWithItsCode) {
  Recorded recording = Watched();
  recording.Closed(StatusCode::kUnavailable);
  EXPECT_EQ(SoughtIn(recording, "Settled").code, 14);
  EXPECT_EQ(SoughtIn(recording, "Settled").until, recording.lines().back().line);
}

// Other watches of the stream count, those of other streams do not.
TEST(Sought, AWatchIsTheOneThatItsCreationMade) {
  Recorded recording;
  recording.Put("k", "v", 2).On(2).Watch("k", 2).Created(0, 2).Deliver(0, {{2, "k"}});
  recording.On(3).Watch("x", 2).Created(0, 2).Watch("k", 2).Created(1, 2);
  recording.Deliver(1, {{2, "k"}}).Deliver(1, {{2, "k"}});
  const Sought sought = SoughtIn(recording, "Unique");
  EXPECT_EQ(sought.stream, StreamId(3));
  EXPECT_EQ(sought.creation, 2);
  EXPECT_EQ(sought.watch, 1);
}

// How far the watch was is part of it where it ends with ErrCompacted.
TEST(Sought, ProgressBeforeACompactionCounts) {
  Recorded recording = Watched();
  recording.Put("k", "w", 3).Compact(3).AskProgress().Progress(0, 1).Progress(0, 2);
  recording.Compacted(0, 1);
  const Sought sought = SoughtIn(recording, "CompactionSurfaced");
  EXPECT_EQ(sought.kind, Kind::kMessage);
  ASSERT_GE(sought.lines.size(), 2U);
  EXPECT_EQ(sought.lines[sought.lines.size() - 2], "watch 0: progress 2");
  EXPECT_THAT(sought.lines, testing::Not(testing::Contains("watch 0: progress 1")));
}

// The other part of the revision comes with the next message, or not at all.
TEST(Sought, ARevisionThatIsSplitIsSeenInTheNextMessage) {
  const auto lines = [](const std::vector<Written>& next) {
    Recorded recording;
    recording.Watch("", 2, {.range_end = std::string(1, '\0')}).Created(0);
    recording.Txn({.puts = {{"a", "1"}, {"b", "2"}}}, 2).Put("c", "3", 3).Deliver(0, {{2, "a"}});
    recording.Deliver(0, next).Put("d", "4", 4).Deliver(0, {{4, "d"}});
    return SoughtIn(recording, "Atomic").lines;
  };
  EXPECT_THAT(lines({{2, "b"}}),
              testing::Contains("watch 0: another message, of the same revision"));
  const std::vector<std::string> missing = lines({{3, "c"}});
  ASSERT_FALSE(missing.empty());
  EXPECT_THAT(missing.back(), testing::StartsWith("watch 0: put \"c\""));
}

// The last call of one among several clients.
TEST(Sought, AnAnswerIsOfTheClientThatSaysSo) {
  Recorded recording;
  recording.ReadRefusedAt(1, StatusCode::kOutOfRange);
  const Line refused = recording.lines().back().line;
  recording.Annotate(AnswerDiffers{.expected = "an answer"}).Put("k", "v", 2);
  const Sought sought = SoughtIn(recording, "Answered");
  EXPECT_EQ(sought.until, refused);
  ASSERT_EQ(sought.lines.size(), 1U);
  EXPECT_THAT(sought.lines.front(), testing::StartsWith("error 11"));
}

TEST(Sought, ProgressIsCountedFromWhereItWasDue) {
  Recorded recording = Watched();
  recording.Annotate(ProgressDue{.stream = StreamId(1), .asked = true, .limit_ms = 1});
  const Line due = recording.lines().back().line;
  recording.AskProgress().Pause(1s).Annotate(ProgressOver{StreamId(1)});
  const Sought sought = SoughtIn(recording, "Bookmarkable");
  EXPECT_EQ(sought.kind, Kind::kNoMore);
  EXPECT_EQ(sought.since, due);
  EXPECT_EQ(sought.of, "progressFrom(2)");
  EXPECT_THAT(sought.lines, IsEmpty());
}

}  // namespace
}  // namespace watchproof::explore
