// SPDX-License-Identifier: Apache-2.0
// A client is connected, and for a while nobody serves it.
#include "harness/faults/path_call.h"

namespace watchproof {
namespace {

const FaultRegistration kLateAccept{{
    .info = {.name = "late-accept",
             .explain = "New connections of the road between clients and target are served late, "
                        "as by a server too busy to call accept; those that exist are left alone. "
                        "Felt when a connection was kept waiting and a call over the same road, on "
                        "a connection of its own, took at least as long.",
             .parameters = {{"delay", "200ms", "how long each new connection waits"}}},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(proxy::EffectSpec spec,
                          SpecOf("late-accept", proxy::Direction::kBoth, given));
      WP_ASSIGN_OR_RETURN(const Duration delay, proxy::ParseDuration(given.at("delay")));
      return MakeSlowPath({.effect = std::move(spec),
                           .count = &proxy::Receipt::connections_touched,
                           .counted_as = "connections_held",
                           .required = delay});
    },
}};

}  // namespace
}  // namespace watchproof
