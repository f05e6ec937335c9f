// SPDX-License-Identifier: Apache-2.0
// Clients are told that the target has nothing more to say, which knows nothing of it.
#include "harness/faults/connection_end.h"

namespace watchproof {
namespace {

const FaultRegistration kHalfClose{{
    .info = {.name = "half-close",
             .explain = "Clients get an end of stream (FIN) on the connections that exist at that "
                        "moment, while the target goes on sending into nothing; those that come "
                        "later are spared unless asked. Felt when at least one connection was hit "
                        "and a watch stream of the clients ended after it.",
             .parameters = ConnectionEndParameters(),
             .ends_streams = EndsStreams::kProxied},
    .make =
        [](const FaultParameters& given) {
          return MakeConnectionEnd({.effect = "half-close",
                                    .count = &proxy::Receipt::connections_half_closed,
                                    .counted_as = "connections_half_closed",
                                    .done = "half closed"},
                                   given);
        },
}};

}  // namespace
}  // namespace watchproof
