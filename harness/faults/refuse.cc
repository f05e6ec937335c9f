// SPDX-License-Identifier: Apache-2.0
// New connections are refused, as while a server restarts.
#include "harness/faults/path_call.h"

namespace watchproof {
namespace {

const FaultRegistration kRefuse{{
    .info = {.name = "refuse",
             .explain = "Refuses new connections on the proxied path; existing ones are left "
                        "alone. Took effect if a call over the proxied path, on a new connection, "
                        "was answered before but not during the fault.",
             .parameters = {},
             .ends_streams = EndsStreams::kProxied},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(proxy::EffectSpec spec, SpecOf("refuse", proxy::Direction::kBoth, given));
      return MakeDeadPath({.effect = std::move(spec), .counted_as = {}});
    },
}};

}  // namespace
}  // namespace watchproof
