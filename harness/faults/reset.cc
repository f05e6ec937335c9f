// SPDX-License-Identifier: Apache-2.0
// The connections of the faulted road are gone from one moment to the next, with RST towards both
// sides.
#include "harness/faults/connection_end.h"

namespace watchproof {
namespace {

const FaultRegistration kReset{{
    .info = {.name = "reset",
             .explain = "Resets the connections of the road between clients and target that exist "
                        "at that moment, once, with RST towards both sides; those that come later "
                        "are spared unless asked. Felt when at least one connection was cut and a "
                        "watch stream of the clients ended after it.",
             .parameters = ConnectionEndParameters(),
             .ends_streams = EndsStreams::kProxied},
    .make =
        [](const FaultParameters& given) {
          return MakeConnectionEnd({.effect = "cut",
                                    .count = &proxy::Receipt::connections_cut,
                                    .counted_as = "connections_cut",
                                    .done = "reset"},
                                   given);
        },
}};

}  // namespace
}  // namespace watchproof
