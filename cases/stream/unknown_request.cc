// SPDX-License-Identifier: Apache-2.0
// A newer client may send what an older server does not know. The stream serves many watches,
// so it must go on.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/progress.h"
#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

WATCH_CASE(Isolated, UnknownRequest,
           {.requirement = "a request of an unknown kind is ignored (etcd, watch server: it does "
                           "not end the stream; protocol buffers: unknown fields)",
            .explain = "Between writes, creates, a progress request and a cancel, requests of a "
                       "kind that the server does not know are sent on the same stream. The "
                       "watches on it must receive everything, and the other requests their "
                       "answers.",
            .level = Level::kShould,
            .needs = {Capability::kClientChosenIds, Capability::kProgressRequest},
            .guarantees = {"Isolated", "Settled", "Reliable"}}) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("unknown");
  const Write first = scenario.Put(key);
  const auto unknown = [&] {
    scenario.Add(UnknownRequestStep{});
    scenario.Put(key);
  };
  unknown();
  scenario.Watch({.group = "live", .count = 3, .range = OneKey(key), .first_id = 1});
  unknown();
  scenario.AwaitCreated("live");
  for (std::int64_t i = prng.Between(2, 5); i > 0; --i) unknown();
  scenario.Watch({.group = "cancelled", .range = OneKey(key), .first_id = 10});
  scenario.AwaitCreated("cancelled");
  unknown();
  scenario.Add(CancelStep{"cancelled"});
  scenario.Watch({.group = "late", .range = OneKey(key), .start = first.revision()});
  unknown();
  scenario.AwaitCreated("late");
  for (const char* group : {"live", "late"}) scenario.AwaitDelivered(group);
  unknown();
  scenario.Add(MustReportProgressStep{});
  scenario.Require("late", RequireStep::Fact::kReceived);
}

}  // namespace
}  // namespace watchproof
