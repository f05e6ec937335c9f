// SPDX-License-Identifier: Apache-2.0
// Recordings of which nothing is known but what passed: what must not be called a finding, and what
// must.
#include "harness/checkers/testing/truth_table.h"
#include "harness/model/observed.h"

namespace watchproof {
namespace {

struct Stored {
  std::int64_t revision = 0;
  std::string value{};
  std::int64_t version = 1;
  std::int64_t create = 0;  // 0: the revision
  std::string key = "k";
};
// An event of a change that no line of the script wrote.
Event Of(const Stored& put) {
  return {.kv = {.key = put.key,
                 .value = put.value,
                 .create = put.create == 0 ? put.revision : put.create,
                 .mod = put.revision,
                 .version = put.version}};
}
Event DeleteAt(std::int64_t revision) {
  return {.deleted = true, .kv = {.key = "k", .mod = revision}};
}
Event WithPrevious(Event event, const Stored& previous) {
  event.previous = Of(previous).kv;
  return event;
}

// A watch on k from revision 5 on, with id 0 on stream 1; the script's own read found revision 4.
Script Watching(const ScriptedCreate& options = {}) {
  return Script(4).Watch("k", 5, options).Created(0, 4);
}
// Another one, with id 0 on stream 2.
Script Twice() { return Watching().On(2).Watch("k", 5).Created(0, 4); }

class PassiveTable : public testing::TestWithParam<Row> {};

TEST_P(PassiveTable, Judges) {
  Observed observed;
  for (const NumberedEntry& line : GetParam().history.lines()) observed.Consume(line);
  JudgeOptions options = OptionsOf({.passive = true});
  options.observed = &observed;
  const Judgement judgement = GetParam().history.Judge(options);
  std::vector<std::string> found;
  for (const Finding& finding : judgement.findings) found.emplace_back(Name(finding.guarantee));
  EXPECT_THAT(found, testing::UnorderedElementsAreArray(GetParam().findings)) << Story(judgement);
}

INSTANTIATE_TEST_SUITE_P(
    NoFinding, PassiveTable,
    testing::ValuesIn(std::vector<Row>{
        {"WrittenByAnotherClient",
         Watching().DeliverRaw(0, {Of({.revision = 7, .version = 3, .create = 2})})},
        {"AnotherClientWroteInBetween",
         Watching()
             .Put("k", "mine", 6)
             .DeliverRaw(0, {Of({.revision = 6, .value = "mine", .version = 4, .create = 2})})
             .DeliverRaw(0, {Of({.revision = 9, .version = 5, .create = 2})})},
        {"StillUnderWay", Watching().Put("k", "a", 5).Put("k", "b", 6).Deliver(0, {{5, "k"}})},
        {"TheTargetWasStopped", Watching().Put("k", "a", 5).Closed(StatusCode::kUnavailable)},
        {"NotAnswered", Script(4).Watch("k", 5)},
        {"EndedForReasonsOfTheTarget", Watching().Cancelled(0, "permission denied")},
        {"RefusedForReasonsOfTheTarget",
         Script(4).Compact(4).Watch("k", 2).Refused(0, "permission denied")},
        // As a segment states it after those before it were dropped.
        {"BeganBefore", Script(40).Watch("k", 30).Created(0, 4).DeliverRaw(
                            0, {Of({.revision = 31, .version = 7, .create = 3})})},
        {"CompactedByOthers", Script(30).Watch("k", 2).Created(0, 30).Compacted(0, 15)},
        {"NoPreviousValueLeft",
         Watching({.previous = true})
             .DeliverRaw(0, {Of({.revision = 7, .version = 3, .create = 2})})},
        {"PreviousValueByAnotherClient",
         Watching({.previous = true})
             .DeliverRaw(0, {WithPrevious(Of({.revision = 7, .version = 3, .create = 2}),
                                          {.revision = 6, .version = 2, .create = 2})})},
        {"OneRevisionSeenByTwoRanges",
         Watching()
             .On(2)
             .Watch("a", 5, {.range_end = "z"})
             .Created(0, 4)
             .On(1)
             .DeliverRaw(0, {Of({.revision = 5})})
             .On(2)
             .DeliverRaw(0, {Of({.revision = 5, .key = "b"}), Of({.revision = 5})})},
        {"MadeAgain", Watching()
                          .DeliverRaw(0, {Of({.revision = 5})})
                          .DeliverRaw(0, {DeleteAt(6)})
                          .DeliverRaw(0, {Of({.revision = 9})})},
        {"PutsAreFilteredOut",
         Watching({.no_put = true}).DeliverRaw(0, {DeleteAt(6)}).DeliverRaw(0, {DeleteAt(8)})},
    }),
    RowName);

INSTANTIATE_TEST_SUITE_P(
    Finding, PassiveTable,
    testing::ValuesIn(std::vector<Row>{
        {"GoesBack",
         Watching()
             .DeliverRaw(0, {Of({.revision = 6, .version = 2, .create = 5})})
             .DeliverRaw(0, {Of({.revision = 5})}),
         {"Ordered"}},
        {"Repeats",
         Watching().DeliverRaw(0, {Of({.revision = 5})}).DeliverRaw(0, {Of({.revision = 5})}),
         {"Unique"}},
        {"SplitsARevision",
         Script(4)
             .Watch("a", 5, {.range_end = "z"})
             .Created(0, 4)
             .DeliverRaw(0, {Of({.revision = 5, .key = "b"})})
             .DeliverRaw(0, {Of({.revision = 5})}),
         {"Atomic"}},
        {"LosesAnAcknowledgedWrite",
         Watching()
             .Put("k", "a", 5)
             .DeliverRaw(0, {Of({.revision = 7, .version = 3, .create = 2})}),
         {"Reliable"}},
        {"LosesWhatAnotherWatchReceived",
         Twice()
             .DeliverRaw(0, {Of({.revision = 5}), Of({.revision = 6, .version = 2, .create = 5})})
             .On(1)
             .DeliverRaw(0, {Of({.revision = 6, .version = 2, .create = 5})}),
         {"Reliable"}},
        {"LosesWhatTheVersionsCount",
         Watching()
             .DeliverRaw(0, {Of({.revision = 5})})
             .DeliverRaw(0, {Of({.revision = 9, .version = 4, .create = 5})}),
         {"Reliable"}},
        {"LosesADelete",
         Watching().DeliverRaw(0, {Of({.revision = 5})}).DeliverRaw(0, {Of({.revision = 9})}),
         {"Reliable"}},
        {"LosesAPutBetweenDeletes",
         Watching().DeliverRaw(0, {DeleteAt(6)}).DeliverRaw(0, {DeleteAt(9)}),
         {"Reliable"}},
        {"TwoWatchesDisagree",
         Twice()
             .DeliverRaw(0, {Of({.revision = 5, .value = "a"})})
             .On(1)
             .DeliverRaw(0, {Of({.revision = 5, .value = "b"})}),
         {"Reliable"}},
        {"AnotherValueThanWritten",
         Watching().Put("k", "a", 5).DeliverRaw(0, {Of({.revision = 5, .value = "b"})}),
         {"Reliable"}},
        {"VersionsDisagree",
         Twice()
             .DeliverRaw(0, {Of({.revision = 5, .version = 2, .create = 3})})
             .On(1)
             .DeliverRaw(0, {Of({.revision = 5, .version = 3, .create = 3})}),
         {"Fields"}},
        {"ProgressOvertakes",
         Watching().Progress(0, 7).DeliverRaw(0, {Of({.revision = 6})}),
         {"Bookmarkable"}},
        {"ProgressOverALostChange", Watching().Put("k", "a", 5).Progress(0, 7), {"Reliable"}},
        {"SilentBelowTheFloor",
         Script(4).Compact(4).Watch("k", 2).Created(0, 4).DeliverRaw(
             0, {Of({.revision = 7, .version = 6, .create = 2})}),
         {"CompactionSurfaced"}},
        {"ErrCompactedAboveTheFloor",
         Script(9).Compact(5).Watch("k", 9).Created(0, 9).Compacted(0, 5),
         {"CompactionSurfaced"}},
        {"HeaderBelowItsEvent",
         Watching().WithHeader(4).DeliverRaw(0, {Of({.revision = 5})}),
         {"Headers"}},
        {"OfAnotherKey", Watching().DeliverRaw(0, {Of({.revision = 5, .key = "z"})}), {"Filtered"}},
        {"ForNoWatch", Watching().DeliverRaw(7, {Of({.revision = 5})}), {"Isolated"}},
        {"WrongPreviousValue",
         Watching({.previous = true})
             .DeliverRaw(0, {WithPrevious(Of({.revision = 7, .version = 3, .create = 2}),
                                          {.revision = 6, .version = 1, .create = 2})}),
         {"PreviousValue"}},
        {"PreviousValueOlderThanKnown",
         Watching({.previous = true})
             .Put("k", "a", 6)
             .DeliverRaw(0,
                         {WithPrevious(Of({.revision = 6, .value = "a", .version = 2, .create = 2}),
                                       {.revision = 2})})
             .DeliverRaw(0, {WithPrevious(Of({.revision = 9, .version = 3, .create = 2}),
                                          {.revision = 5, .version = 2, .create = 2})}),
         {"PreviousValue"}},
    }),
    RowName);

TEST(Passive, SilenceBelowTheFloorIsUndecided) {
  Observed observed;
  const Script script = Script(4).Compact(4).Watch("k", 2).Created(0, 4);
  JudgeOptions options = OptionsOf({.passive = true});
  options.observed = &observed;
  const Judgement judgement = script.Judge(options);
  EXPECT_THAT(judgement.undecided, testing::ElementsAre(testing::StartsWith("1 watch from below")));
}

TEST(Coverage, CountsWhatMoreThanOneAccountNames) {
  Observed observed;
  const Script script = Twice()
                            .DeliverRaw(0, {Of({.revision = 5}), Of({.revision = 8, .key = "x"})})
                            .On(1)
                            .DeliverRaw(0, {Of({.revision = 5})})
                            .Put("k", "mine", 9)
                            .On(3, "recorder")
                            .Watch("k", 5)
                            .Created(0, 4)
                            .DeliverRaw(0, {Of({.revision = 9, .value = "mine"})});
  for (const NumberedEntry& line : script.lines()) observed.Consume(line);
  const Coverage& coverage = observed.coverage();
  EXPECT_EQ(coverage.watches, 2u);
  EXPECT_EQ(coverage.events, 3u);
  EXPECT_EQ(coverage.changes, 3u);
  EXPECT_EQ(coverage.confirmed, 2u);
  EXPECT_EQ(coverage.writes, 1u);
  EXPECT_EQ(coverage.control_watches, 1u);
  EXPECT_EQ(coverage.control_events, 1u);
}

}  // namespace
}  // namespace watchproof
