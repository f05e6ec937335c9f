// SPDX-License-Identifier: Apache-2.0
// A request that is larger than the server takes ends the stream that it came on, and nothing
// else.
#include "cases/support/watch_case.h"
#include "harness/scenario/steps/stream.h"

namespace watchproof {
namespace {

WATCH_CASE(Isolated, OversizedRequest,
           {.requirement = "a message above the receiver's limit ends its call with "
                           "RESOURCE_EXHAUSTED (gRPC, status codes), and no watch disturbs "
                           "another (etcd API, watch guarantees)",
            .explain = "Two streams share one connection. A request of 5 MiB, above gRPC's default "
                       "limit, is sent on one of them while keys are written. This stream must "
                       "end; the watches of the other stream must receive everything, and a new "
                       "stream on the same connection must work.",
            .level = Level::kMust,
            .needs = {},
            .guarantees = {"Isolated", "Reliable", "Settled"}}) {
  Prng prng = scenario.Random("shape");
  const std::string key = scenario.Key("beside");
  const auto write = [&] {
    for (std::int64_t i = prng.Between(3, 12); i > 0; --i) scenario.Put(key);
  };
  const auto watch = [&](const std::string& name, RevisionRef start) {
    scenario.Watch({.group = name,
                    .count = 3,
                    .range = OneKey(key),
                    .start = start,
                    .stream = name,
                    .beside = name == "stays" ? "" : "stays"});
    scenario.AwaitCreated(name);
  };
  const Write first = scenario.Put(key);
  watch("stays", FromNow());
  watch("ends", FromNow());
  write();
  scenario.AwaitDelivered("ends");
  scenario.Add(OversizedRequestStep{"ends"});
  write();
  watch("next", first.revision());
  write();
  for (const char* group : {"stays", "next"}) scenario.AwaitDelivered(group);
}

}  // namespace
}  // namespace watchproof
