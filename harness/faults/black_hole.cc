// SPDX-License-Identifier: Apache-2.0
// Bytes in one direction are accepted and dropped, while the connection stays open.
#include "harness/faults/path_call.h"
#include "proxies/effects/effect.h"

namespace watchproof {
namespace {

const FaultRegistration kBlackHole{{
    .info = {.name = "black-hole",
             .explain = "Drops the bytes in one direction while connections stay open and the "
                        "other direction works. Healing closes the connections that lost bytes, "
                        "because their streams are no longer intact. Took effect if enough bytes "
                        "were dropped and a call over the proxied path was answered before but "
                        "not during the fault.",
             .parameters = {{"direction", "to-client", "to-client, to-target or both"},
                            {"at-least", "1KiB",
                             "bytes that must have been dropped for it to count"}},
             .ends_streams = EndsStreams::kProxied},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(const proxy::Direction direction,
                          proxy::ParseDirection(given.at("direction")));
      WP_ASSIGN_OR_RETURN(const std::int64_t at_least, proxy::ParseBytes(given.at("at-least")));
      WP_ASSIGN_OR_RETURN(proxy::EffectSpec spec,
                          SpecOf("black-hole", direction, {{"close", "yes"}}));
      return MakeDeadPath({.effect = std::move(spec),
                           .count = &proxy::Receipt::bytes_swallowed,
                           .counted_as = "bytes_swallowed",
                           .at_least = at_least});
    },
}};

}  // namespace
}  // namespace watchproof
