// SPDX-License-Identifier: Apache-2.0
// What watches cost the memory of the store: while they are open, and once they have got what they
// wanted.
#include "cases/costs/history.h"
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/measure.h"
#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

WATCH_CASE(Bounded, MemoryAfterCatchUp,
           {.requirement = "what a server has read for a watch is of no use once the watch has it "
                           "(etcd #21355)",
            .explain = "Watches from 5,000 revisions ago catch up, one after the other; a filter "
                       "leaves nothing for them to receive. Each time, once it has its last "
                       "event, the memory that the server has in use must not be twice what it "
                       "was before the first of them.",
            .level = Level::kShould,
            .needs = {Capability::kServerOfItsOwn},
            .guarantees = {"Bounded"},
            .upstream = {21355, 17563},
            .costs = CaseInfo::Costs::kMeasures}) {
  const std::string past = scenario.Key("past");
  const std::string ballast = scenario.Key("ballast");
  const Write first = WriteHistory(scenario, past, 5'000);
  scenario.Add(MeasureRestStep{.key = ballast});
  for (int i = 0; i < scenario.turns(); ++i) {
    const std::string name = "behind/" + std::to_string(i);
    scenario.Watch({.group = name,
                    .range = Below(past),
                    .start = first,
                    .options = {.no_put = true},
                    .stream = "direct/" + name});
    scenario.Put(past + "/last");
    scenario.Delete(past + "/last");
    scenario.AwaitDelivered(name);
    scenario.Add(MeasureRestStep{
        .beside = std::string(kCaughtUp), .key = ballast, .limits = {{"kept", "2"}}});
    scenario.Add(CloseStep{"direct/" + name});
  }
}

WATCH_CASE(
    Bounded, MemoryOfStalledStreams,
    {.requirement = "a client that does not read must not cost the server more than what it "
                    "may keep for it (etcd #16839)",
     .explain = "Ten streams are stalled while three megabytes are written, again and "
                "again. What each byte adds to the memory in use must not be three "
                "times what it adds while nothing is stalled, which is far less than a copy "
                "for each stream. Each time, once they have received everything and are closed, "
                "the memory in use must not be twice what it was before.",
     .level = Level::kShould,
     .needs = {Capability::kProxy, Capability::kServerOfItsOwn},
     .guarantees = {"Bounded"},
     .upstream = {16839},
     .costs = CaseInfo::Costs::kMeasures}) {
  constexpr std::size_t kPuts = 150;
  constexpr std::size_t kEach = 20'000;
  const std::string key = scenario.Key("large");
  const std::string ballast = scenario.Key("ballast");
  scenario.Put(key, {kEach, kEach});
  // They share its connection, which stays open.
  scenario.Open({.group = "first", .range = OneKey(key), .stream = "first"});
  scenario.Add(MeasureRestStep{.key = ballast});
  for (int turn = 0; turn < scenario.turns(); ++turn) {
    // A server may keep what is written for other reasons, such as members that are behind.
    scenario.PutSome(key, {kPuts, kPuts}, {kEach, kEach});
    scenario.AwaitDelivered("first");
    scenario.Add(MeasureRestStep{.key = ballast, .written = kPuts * kEach});
    std::vector<std::string> streams;
    for (int i = 0; i < 10; ++i) {
      streams.push_back(std::to_string(turn) + "/" + std::to_string(i));
      scenario.Open({.group = streams.back(),
                     .range = OneKey(key),
                     .stream = streams.back(),
                     .beside = "first"});
    }
    scenario.Stall(key, {kPuts, kPuts}, {kEach, kEach});
    scenario.Add(MeasureRestStep{.beside = "stalled streams",
                                 .key = ballast,
                                 .written = kPuts * kEach,
                                 .limits = {{"per-written", "3"}}});
    scenario.Heal("stall");
    for (const std::string& stream : streams) {
      scenario.AwaitDelivered(stream);
      scenario.Add(CloseStep{stream});
    }
    scenario.Add(MeasureRestStep{
        .beside = "streams that were stalled", .key = ballast, .limits = {{"kept", "2"}}});
  }
}

// A watch that nothing happens to costs as much whether it is the first or the thousandth.
WATCH_CASE(
    Bounded, MemoryOfWatches,
    {.requirement = "watches are cheap: many may share a stream (etcd API, Watch)",
     .explain =
         "Again and again five thousand watches are opened, each five thousand of a range and "
         "on a stream of their own. However many there are, a watch must not add "
         "twice as much to the memory in use as each of the first five thousand.",
     .level = Level::kShould,
     .needs = {Capability::kServerOfItsOwn},
     .guarantees = {"Bounded"},
     .costs = CaseInfo::Costs::kMeasures}) {
  constexpr std::size_t kMore = 5'000;
  const std::string idle = scenario.Key("idle");
  const std::string ballast = scenario.Key("ballast");
  scenario.Put(idle);
  scenario.Add(MeasureRestStep{.key = ballast});
  for (int i = 0; i <= scenario.turns(); ++i) {
    const std::string name = std::to_string(i);
    scenario.Open(
        {.group = name, .count = kMore, .range = Below(idle + name), .stream = "direct/" + name});
    scenario.Add(MeasureRestStep{.beside = i == 0 ? "" : "thousands more",
                                 .key = ballast,
                                 .watches = kMore * static_cast<std::size_t>(i + 1),
                                 .limits = {{"per-watch", "2"}}});
  }
}

WATCH_CASE(Bounded, CancelledWatches,
           {.requirement = "a watch ends when it is cancelled (etcd API, Watch), and so does what "
                           "the server keeps for it",
            .explain = "A thousand watches are opened and cancelled, again and again, while their "
                       "stream goes on. The server must come to rest with as many goroutines and "
                       "as much memory in use as before the first of them.",
            .level = Level::kShould,
            .needs = {Capability::kServerOfItsOwn},
            .guarantees = {"Bounded"},
            .costs = CaseInfo::Costs::kMeasures}) {
  constexpr std::size_t kCancelled = 1000;
  const std::string key = scenario.Key("cancelled");
  const std::string ballast = scenario.Key("ballast");
  scenario.Put(key);
  scenario.Open({.group = "stays", .range = OneKey(key), .stream = "direct/main"});
  scenario.Add(MeasureRestStep{.key = ballast});
  scenario.Add(MeasureRestStep{.key = ballast, .cancels = kCancelled});
  for (int i = 0; i < scenario.turns(); ++i) {
    const std::string name = std::to_string(i);
    scenario.Open(
        {.group = name, .count = kCancelled, .range = OneKey(key), .stream = "direct/main"});
    scenario.PutSome(key, {3, 6});
    scenario.Add(CancelStep{name});
    scenario.Add(
        MeasureRestStep{.beside = "cancelled watches",
                        .key = ballast,
                        .cancels = kCancelled * static_cast<std::size_t>(i + 1),
                        .limits = {{"kept", "2"}, {"goroutines", "3"}, {"per-cancel", "4"}}});
  }
}

}  // namespace
}  // namespace watchproof
