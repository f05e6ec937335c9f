// SPDX-License-Identifier: Apache-2.0
// The call at which the program is killed.
#include "proxies/disk/disk_effect.h"

namespace watchproof::proxy {
namespace {

const DiskEffectRegistration kCrashPoint{{
    .name = "crash-point",
    .explain =
        "Kills the program with SIGKILL at the first such call: before it is carried out, or "
        "once it is and before the program knows. Its files do not change any more from then on, "
        "and until it only waits it goes on otherwise: what it answered before the call arrives.",
    .default_files = "all",
    .default_calls = "write+sync+truncate+make+rename+remove",
    .parameters = {{.name = "when",
                    .kind = ParameterKind::kWord,
                    .default_value = "before",
                    .explain = "Whether the call is still carried out.",
                    .words = {"before", "after"}},
                   {.name = "wait",
                    .kind = ParameterKind::kDuration,
                    .default_value = "1s",
                    .explain = "How long it goes on at most."}},
    .make =
        [](const ParameterValues& values, const Prng&) {
          const Decision decision{
              .stop = values.word("when") == 0 ? Decision::Stop::kBefore : Decision::Stop::kAfter,
              .idle_within = values.duration("wait")};
          return [decision](const DiskCall&) { return decision; };
        },
}};

}  // namespace
}  // namespace watchproof::proxy
