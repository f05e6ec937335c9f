// SPDX-License-Identifier: Apache-2.0
// A client is connected, and served only after a while.
#include "harness/faults/path_call.h"

namespace watchproof {
namespace {

const FaultRegistration kLateAccept{{
    .info = {.name = "late-accept",
             .explain = "Serves new connections on the proxied path late, as a server does that "
                        "is too busy to call accept; existing ones are left alone. Took effect if "
                        "a connection was kept waiting and a call over the proxied path, on a new "
                        "connection, took at least as long.",
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
