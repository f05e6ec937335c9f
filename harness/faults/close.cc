// SPDX-License-Identifier: Apache-2.0
// The connections of the faulted road end in good order, as if the other side had had enough.
#include "harness/faults/connection_end.h"

namespace watchproof {
namespace {

const FaultRegistration kClose{{
    .info = {.name = "close",
             .explain = "Closes the connections of the road between clients and target that exist "
                        "at that moment, once, with an end of stream (FIN) towards both sides; "
                        "those that come later are spared unless asked. Felt when at least one "
                        "connection was closed and a watch stream of the clients ended after it.",
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
