// SPDX-License-Identifier: Apache-2.0
// The stream of the watches is ended in the middle of what it carries, in one way or another.
// Resumed, the watches must miss nothing and see nothing twice.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

using Parameters = std::map<std::string, std::string>;

void ResumeBehind(Scenario& scenario, const std::string& fault, const Parameters& parameters) {
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

WATCH_CASE(Resumable, MissesNothingAfterItsStreamIsReset,
           {.requirement = "a broken watch can be resumed by a new watch from after the last "
                           "event (etcd API, watch guarantees, resumable)",
            .explain = "The third response after the fault began is the last that the stream "
                       "carries: then both sides are told with RST_STREAM that it is over, while "
                       "the connection lives on. The watches are resumed on a new stream.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  ResumeBehind(scenario, "reset-stream",
               {{"when", "response"}, {"count", "3"}, {"code", "cancel"}});
}

WATCH_CASE(Resumable, MissesNothingAfterGoAway,
           {.requirement = "a broken watch can be resumed by a new watch from after the last "
                           "event (etcd API, watch guarantees, resumable)",
            .explain = "Behind the second response after the fault began the client is told "
                       "GOAWAY with 0 as the last stream: none of its streams counts any more. "
                       "The watches are resumed on a new connection.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  ResumeBehind(scenario, "goaway", {{"when", "response"}, {"count", "2"}});
}

WATCH_CASE(Resumable, MissesNothingAfterACutBehindAnEvent,
           {.requirement = "a broken watch can be resumed by a new watch from after the last "
                           "event (etcd API, watch guarantees, resumable)",
            .explain = "Right behind the first event after the fault began, to the byte, the "
                       "connection is reset. The watches are resumed on a new one.",
            .level = Level::kMust,
            .needs = {Capability::kProxy},
            .guarantees = {"Resumable", "Reliable", "Unique"}}) {
  ResumeBehind(scenario, "cut-after-event", {{"how", "connection"}});
}

}  // namespace
}  // namespace watchproof
