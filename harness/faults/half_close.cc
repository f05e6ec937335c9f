// SPDX-License-Identifier: Apache-2.0
// Clients receive an end of stream that the target did not send.
#include "harness/faults/connection_end.h"

namespace watchproof {
namespace {

const FaultRegistration kHalfClose{{
    .info = {.name = "half-close",
             .explain = "Clients receive an end of stream (FIN) on the existing connections, "
                        "while the target continues to send and its bytes are lost. Later "
                        "connections are spared unless future=yes. Took effect if at least one "
                        "connection was hit and a watch stream of the clients ended after that.",
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
