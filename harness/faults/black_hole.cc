// SPDX-License-Identifier: Apache-2.0
// What one side says is taken and leads nowhere, while its connection stays open.
#include "harness/faults/path_call.h"
#include "proxies/effects/effect.h"

namespace watchproof {
namespace {

const FaultRegistration kBlackHole{{
    .info = {.name = "black-hole",
             .explain = "Swallows what one side says while connections stay open and the other "
                        "side's words pass; healing closes the connections that lost bytes, since "
                        "what comes behind a gap is garbage. Felt when enough bytes were swallowed "
                        "and a call over the same road, answered before, is not answered then.",
             .parameters = {{"direction", "to-client", "to-client, to-target or both"},
                            {"at-least", "1KiB",
                             "bytes that must have been swallowed for it to count"}},
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
