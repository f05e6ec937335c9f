// SPDX-License-Identifier: Apache-2.0
#include "harness/checkers/testing/truth_table.h"

namespace watchproof {
namespace {

constexpr bool kFragments = true;

Script Wide(bool fragment = kFragments) {
  return Script()
      .Txn({.puts = {{"k1", "a"}, {"k2", "a"}, {"k3", "a"}}}, 2)
      .Watch("k", 2, {.range_end = "l", .fragment = fragment})
      .Created(0, 2);
}
// With the fragment flag, without events.
Message Bare() { return Message().Nested(1, Header(1)).Number(7, 1); }
Script FirstPart() { return Wide().DeliverPart(0, {{2, "k1"}}); }
Script Rest(Script script) { return script.Deliver(0, {{2, "k2"}, {2, "k3"}}); }
Script Cut(Script script) {
  return script.Annotate(ClosingStream{StreamId(1)}).Closed(StatusCode::kUnavailable);
}

INSTANTIATE_TEST_SUITE_P(
    Fragmented, TruthTable,
    testing::ValuesIn(std::vector<Row>{
        {"AddsUpToTheWhole", Rest(FirstPart()), {}},
        {"ThreeParts", FirstPart().DeliverPart(0, {{2, "k2"}}).Deliver(0, {{2, "k3"}}), {}},
        {"PartsInsideARevision", FirstPart().Deliver(0, {{2, "k2"}, {2, "k3"}}), {}},
        {"LargerThanASplitResponse",
         Wide()
             .Put("k4", std::string(100, 'x'), 3)
             .Put("k5", std::string(100, 'x'), 4)
             .DeliverPart(0, {{2, "k1"}})
             .Deliver(0, {{2, "k2"}, {2, "k3"}})
             .Deliver(0, {{3, "k4"}, {4, "k5"}}),
         {"Fragmented"}},
        {"LargerToAWatchForWhichItWasReady",
         Wide()
             .Put("k4", std::string(100, 'x'), 3)
             .Put("k5", std::string(100, 'x'), 4)
             .DeliverPart(0, {{2, "k1"}})
             .Deliver(0, {{2, "k2"}, {2, "k3"}})
             .Deliver(0, {{3, "k4"}})
             .Deliver(0, {{4, "k5"}})
             .Watch("k", 3, {.range_end = "l", .fragment = true})
             .Created(1, 4)
             .Deliver(1, {{3, "k4"}, {4, "k5"}}),
         {},
         false,
         {},
         {"Fragmented"}},
        {"OneLargeEventCannotBeSplit",
         Wide()
             .Put("k4", std::string(200, 'x'), 3)
             .DeliverPart(0, {{2, "k1"}})
             .Deliver(0, {{2, "k2"}, {2, "k3"}})
             .Deliver(0, {{3, "k4"}}),
         {}},
        {"LargerOnAWatchWithoutFragments",
         Wide()
             .Put("k4", std::string(100, 'x'), 3)
             .Put("k5", std::string(100, 'x'), 4)
             .DeliverPart(0, {{2, "k1"}})
             .Deliver(0, {{2, "k2"}, {2, "k3"}})
             .Deliver(0, {{3, "k4"}})
             .Deliver(0, {{4, "k5"}})
             .Watch("k", 3, {.range_end = "l"})
             .Created(1, 4)
             .Deliver(1, {{3, "k4"}, {4, "k5"}}),
         {}},
        {"WholeResponsesAreAllowed", Wide().Deliver(0, {{2, "k1"}, {2, "k2"}, {2, "k3"}}), {}},
        {"AnswerToACreateInParts",
         Script()
             .Watch("k", 2, {.fragment = true})
             .Payload(EntryKind::kResponseReceived, Bare().Number(3, 1).bytes()),
         {"Fragmented"}},
        {"CancellationInParts",
         Script()
             .Watch("k", 2, {.fragment = true})
             .Created(0)
             .Cancel(0)
             .Payload(EntryKind::kResponseReceived, Bare().Number(4, 1).bytes()),
         {"Fragmented"}},
        {"NotAskedFor", Rest(Wide(!kFragments).DeliverPart(0, {{2, "k1"}})), {"Fragmented"}},
        {"ProgressInBetween", Rest(FirstPart().Progress(0, 2)), {"Bookmarkable", "Fragmented"}},
        {"LastPartNeverComes", FirstPart().DeliverPart(0, {{2, "k2"}, {2, "k3"}}), {"Fragmented"}},
        {"LastPartAndChangesNeverCome", FirstPart(), {"Atomic", "Fragmented", "Settled"}},
        {"CutInTheMiddle", Cut(FirstPart()), {}},
        {"CutAfterAPartThatCannotBeFollowed",
         Cut(FirstPart().DeliverPart(0, {{2, "k2"}, {2, "k3"}})),
         {"Fragmented"}},
        {"CutInTheMiddleOfAnUnknownRevisionIsNotDecided",
         Cut(Wide()
                 .Deliver(0, {{2, "k1"}, {2, "k2"}, {2, "k3"}})
                 .StartPut(1, "k4", "a")
                 .FailCall(1, Method::kPut, StatusCode::kUnavailable)
                 .Payload(EntryKind::kResponseReceived,
                          Message()
                              .Nested(1, Header(3))
                              .Number(7, 1)
                              .Nested(11, Message().Nested(2, KeyValue({.key = "k4",
                                                                        .value = "a",
                                                                        .create = 3,
                                                                        .mod = 3,
                                                                        .version = 1})))
                              .bytes())),
         {},
         true},
        {"AnotherHeader",
         Wide()
             .Put("k1", "b", 3)
             .DeliverPart(0, {{2, "k1"}, {2, "k2"}, {2, "k3"}})
             .Deliver(0, {{3, "k1"}}),
         {"Fragmented"}},
        {"EndInBetween", FirstPart().Cancel(0).Cancelled(0), {"Atomic", "Fragmented"}},
        {"AnotherWatchInBetween",
         Rest(Wide()
                  .Watch("k1", 2)
                  .Created(1, 2)
                  .DeliverPart(0, {{2, "k1"}})
                  .Deliver(1, {{2, "k1"}})),
         {}},
        {"ProgressWithTheFragmentFlag",
         Wide()
             .Deliver(0, {{2, "k1"}, {2, "k2"}, {2, "k3"}})
             .Payload(EntryKind::kResponseReceived,
                      Message().Nested(1, Header(2)).Number(7, 1).bytes()),
         {"Fragmented"}},
    }),
    RowName);

}  // namespace
}  // namespace watchproof
