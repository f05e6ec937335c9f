// SPDX-License-Identifier: Apache-2.0
// A bit of what the target says is flipped now and then.
#include "harness/faults/tamper.h"

namespace watchproof {
namespace {

const FaultRegistration kCorrupt{{
    .info = {.name = "corrupt",
             .explain = "Flips one bit of what the target says now and then. TCP's checksums keep "
                        "networks from doing this; it shows that damage would be noticed, and is "
                        "refused before any target but our own. Felt when a byte was changed and, "
                        "after it, there is a finding or a watch stream of the clients ended.",
             .parameters = {{"every", "1KiB", "one byte of so many is changed on average"}},
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
