// SPDX-License-Identifier: Apache-2.0
// Faults that end streams, connections and processes: the watches are resumed.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

// The stream of the watches is ended in the middle of a burst, in one of several ways. The resumed
// watches must neither miss an event nor receive one twice.
using Parameters = std::map<std::string, std::string>;

void ResumeAfter(Scenario& scenario, const std::string& fault, const Parameters& parameters) {
  const std::string key = scenario.Key("ended");
  scenario.Put(key);
  scenario.Open({.group = "first", .count = 5, .range = OneKey(key)});
  scenario.Inject(fault, parameters);
  scenario.PutSome(key, {10, 30});
  scenario.AwaitEffectAndHeal(fault);
  scenario.Resume("first", "second");
  scenario.PutSome(key, {1, 10});
  scenario.AwaitDelivered("second");
}

WATCH_CASE(Resumable, StreamReset,
           {.requirement = kBrokenWatch,
            .explain = "The third response after the fault began is the last one of the stream: "
                       "then both sides get RST_STREAM, while the connection stays open. The "
                       "watches are resumed on a new stream.",
            .needs = {Capability::kProxy},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  ResumeAfter(scenario, "reset-stream", {{"when", "response"}, {"count", "3"}, {"code", "cancel"}});
}

WATCH_CASE(Resumable, GoAway,
           {.requirement = kBrokenWatch,
            .explain = "After the second response since the fault began, the client gets GOAWAY "
                       "with 0 as the last stream, so none of its streams is valid any more. The "
                       "watches are resumed on a new connection.",
            .needs = {Capability::kProxy},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  ResumeAfter(scenario, "goaway", {{"when", "response"}, {"count", "2"}});
}

WATCH_CASE(Resumable, CutAfterEvent,
           {.requirement = kBrokenWatch,
            .explain = "Exactly after the last byte of the first event since the fault began, the "
                       "connection is reset. The watches are resumed on a new one.",
            .needs = {Capability::kProxy},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  ResumeAfter(scenario, "cut-after-event", {{"how", "connection"}});
}

constexpr ValueSize kLarge{90'000, 110'000};
constexpr std::size_t kKeys = 40;

WATCH_CASE(Resumable, CutBetweenFragments,
           {.requirement = kBrokenWatch,
            .explain = "The history of a watch from the past exceeds one message. Its stream ends "
                       "after the first fragment, and the watch is resumed on a new stream.",
            .needs = {Capability::kProxy, Capability::kFragment},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  const std::string stem = scenario.Key("large");
  const Write first = scenario.Put(scenario.Key(stem), kLarge);
  for (std::size_t i = 0; i < kKeys; ++i) scenario.Put(scenario.Key(stem), kLarge);
  scenario.Inject("cut-between-fragments");
  scenario.Open(
      {.group = "first", .range = Below(stem), .start = first, .options = {.fragment = true}});
  scenario.AwaitEffectAndHeal("cut-between-fragments");
  scenario.Resume("first", "second");
  scenario.Put(scenario.Key(stem));
  scenario.AwaitDelivered("second");
}

WATCH_CASE(Resumable, RefusedConnections,
           {.requirement = kBrokenWatch,
            .explain = "New connections are refused while the existing one is reset and keys are "
                       "written. Then the watches are resumed.",
            .needs = {Capability::kProxy},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  const std::string key = scenario.Key("refused");
  scenario.Put(key);
  scenario.Open({.group = "first", .count = 5, .range = OneKey(key)});
  scenario.Inject("refuse");
  scenario.AwaitEffect("refuse");
  scenario.Inject("reset");
  scenario.PutSome(key, {10, 30});
  scenario.AwaitEffectAndHeal("reset");
  scenario.Heal("refuse");
  scenario.Resume("first", "second");
  scenario.PutSome(key, {1, 10});
  scenario.AwaitDelivered("second");
}

// The server is killed, and its clients learn of the closed connection only after a while. Until
// then they wait for a server that does not exist any more.
WATCH_CASE(Resumable, LateConnectionEnd,
           {.requirement = kBrokenWatch,
            .explain = "The server is killed and restarted, and keys are written, before the "
                       "proxy forwards the end of the connection to the clients. Then they resume.",
            .needs = {Capability::kProxy, Capability::kDurable},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  const std::string key = scenario.Key("late");
  scenario.Put(key);
  scenario.Open({.group = "first", .count = 5, .range = OneKey(key)});
  scenario.AwaitDelivered("first");
  scenario.Inject("late-end", {{"delay", "1s"}});
  scenario.Inject("kill");
  scenario.PutSome(key, {10, 30});
  scenario.AwaitEffect("kill");
  scenario.AwaitEffect("late-end");
  scenario.Heal("kill");
  scenario.Heal("late-end");
  scenario.Resume("first", "second");
  scenario.PutSome(key, {1, 10});
  scenario.AwaitDelivered("second");
}

// The server is stopped gracefully and started again. With
//   --fault restart:release=3.5.30
// it is started as another release, which is an upgrade.
WATCH_CASE(Resumable, GracefulRestart,
           {.requirement = "a watch resumes after the last event (etcd API, watch guarantees, "
                           "resumable)",
            .explain = "Watches are open while keys are written; the server is stopped "
                       "gracefully, started again with its data, and written to again. Together, "
                       "the first and the resumed watches must have received every event, once.",
            .needs = {Capability::kDurable},
            .guarantees = {"Resumable", "Reliable"}}) {
  const std::string key = scenario.Key("kept");
  scenario.Open({.group = "first", .count = 10, .range = OneKey(key)});
  for (int i = 0; i < 20; ++i) scenario.Put(key);
  scenario.Disturb("restart");
  for (int i = 0; i < 20; ++i) scenario.Put(key);
  scenario.Resume("first", "second");
  scenario.Put(key);
  scenario.AwaitDelivered("second");
}

}  // namespace
}  // namespace watchproof
