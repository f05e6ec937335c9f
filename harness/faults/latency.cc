// SPDX-License-Identifier: Apache-2.0
// Delays every byte of the proxied path, in both directions, by a fixed time plus jitter.
#include <algorithm>

#include "harness/faults/path_call.h"

namespace watchproof {
namespace {

const FaultRegistration kLatency{{
    .info = {.name = "latency",
             .explain = "Delays every byte between clients and target, in both directions, by a "
                        "fixed time plus or minus a jitter, which is uniform or normal. Took "
                        "effect if bytes were delayed and a call over the proxied path took at "
                        "least two delays minus the jitter.",
             .parameters = {{"delay", "10ms", "one way"},
                            {"jitter", "0ms", "how much more or less"},
                            {"spread", "uniform",
                             "uniform: at most the jitter; normal: the jitter is the deviation"}}},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      WP_ASSIGN_OR_RETURN(proxy::EffectSpec spec,
                          SpecOf("latency", proxy::Direction::kBoth, given));
      WP_ASSIGN_OR_RETURN(const Duration delay, proxy::ParseDuration(given.at("delay")));
      WP_ASSIGN_OR_RETURN(const Duration jitter, proxy::ParseDuration(given.at("jitter")));
      return MakeSlowPath({.effect = std::move(spec),
                           .count = &proxy::Receipt::bytes_delayed,
                           .counted_as = "bytes_delayed",
                           .required = 2 * std::max(Duration::zero(), delay - jitter)});
    },
}};

}  // namespace
}  // namespace watchproof
