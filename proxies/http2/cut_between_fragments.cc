// SPDX-License-Identifier: Apache-2.0
// Cut-between-fragments: the client has some fragments of a response and never gets the rest.
#include "proxies/http2/stream_cut.h"

namespace watchproof::proxy {

const EffectRegistration kCutBetweenFragments{{
    .name = "cut-between-fragments",
    .explain =
        "Ends a watch stream, or its connection, between the k-th fragment of a response and the "
        "next one: the k-th still arrives. A client that resumes must not take the part it has for "
        "the whole.",
    .parameters = CutParameters(
        {{"fragment", ParameterKind::kNumber, "1", "k: the last fragment that arrives, from 1.", 1},
         HowParameter()}),
    .on_streams = true,
    .make =
        [](const EffectSeed& seed) {
          return MakeStreamCut(
              seed, {.trigger = {.when = When::kFragment, .count = seed.values.number("fragment")},
                     .how = ReadHow(seed.values)});
        },
}};

}  // namespace watchproof::proxy
