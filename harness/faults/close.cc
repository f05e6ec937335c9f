// SPDX-License-Identifier: Apache-2.0
// The connections of the proxied path are closed in order, as if the other end had closed them.
#include "harness/faults/connection_end.h"

namespace watchproof {
namespace {

const FaultRegistration kClose{{
    .info = {.name = "close",
             .explain = "Closes the existing connections of the proxied path, once, with an end "
                        "of stream (FIN) towards both ends. Later connections are spared unless "
                        "future=yes. Took effect if at least one connection was closed and a "
                        "watch stream of the clients ended after that.",
             .parameters = ConnectionEndParameters(),
             .ends_streams = EndsStreams::kProxied},
    .make =
        [](const FaultParameters& given) {
          return MakeConnectionEnd({.effect = "close",
                                    .count = &proxy::Receipt::connections_closed,
                                    .counted_as = "connections_closed",
                                    .done = "closed"},
                                   given);
        },
}};

}  // namespace
}  // namespace watchproof
