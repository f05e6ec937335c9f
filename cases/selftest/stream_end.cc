// SPDX-License-Identifier: Apache-2.0
// The stream of the watches is ended in the middle of a burst, in one of several ways. The resumed
// watches must neither miss an event nor receive one twice.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

using Parameters = std::map<std::string, std::string>;

void ResumeAfter(Scenario& scenario, const std::string& fault, const Parameters& parameters) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("ended");
  scenario.Put(key);
  scenario.Watch({.group = "first", .count = 5, .range = OneKey(key)});
  scenario.AwaitCreated("first");
  scenario.Inject(fault, parameters);
  for (std::int64_t i = prng.Between(10, 30); i > 0; --i) scenario.Put(key);
  scenario.AwaitEffect(fault);
  scenario.Heal(fault);
  scenario.Resume("first", "second");
  for (std::int64_t i = prng.Between(1, 10); i > 0; --i) scenario.Put(key);
  scenario.AwaitDelivered("second");
}

WATCH_CASE(Resumable, StreamReset,
           {.requirement = "a broken watch can be resumed by a new watch from after the last "
                           "event (etcd API, watch guarantees, resumable)",
            .explain = "The third response after the fault began is the last one of the stream: "
                       "then both sides get RST_STREAM, while the connection stays open. The "
                       "watches are resumed on a new stream.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  ResumeAfter(scenario, "reset-stream", {{"when", "response"}, {"count", "3"}, {"code", "cancel"}});
}

WATCH_CASE(Resumable, GoAway,
           {.requirement = "a broken watch can be resumed by a new watch from after the last "
                           "event (etcd API, watch guarantees, resumable)",
            .explain = "After the second response since the fault began, the client gets GOAWAY "
                       "with 0 as the last stream, so none of its streams is valid any more. The "
                       "watches are resumed on a new connection.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  ResumeAfter(scenario, "goaway", {{"when", "response"}, {"count", "2"}});
}

WATCH_CASE(Resumable, CutAfterEvent,
           {.requirement = "a broken watch can be resumed by a new watch from after the last "
                           "event (etcd API, watch guarantees, resumable)",
            .explain = "Exactly after the last byte of the first event since the fault began, the "
                       "connection is reset. The watches are resumed on a new one.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  ResumeAfter(scenario, "cut-after-event", {{"how", "connection"}});
}

}  // namespace
}  // namespace watchproof
