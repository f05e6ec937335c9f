// SPDX-License-Identifier: Apache-2.0
// The connections of the proxied path are reset, with RST towards both ends.
#include "harness/faults/connection_end.h"

namespace watchproof {
namespace {

const FaultRegistration kReset{{
    .info = {.name = "reset",
             .explain = "Resets the existing connections of the proxied path, once, with RST "
                        "towards both ends. Later connections are spared unless future=yes. Took "
                        "effect if at least one connection was cut and a watch stream of the "
                        "clients ended after that.",
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
