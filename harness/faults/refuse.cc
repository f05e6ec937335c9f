// SPDX-License-Identifier: Apache-2.0
// Nobody listens, as while a server restarts.
#include "harness/faults/path_call.h"

namespace watchproof {
namespace {

const FaultRegistration kRefuse{{
    .info = {.name = "refuse",
             .explain = "New connections of the road between clients and target are refused; those "
                        "that exist are left alone. Felt when a call over the same road, on a "
                        "connection of its own, was answered before and is not answered then.",
             .parameters = {},
             .ends_streams = EndsStreams::kProxied},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(proxy::EffectSpec spec, SpecOf("refuse", proxy::Direction::kBoth, given));
      return MakeDeadPath({.effect = std::move(spec), .counted_as = {}});
    },
}};

}  // namespace
}  // namespace watchproof
