// SPDX-License-Identifier: Apache-2.0
// The same bytes in small pieces, with a pause between them.
#include <algorithm>

#include "harness/faults/path_call.h"

namespace watchproof {
namespace {

// The least bytes that a call sends at once: HTTP/2's preface, its settings, and a request.
constexpr std::int64_t kLeastCall = 64;

const FaultRegistration kSlice{{
    .info = {.name = "slice",
             .explain = "Cuts the bytes between clients and target into small pieces with a pause "
                        "between them, so that readers see partial messages. Took effect if "
                        "enough bytes were sliced and a call over the proxied path took at least "
                        "as long as the sum of its pauses; without pauses there is no evidence.",
             .parameters = {{"size", "16B", "size of a piece"},
                            {"variation", "0B", "each size varies by up to this much"},
                            {"delay", "1ms", "pause between two pieces"},
                            {"at-least", "1KiB",
                             "bytes that must have been sliced for it to count"}}},
    .make = [](const FaultParameters& given) -> Result<std::unique_ptr<Fault>> {
      FaultParameters rest = given;
      WP_ASSIGN_OR_RETURN(const std::int64_t at_least,
                          proxy::ParseBytes(rest.extract("at-least").mapped()));
      WP_ASSIGN_OR_RETURN(proxy::EffectSpec spec, SpecOf("slice", proxy::Direction::kBoth, rest));
      WP_ASSIGN_OR_RETURN(const std::int64_t size, proxy::ParseBytes(given.at("size")));
      WP_ASSIGN_OR_RETURN(const std::int64_t variation, proxy::ParseBytes(given.at("variation")));
      WP_ASSIGN_OR_RETURN(const Duration delay, proxy::ParseDuration(given.at("delay")));
      const std::int64_t pauses = std::max<std::int64_t>(0, kLeastCall / (size + variation) - 1);
      if (pauses == 0 || delay == Duration::zero()) {
        return Fail(StatusCode::kInvalidArgument,
                    "slice: pieces of {} bytes with pauses of {} ms cannot be detected from "
                    "outside; expected pieces of at most {} bytes and a pause between them",
                    size + variation, delay.count() / 1'000'000, kLeastCall / 2);
      }
      return MakeSlowPath({.effect = std::move(spec),
                           .count = &proxy::Receipt::bytes_sliced,
                           .counted_as = "bytes_sliced",
                           .at_least = at_least,
                           .required = pauses * delay});
    },
}};

}  // namespace
}  // namespace watchproof
