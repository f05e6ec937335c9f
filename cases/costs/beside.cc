// SPDX-License-Identifier: Apache-2.0
// What one burden costs all other clients: puts per second, and how long puts and events take,
// beside it and without it, in turns.
#include "cases/costs/history.h"
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/measure.h"
#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

// What a server takes to see that a burden is over.
constexpr Duration kOver = 300ms;
constexpr char kFair[] = "no watcher is held up by what others ask for (etcd #22264)";

struct Measuring {
  std::string key;
  FigureLimits limits;
  Duration time = 500ms;  // longer than what the burden makes wait for itself

  void Begin(Scenario& scenario) const {
    scenario.Open({.group = "probe", .range = OneKey(key), .stream = "direct/probe"});
  }
  void Alone(Scenario& scenario) const {
    scenario.Add(HoldStep{kOver});
    scenario.Add(MeasureLoadStep{.key = key, .group = "probe", .time = time});
  }
  void Beside(Scenario& scenario, const std::string& burden) const {
    scenario.Add(MeasureLoadStep{
        .beside = burden, .key = key, .group = "probe", .time = time, .limits = limits});
  }
};

// A server that reads the whole backlog of such a watch in each pass, and lets nothing be written
// meanwhile, is slow for all others.
WATCH_CASE(Available, PutsBesideLaggard,
           {.requirement = kFair,
            .explain = "A watch from 10,000 revisions ago catches up; a filter leaves nothing "
                       "for it to receive. Clients that put other keys, and a watch of such a "
                       "key, are measured beside it and without it, in turns: they must keep at "
                       "least half of their puts per second.",
            .level = Level::kShould,
            .needs = {Capability::kServerOfItsOwn},
            .guarantees = {"Available"},
            .upstream = {22264, 18109},
            .costs = CaseInfo::Costs::kMeasures}) {
  const std::string past = scenario.Key("past");
  const Measuring measuring{scenario.Key("probe"), {{"puts", "2"}}, 1s};
  const Write first = WriteHistory(scenario, past, 10'000);
  measuring.Begin(scenario);
  for (int i = 0; i < kTurns; ++i) {
    measuring.Alone(scenario);
    const std::string name = "behind/" + std::to_string(i);
    scenario.Open({.group = name,
                   .range = Below(past),
                   .start = first,
                   .options = {.no_put = true},
                   .stream = "direct/" + name});
    measuring.Beside(scenario, std::string(kFarBehind));
    scenario.Add(CloseStep{"direct/" + name});
  }
}

WATCH_CASE(Available, PutsBesideManyWatches,
           {.requirement = kFair,
            .explain = "Ten thousand watches of other keys are open while clients put keys. They "
                       "must keep at least half of the puts per second that they had without "
                       "these watches.",
            .level = Level::kShould,
            .needs = {Capability::kServerOfItsOwn},
            .guarantees = {"Available"},
            .costs = CaseInfo::Costs::kMeasures}) {
  const std::string idle = scenario.Key("idle");
  const Measuring measuring{scenario.Key("probe"), {{"puts", "2"}}};
  scenario.Put(idle);
  measuring.Begin(scenario);
  for (int i = 0; i < kTurns; ++i) {
    measuring.Alone(scenario);
    std::vector<std::string> names;
    for (int stream = 0; stream < 10; ++stream) {
      names.push_back(std::to_string(i) + "/" + std::to_string(stream));
      scenario.Watch({.group = names.back(),
                      .count = 1000,
                      .range = Below(idle + names.back()),
                      .stream = "direct/" + names.back()});
    }
    for (const std::string& name : names) scenario.AwaitCreated(name);
    measuring.Beside(scenario, "ten thousand idle watches");
    for (const std::string& name : names) scenario.Add(CloseStep{"direct/" + name});
  }
}

WATCH_CASE(Available, PutsBesideCompaction,
           {.requirement = kFair,
            .explain = "History is compacted while clients put keys. They must keep at least a "
                       "quarter of the puts per second that they had before.",
            .level = Level::kShould,
            .needs = {Capability::kCompaction, Capability::kServerOfItsOwn},
            .guarantees = {"Available"},
            .costs = CaseInfo::Costs::kMeasures}) {
  const Measuring measuring{scenario.Key("probe"), {{"puts", "4"}}};
  measuring.Begin(scenario);
  for (int i = 0; i < kTurns; ++i) {
    WriteHistory(scenario, scenario.Key("past"), 2'000);
    measuring.Alone(scenario);
    scenario.Add(CompactStep{AtHead(), /*at_once=*/true});
    measuring.Beside(scenario, "a compaction");
  }
}

WATCH_CASE(Available, PutsBesideReads,
           {.requirement = kFair,
            .explain = "Clients read two megabytes again and again, on the connection of a watch, "
                       "while others put keys. The time from a put to the event that the watch "
                       "receives must not be twenty times what it was without the reads.",
            .level = Level::kShould,
            .needs = {Capability::kServerOfItsOwn},
            .guarantees = {"Available"},
            .costs = CaseInfo::Costs::kMeasures}) {
  const std::string large = scenario.Key("large");
  const Measuring measuring{scenario.Key("probe"), {{"event-delay", "20"}}};
  for (int i = 0; i < 20; ++i) scenario.Put(large + "/" + std::to_string(i), {100'000, 100'000});
  measuring.Begin(scenario);
  for (int i = 0; i < kTurns; ++i) {
    measuring.Alone(scenario);
    const std::string load = "reads/" + std::to_string(i);
    scenario.BeginLoad({.load = load,
                        .clients = 2,
                        .calls = 100'000,
                        .key = large,
                        .direct = true,
                        .whole_reads = true,
                        .beside = "direct/probe"});
    measuring.Beside(scenario, "large reads on its connection");
    scenario.Add(StopLoadStep{load, /*answered=*/true});
  }
}

}  // namespace
}  // namespace watchproof
