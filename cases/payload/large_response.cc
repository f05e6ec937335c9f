// SPDX-License-Identifier: Apache-2.0
// A client that asks for fragments gets large responses in pieces. The pieces together must be
// exactly the response, without a piece of another watch in between, and only the last piece may be
// flagged as the last.
#include "cases/support/watch_case.h"

namespace watchproof {
namespace {

constexpr ValueSize kLarge{.least = 90 * 1024, .most = 110 * 1024};

WATCH_CASE(Fragmented, LargeResponse,
           {.requirement = "fragment splits large watch responses (etcd API, "
                           "WatchCreateRequest.fragment)",
            .explain = "Some megabytes of history, two keys per revision, are read by a watch "
                       "that asked for fragments and by one that did not. Joined together, the "
                       "fragments must equal the whole response.",
            .level = Level::kMust,
            .needs = {Capability::kFragment},
            .guarantees = {"Fragmented", "Reliable", "Atomic"}}) {
  Prng prng = scenario.Random("shape");
  const std::string stem = scenario.Key("large");
  const Write first = scenario.Put(scenario.Key(stem), kLarge);
  // Two of a revision each, so that a fragment may end between them.
  for (std::int64_t i = prng.Between(18, 24); i > 0; --i) {
    scenario.PutTogether({scenario.Key(stem), scenario.Key(stem)}, kLarge);
  }
  const WatchedRange range = Prefix(stem + "/");
  scenario.Watch({.group = "pieces",
                  .count = 2,
                  .range = range,
                  .start = first.revision(),
                  .options = {.fragment = true}});
  scenario.Watch({.group = "whole", .range = range, .start = first.revision(), .stream = "second"});
  scenario.AwaitCreated("pieces");
  scenario.AwaitCreated("whole");
  scenario.AwaitDelivered("pieces");
  scenario.AwaitDelivered("whole");
  scenario.Put(scenario.Key(stem), kLarge);
}

}  // namespace
}  // namespace watchproof
