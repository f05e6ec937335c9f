// SPDX-License-Identifier: Apache-2.0
// Literal histories of a consumer with two layers, each with the expected findings: the check and
// the layer. Every check has rows that break it and rows that could have.
#include "harness/consumers/consumer_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/checkers/testing/script.h"

namespace watchproof {
namespace {

using Keys = std::map<std::string, std::int64_t>;

// Keys below "/a/b/" are named by their last part. The store has x at 2, y at 3, no x from 4 on.
class Story {
 public:
  Story() {
    script_.Annotate(ConsumerStarted{"informer", {"cache", "reader"}, "/a/b/"});
    script_.Put("/a/b/x", "1", 2).Put("/a/b/y", "1", 3).Delete("/a/b/x", 4).Put("/a/b/y", "2", 5);
    script_.Put("/elsewhere", "1", 6).Put("/a/b/y", "3", 7);
  }
  Story& Lists(const std::string& layer, std::int64_t revision, const Keys& keys = {}) {
    return Says({.layer = layer, .kind = "relist", .revision = revision, .keys = Placed(keys)});
  }
  Story& Opens(const std::string& layer, std::int64_t revision) {
    return Says({.layer = layer, .kind = "opened", .revision = revision});
  }
  Story& Watches(const std::string& layer, std::int64_t revision) {
    return Says({.layer = layer, .kind = "watch", .revision = revision});
  }
  Story& Put(const std::string& layer, const std::string& key, std::int64_t revision) {
    return Says({.layer = layer,
                 .kind = "event",
                 .revision = revision,
                 .type = "put",
                 .key = "/a/b/" + key});
  }
  Story& Delete(const std::string& layer, const std::string& key, std::int64_t revision) {
    return Says({.layer = layer,
                 .kind = "event",
                 .revision = revision,
                 .type = "delete",
                 .key = "/a/b/" + key});
  }
  // To a callback of the reader.
  Story& Gives(const std::string& type, const std::string& key, std::int64_t revision = 0) {
    return Says({.layer = "reader",
                 .kind = "handled",
                 .revision = revision,
                 .type = type,
                 .key = "/a/b/" + key});
  }
  Story& Bookmark(const std::string& layer, std::int64_t revision) {
    return Says({.layer = layer, .kind = "bookmark", .revision = revision});
  }
  Story& Fails(const std::string& layer, const std::string& error = "the watch ended") {
    return Says({.layer = layer, .kind = "error", .error = error});
  }
  // A list at 2, and every event since.
  Story& Follows(const std::string& layer) {
    return Lists(layer, 2, {{"x", 2}})
        .Put(layer, "y", 3)
        .Delete(layer, "x", 4)
        .Put(layer, "y", 5)
        .Put(layer, "y", 7);
  }
  Story& Due() {
    script_.Annotate(ConsumerDue{.revision = 7, .limit_ms = 1000});
    return *this;
  }
  Story& AsksToRead(std::int64_t revision) {
    script_.Annotate(ConsumerReadAsked{.revision = revision});
    return *this;
  }
  Story& Holds(const std::string& layer, std::int64_t revision, const Keys& keys) {
    return Says({.layer = layer, .kind = "snapshot", .revision = revision, .keys = Placed(keys)});
  }
  ConsumerJudgement Judge() {
    script_.Annotate(StageReached{Stage::kConverged});
    ConsumerJudge judge;
    FeedTo(judge);
    return judge.Finish();
  }
  void FeedTo(ConsumerJudge& judge) const {
    for (const NumberedEntry& line : script_.lines()) judge.Consume(line);
  }

 private:
  static Keys Placed(const Keys& keys) {
    Keys placed;
    for (const auto& [key, revision] : keys) placed["/a/b/" + key] = revision;
    return placed;
  }
  Story& Says(const ConsumerReport& report) {
    script_.Annotate(report);
    return *this;
  }
  Script script_;
};

// What the reader does right while the cache below it is what a row is about.
Story& Ends(Story& story) {
  return story.Follows("reader").Due().Holds("cache", 7, {{"y", 7}}).Holds("reader", 7, {{"y", 7}});
}

struct Row {
  std::string name;
  Story story;
  std::vector<std::string> findings{};  // "NoGap of cache"
  std::vector<std::string> wrong_above{};
  bool undecided = false;
};
std::string NameOf(const testing::TestParamInfo<Row>& info) { return info.param.name; }
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

Row Clean(std::string name, Story story) { return {std::move(name), std::move(Ends(story))}; }
Row Wrong(std::string name, Story story, std::string finding) {
  return {std::move(name), std::move(Ends(story)), {std::move(finding)}};
}

class ConsumerTable : public testing::TestWithParam<Row> {};

TEST_P(ConsumerTable, HasItsFindings) {
  Row row = GetParam();
  const ConsumerJudgement judgement = row.story.Judge();
  std::vector<std::string> found;
  std::string text;
  for (const ConsumerFinding& finding : judgement.findings) {
    found.push_back(fmt::format("{} of {}", finding.check, finding.layer));
    text += fmt::format("{}: expected {}; observed {}\n", found.back(), finding.expected,
                        finding.observed);
    EXPECT_FALSE(finding.evidence.empty());
  }
  for (const std::string& reason : judgement.undecided) text += "undecided: " + reason + "\n";
  EXPECT_THAT(found, testing::UnorderedElementsAreArray(row.findings)) << text;
  EXPECT_EQ(judgement.wrong_above, row.wrong_above);
  EXPECT_EQ(!judgement.undecided.empty(), row.undecided) << text;
}

INSTANTIATE_TEST_SUITE_P(
    Gaps, ConsumerTable,
    testing::Values(
        Clean("EveryEvent", Story().Follows("cache")),
        Wrong("SkippedEvent",
              Story()
                  .Lists("cache", 2, {{"x", 2}})
                  .Put("cache", "y", 3)
                  .Put("cache", "y", 5)
                  .Put("cache", "y", 7),
              "NoGap of cache"),
        Wrong("LastEventNeverCame",
              Story()
                  .Lists("cache", 2, {{"x", 2}})
                  .Put("cache", "y", 3)
                  .Delete("cache", "x", 4)
                  .Put("cache", "y", 5),
              "NoGap of cache"),
        Wrong("UnknownEvent", Story().Follows("cache").Put("cache", "z", 7), "NoGap of cache"),
        Clean("ListAfterAnError",
              Story().Lists("cache", 2, {{"x", 2}}).Fails("cache").Lists("cache", 7, {{"y", 7}})),
        Clean("ResumedAfterAnError", Story()
                                         .Lists("cache", 2, {{"x", 2}})
                                         .Put("cache", "y", 3)
                                         .Fails("cache")
                                         .Watches("cache", 3)
                                         .Delete("cache", "x", 4)
                                         .Put("cache", "y", 5)
                                         .Put("cache", "y", 7)),
        Wrong("ResumedOneTooHigh",
              Story()
                  .Lists("cache", 2, {{"x", 2}})
                  .Put("cache", "y", 3)
                  .Fails("cache")
                  .Watches("cache", 4)
                  .Put("cache", "y", 5)
                  .Put("cache", "y", 7),
              "NoGap of cache"),
        Clean("OpenedAboveAsAsked",
              Story().Opens("cache", 2).Fails("cache").Opens("cache", 5).Put("cache", "y", 7))),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    OrderAndRepeats, ConsumerTable,
    testing::Values(
        Wrong("SameEventTwice", Story().Follows("cache").Put("cache", "y", 7),
              "NoDuplicate of cache"),
        Clean("SameChangeInTheListOnly",
              Story().Lists("cache", 5, {{"y", 5}}).Put("cache", "y", 7)),
        Wrong("OlderThanTheList",
              Story().Lists("cache", 5, {{"y", 5}}).Put("cache", "y", 3).Put("cache", "y", 7),
              "NoTimeTravel of cache"),
        Wrong("ListOfThePast",
              Story().Follows("cache").Lists("cache", 5, {{"y", 5}}).Put("cache", "y", 7),
              "NoTimeTravel of cache"),
        Clean("BookmarkInPlace", Story().Follows("cache").Bookmark("cache", 7)),
        Wrong("BookmarkBeforeItsChange",
              Story()
                  .Lists("cache", 2, {{"x", 2}})
                  .Put("cache", "y", 3)
                  .Delete("cache", "x", 4)
                  .Put("cache", "y", 5)
                  .Bookmark("cache", 7),
              "BookmarkKept of cache"),
        Wrong("BookmarkOfThePast", Story().Follows("cache").Bookmark("cache", 6),
              "NoTimeTravel of cache")),
    NameOf);

INSTANTIATE_TEST_SUITE_P(
    Contents, ConsumerTable,
    testing::Values(
        Clean("FilledByEvents", Story()
                                    .Lists("cache", 0)
                                    .Put("cache", "y", 5)
                                    .Bookmark("cache", 6)
                                    .Put("cache", "y", 7)),
        Wrong("FilledWithAGhost",
              Story()
                  .Lists("cache", 0)
                  .Put("cache", "x", 2)
                  .Put("cache", "y", 5)
                  .Bookmark("cache", 6)
                  .Put("cache", "y", 7),
              "NoGhost of cache"),
        Wrong("ListWithoutAKey",
              Story()
                  .Lists("cache", 3, {{"x", 2}})
                  .Delete("cache", "x", 4)
                  .Put("cache", "y", 5)
                  .Put("cache", "y", 7),
              "ClaimKept of cache"),
        Row{"KeepsADeletedKey",
            Story()
                .Follows("cache")
                .Follows("reader")
                .Due()
                .Holds("cache", 7, {{"x", 2}, {"y", 7}})
                .Holds("reader", 7, {{"x", 2}, {"y", 7}}),
            {"NoGhost of cache"},
            {"reader"}},
        Row{"HoldsAnOldValue",
            Story()
                .Follows("cache")
                .Follows("reader")
                .Due()
                .Holds("cache", 7, {{"y", 7}})
                .Holds("reader", 7, {{"y", 5}}),
            {"ClaimKept of reader"}},
        Row{"IsBehind",
            Story()
                .Follows("cache")
                .Follows("reader")
                .Due()
                .Holds("cache", 5, {{"y", 5}})
                .Holds("reader", 7, {{"y", 7}}),
            {"Converged of cache"}},
        Row{"IsBehindForAWhile", Story()
                                     .Follows("cache")
                                     .Follows("reader")
                                     .Due()
                                     .Holds("cache", 5, {{"y", 5}})
                                     .Holds("cache", 7, {{"y", 7}})
                                     .Holds("reader", 7, {{"y", 7}})},
        Row{"FailedForEver",
            Story()
                .Lists("cache", 2, {{"x", 2}})
                .Follows("reader")
                .Fails("cache")
                .Due()
                .Holds("reader", 7, {{"y", 7}}),
            {"Converged of cache"}},
        Row{"FreshRead", Story()
                             .Follows("cache")
                             .Follows("reader")
                             .Due()
                             .Holds("cache", 7, {{"y", 7}})
                             .Holds("reader", 7, {{"y", 7}})
                             .Holds("consistent", 7, {{"y", 7}})},
        Row{"StaleRead",
            Story()
                .Follows("cache")
                .Follows("reader")
                .Due()
                .Holds("cache", 7, {{"y", 7}})
                .Holds("reader", 7, {{"y", 7}})
                .Holds("consistent", 5, {{"y", 5}}),
            {"FreshRead of consistent"}},
        Wrong("StaleReadMeanwhile",
              Story().Follows("cache").AsksToRead(5).Holds("consistent", 3, {{"x", 2}, {"y", 3}}),
              "FreshRead of consistent"),
        Wrong("ReadThatClaimsMoreThanItShows",
              Story().Follows("cache").AsksToRead(5).Holds("consistent", 5, {{"y", 3}}),
              "ClaimKept of consistent"),
        Clean("FreshReadMeanwhile",
              Story().Follows("cache").AsksToRead(5).Holds("consistent", 5, {{"y", 5}})),
        Row{"ReadAnsweredWhenTheNextIsDue",
            Story()
                .Follows("cache")
                .Follows("reader")
                .AsksToRead(5)
                .Due()
                .Holds("consistent", 5, {{"y", 5}})
                .Holds("cache", 7, {{"y", 7}})
                .Holds("reader", 7, {{"y", 7}})
                .Holds("consistent", 7, {{"y", 7}})},
        Row{"FollowedNothing",
            Story().Follows("reader").Due().Holds("reader", 7, {{"y", 7}}),
            {},
            {},
            true},
        Row{"DidNotSayWhatItHolds",
            Story().Follows("cache").Follows("reader").Due().Holds("cache", 7, {{"y", 7}}),
            {},
            {},
            true},
        Row{"WasNotAsked", Story().Follows("cache").Follows("reader"), {}, {}, true}),
    NameOf);

// The reader as a handler: what its callbacks were given adds up to what it holds.
Row Handler(std::string name, Story story, const Keys& held, std::vector<std::string> findings) {
  story.Due().Holds("cache", 7, {{"y", 7}}).Holds("reader", 7, held);
  return {std::move(name), std::move(story), std::move(findings)};
}

INSTANTIATE_TEST_SUITE_P(
    Handlers, ConsumerTable,
    testing::Values(Handler("EveryChange",
                            Story()
                                .Follows("cache")
                                .Gives("put", "y", 3)
                                .Gives("put", "x", 2)
                                .Gives("delete", "x", 4)
                                .Gives("put", "y", 7),
                            {{"y", 7}}, {}),
                    Handler("ListStandsForTheRest",
                            Story()
                                .Follows("cache")
                                .Gives("put", "x", 2)
                                .Gives("tombstone", "x")
                                .Gives("put", "y", 7),
                            {{"y", 7}}, {}),
                    Handler("NoDeletion",
                            Story().Follows("cache").Gives("put", "x", 2).Gives("put", "y", 7),
                            {{"x", 2}, {"y", 7}}, {"NoGhost of reader"}),
                    Handler("DeletionThatNeverWas",
                            Story().Follows("cache").Gives("put", "y", 7).Gives("tombstone", "y"),
                            {{"y", 7}}, {"NoGap of reader"}),
                    Handler("SameAgainAfterAList",
                            Story().Follows("cache").Gives("put", "y", 7).Gives("put", "y", 7),
                            {{"y", 7}}, {}),
                    Handler("BackAfterItsDeletion",
                            Story()
                                .Follows("cache")
                                .Gives("put", "x", 2)
                                .Gives("tombstone", "x")
                                .Gives("put", "x", 2)
                                .Gives("delete", "x", 4)
                                .Gives("put", "y", 7),
                            {{"y", 7}}, {"NoTimeTravel of reader"}),
                    Handler("OlderAfterNewer",
                            Story().Follows("cache").Gives("put", "y", 7).Gives("put", "y", 5),
                            {{"y", 7}}, {"NoTimeTravel of reader"})),
    NameOf);

Story& IsRefused(Story& story, int times) {
  while (times-- > 0) story.Fails("cache", "Too large resource version: 9, current: 3");
  return story;
}
Row Refused(std::string name, int times, std::vector<std::string> findings) {
  Story story;
  IsRefused(story.Lists("cache", 2, {{"x", 2}}), times).Lists("cache", 7, {{"y", 7}});
  IsRefused(story, 2).Lists("cache", 7, {{"y", 7}});
  return {std::move(name), std::move(Ends(story)), std::move(findings)};
}

INSTANTIATE_TEST_SUITE_P(Refusals, ConsumerTable,
                         testing::Values(Refused("ListsWhatThereIs", 1, {}),
                                         Refused("AsksAgainAndAgain", 3, {"Recovers of cache"})),
                         NameOf);

TEST(ConsumerJudge, FindsTheReportsThatAreAskedFor) {
  Story story;
  story.Fails("cache").Lists("cache", 2).Gives("tombstone", "x");
  ConsumerJudge judge;
  story.FeedTo(judge);
  const std::optional<Line> error = judge.FirstBehind({}, {.kind = "error", .error = "ended"});
  ASSERT_TRUE(error);
  const std::optional<Line> list =
      judge.FirstBehind(*error, {.layers = "store cache", .kind = "watch relist"});
  ASSERT_TRUE(list);
  EXPECT_TRUE(judge.FirstBehind(*list, {.type = "tombstone", .key = "/a/b/x"}));
  EXPECT_FALSE(judge.FirstBehind(*list, {.kind = "error"}));
  EXPECT_FALSE(judge.FirstBehind({}, {.layers = "cache", .type = "tombstone"}));
  EXPECT_FALSE(judge.FirstBehind({}, {.kind = "error", .error = "compacted"}));
  EXPECT_FALSE(judge.FirstBehind({}, {.type = "tombstone", .key = "/a/b/y"}));
}

TEST(ConsumerJudge, CountsWhatEachLayerDid) {
  Story story;
  story.Lists("cache", 2, {{"x", 2}}).Put("cache", "y", 3).Fails("cache").Fails("cache");
  story.Lists("cache", 5, {{"y", 5}}).Put("cache", "y", 7).Put("cache", "y", 7);
  const ConsumerJudgement judgement = Ends(story).Judge();
  ASSERT_THAT(judgement.counts, testing::SizeIs(3));
  EXPECT_EQ(judgement.counts[0].layer, "wire");
  EXPECT_EQ(judgement.counts[1].layer, "cache");
  EXPECT_EQ(judgement.counts[1].counted,
            (std::map<std::string, std::uint64_t>{
                {"lists", 2}, {"events", 3}, {"errors", 2}, {"duplicates", 1}}));
  EXPECT_EQ(judgement.counts[2].layer, "reader");
}

TEST(ConsumerJudge, CountsWhatPassedOnTheWire) {
  Script script;
  script.Annotate(ConsumerStarted{"client", {"client"}, "/a/"});
  script.Put("/a/x", "1", 2).Watch("/a/x", 2).Created(0, 2).Deliver(0, {{2, "/a/x"}});
  script.On(2, "direct").Watch("/a/x", 0).On(3, "consumer").Watch("/a/x", 3);
  ConsumerJudge judge;
  for (const NumberedEntry& line : script.lines()) judge.Consume(line);
  EXPECT_EQ(judge.last_create(), script.lines().back().line);
  EXPECT_EQ(judge.Finish().counts.at(0).counted,
            (std::map<std::string, std::uint64_t>{{"streams", 2}, {"creates", 2}, {"events", 1}}))
      << "the stream on the direct path is one of the harness";
}

TEST(ConsumerJudge, KnowsTheLastBookmark) {
  Story story;
  story.Follows("cache").Bookmark("cache", 7);
  ConsumerJudge judge;
  story.FeedTo(judge);
  EXPECT_EQ(judge.NotifiedOf("cache"), 7);
  EXPECT_EQ(judge.NotifiedOf("reader"), 0);
}

TEST(ConsumerJudge, FindsNothingWithoutAConsumer) {
  ConsumerJudge judge;
  for (const NumberedEntry& line : Script().Put("k", "v", 2).lines()) judge.Consume(line);
  const ConsumerJudgement judgement = judge.Finish();
  EXPECT_TRUE(judgement.consumer.empty());
  EXPECT_TRUE(judgement.findings.empty());
}

}  // namespace
}  // namespace watchproof
