// SPDX-License-Identifier: Apache-2.0
// Cut-after-event: the last thing a client gets is the first event of a revision.
#include "proxies/http2/stream_cut.h"

namespace watchproof::proxy {

const EffectRegistration kCutAfterEvent{{
    .name = "cut-after-event",
    .explain =
        "Ends a watch stream, or its connection, right after the first event of a revision, or "
        "of a later one: to the byte, so that a response with more events than that arrives "
        "only in part.",
    .parameters = CutParameters(
        {{"revision", ParameterKind::kNumber, "0", "The least revision of that event; 0: of any."},
         HowParameter()}),
    .on_streams = true,
    .make =
        [](const EffectSeed& seed) {
          return MakeStreamCut(
              seed, {.trigger = {.when = When::kEvent, .revision = seed.values.number("revision")},
                     .how = ReadHow(seed.values)});
        },
}};

}  // namespace watchproof::proxy
