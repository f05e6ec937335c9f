// SPDX-License-Identifier: Apache-2.0
// Now and then a bit of what the target sends is flipped.
#include "harness/faults/tamper.h"

namespace watchproof {
namespace {

const FaultRegistration kCorrupt{{
    .info = {.name = "corrupt",
             .explain = "Flips one bit of what the target sends now and then. On a network, TCP's "
                        "checksums prevent this; the fault tests whether damage is noticed, and "
                        "runs only against the embedded store. Took effect if a byte was changed "
                        "and, after that, there is a finding or a watch stream of the clients "
                        "ended.",
             .parameters = {{"every", "1KiB", "on average one byte of this many is changed"}},
             .self_test_only = true,
             .ends_streams = EndsStreams::kProxied},
    .make =
        [](const FaultParameters& given) {
          return MakeTamper({.effect = "corrupt",
                             .count = &proxy::Receipt::bytes_corrupted,
                             .counted_as = "bytes_corrupted"},
                            given);
        },
}};

}  // namespace
}  // namespace watchproof
