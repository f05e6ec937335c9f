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
constexpr Duration kAlone = 500ms;
constexpr char kFair[] = "no watcher is held up by what others ask for (etcd #22264)";

struct Measuring {
  std::string key;
  std::string burden;
  std::string left_behind;  // by the burden, once it is over
  FigureLimits limits;      // of both
  Duration time = kAlone;   // beside it: many times what it makes others wait at once
  MeasureLoadStep::Asks asks{};

  void Begin(Scenario& scenario) const {
    scenario.Open({.group = "probe", .range = OneKey(key), .stream = "direct/probe"});
    for (int i = 0; i < 2; ++i) Add(scenario, MeasureLoadStep{.time = kAlone});
  }
  void Beside(Scenario& scenario) const {
    Add(scenario, MeasureLoadStep{.beside = burden, .asks = asks, .time = time, .limits = limits});
  }
  void After(Scenario& scenario) const {
    scenario.Add(HoldStep{kOver});
    Add(scenario,
        MeasureLoadStep{.beside = left_behind, .over = true, .time = kAlone, .limits = limits});
  }

 private:
  void Add(Scenario& scenario, MeasureLoadStep step) const {
    step.key = key;
    step.group = "probe";
    scenario.Add(step);
  }
};

// A server that reads the whole backlog of such a watch in each pass, and lets nothing be written
// meanwhile, is slow for all others.
WATCH_CASE(Available, PutsBesideLaggard,
           {.requirement = kFair,
            .explain = "A watch from 10,000 revisions ago catches up; a filter leaves nothing "
                       "for it to receive. Clients that put other keys, and a watch of such a "
                       "key, are measured beside it and without it, in turns: they must keep at "
                       "least half of their puts per second, and likewise once it is closed.",
            .level = Level::kShould,
            .needs = {Capability::kServerOfItsOwn},
            .guarantees = {"Available"},
            .upstream = {22264, 18109},
            .costs = CaseInfo::Costs::kMeasures}) {
  const std::string past = scenario.Key("past");
  const Measuring measuring{.key = scenario.Key("probe"),
                            .burden = std::string(kFarBehind),
                            .left_behind = "what a watch far behind has left",
                            .limits = {{"puts", "2"}},
                            .time = 2s};
  const Write first = WriteHistory(scenario, past, 10'000);
  measuring.Begin(scenario);
  for (int i = 0; i < scenario.turns(); ++i) {
    const std::string name = "behind/" + std::to_string(i);
    scenario.Open({.group = name,
                   .range = Below(past),
                   .start = first,
                   .options = {.no_put = true},
                   .stream = "direct/" + name});
    measuring.Beside(scenario);
    scenario.Add(CloseStep{"direct/" + name});
    measuring.After(scenario);
  }
}

WATCH_CASE(Available, PutsBesideManyWatches,
           {.requirement = kFair,
            .explain = "Ten thousand watches of other keys are open while clients put keys, which "
                       "must keep at least half of the puts per second that they had without "
                       "these watches, and likewise once they are closed.",
            .level = Level::kShould,
            .needs = {Capability::kServerOfItsOwn},
            .guarantees = {"Available"},
            .costs = CaseInfo::Costs::kMeasures}) {
  const std::string idle = scenario.Key("idle");
  const Measuring measuring{.key = scenario.Key("probe"),
                            .burden = "ten thousand idle watches",
                            .left_behind = "what ten thousand idle watches have left",
                            .limits = {{"puts", "2"}}};
  scenario.Put(idle);
  measuring.Begin(scenario);
  for (int i = 0; i < scenario.turns(); ++i) {
    std::vector<std::string> names;
    for (int stream = 0; stream < 10; ++stream) {
      names.push_back(std::to_string(i) + "/" + std::to_string(stream));
      scenario.Watch({.group = names.back(),
                      .count = 1000,
                      .range = Below(idle + names.back()),
                      .stream = "direct/" + names.back()});
    }
    for (const std::string& name : names) scenario.AwaitCreated(name);
    measuring.Beside(scenario);
    for (const std::string& name : names) scenario.Add(CloseStep{"direct/" + name});
    measuring.After(scenario);
  }
}

WATCH_CASE(Available, PutsBesideCompaction,
           {.requirement = kFair,
            .explain = "History is compacted while clients put keys. They must keep at least a "
                       "quarter of the puts per second that they had before, and likewise once "
                       "that is over.",
            .level = Level::kShould,
            .needs = {Capability::kCompaction, Capability::kServerOfItsOwn},
            .guarantees = {"Available"},
            .costs = CaseInfo::Costs::kMeasures}) {
  const Measuring measuring{.key = scenario.Key("probe"),
                            .burden = "a compaction",
                            .left_behind = "what a compaction has left",
                            .limits = {{"puts", "4"}},
                            .asks = MeasureLoadStep::Asks::kCompaction};
  measuring.Begin(scenario);
  for (int i = 0; i < scenario.turns(); ++i) {
    WriteHistory(scenario, scenario.Key("past"), 2'000);
    measuring.Beside(scenario);
    measuring.After(scenario);
  }
}

// A server may answer nothing while it rewrites its backend, for longer the more that holds: that
// is measured, and no limit is set to it.
WATCH_CASE(Available, PutsAfterDefragmentation,
           {.requirement = "a server that has rewritten its backend serves as before (etcd "
                           "operations guide, Defragmentation)",
            .explain = "The backend is defragmented while clients put keys. Meanwhile they are "
                       "measured; once it is over they must have at least half of the puts per "
                       "second that they had before.",
            .level = Level::kShould,
            .needs = {Capability::kServerOfItsOwn},
            .guarantees = {"Available"},
            .costs = CaseInfo::Costs::kMeasures}) {
  Measuring measuring{.key = scenario.Key("probe"),
                      .burden = "a defragmentation",
                      .left_behind = "what a defragmentation has left",
                      .asks = MeasureLoadStep::Asks::kDefragmentation};
  WriteHistory(scenario, scenario.Key("past"), 2'000);
  measuring.Begin(scenario);
  for (int i = 0; i < scenario.turns(); ++i) {
    measuring.limits = {};
    measuring.Beside(scenario);
    measuring.limits = {{"puts", "2"}};
    measuring.After(scenario);
  }
}

WATCH_CASE(Available, PutsBesideReads,
           {.requirement = kFair,
            .explain = "Clients read two megabytes again and again, on the connection of a watch, "
                       "while others put keys. The time from a put to the event that the watch "
                       "receives must not be twenty times what it was without the reads, nor "
                       "stay so once they have ended.",
            .level = Level::kShould,
            .needs = {Capability::kServerOfItsOwn},
            .guarantees = {"Available"},
            .costs = CaseInfo::Costs::kMeasures}) {
  const std::string large = scenario.Key("large");
  const Measuring measuring{.key = scenario.Key("probe"),
                            .burden = "large reads on its connection",
                            .left_behind = "what large reads on its connection have left",
                            .limits = {{"event-delay", "20"}}};
  for (int i = 0; i < 20; ++i) scenario.Put(large + "/" + std::to_string(i), {100'000, 100'000});
  measuring.Begin(scenario);
  for (int i = 0; i < scenario.turns(); ++i) {
    const std::string load = "reads/" + std::to_string(i);
    scenario.BeginLoad({.load = load,
                        .clients = 2,
                        .calls = 100'000,
                        .key = large,
                        .direct = true,
                        .whole_reads = true,
                        .beside = "direct/probe"});
    measuring.Beside(scenario);
    scenario.Add(StopLoadStep{load, /*answered=*/true});
    measuring.After(scenario);
  }
}

}  // namespace
}  // namespace watchproof
