// SPDX-License-Identifier: Apache-2.0
// A disk that is slow to answer.
#include "proxies/disk/disk_effect.h"

namespace watchproof::proxy {
namespace {

const DiskEffectRegistration kSlow{{
    .name = "slow",
    .explain = "Holds each such call for a while before it is carried out.",
    .default_files = "all",
    .default_calls = "sync",
    .parameters = {{.name = "hold",
                    .kind = ParameterKind::kDuration,
                    .default_value = "100ms",
                    .explain = "How long.",
                    .least = 1},
                   {.name = "jitter",
                    .kind = ParameterKind::kDuration,
                    .default_value = "0s",
                    .explain = "Up to so much longer, drawn for each call."}},
    .make =
        [](const ParameterValues& values, Prng prng) {
          return [hold = values.duration("hold"), jitter = values.duration("jitter"),
                  prng](const DiskCall&) mutable {
            return Decision{.hold = hold + prng.Between(Duration(), jitter)};
          };
        },
}};

}  // namespace
}  // namespace watchproof::proxy
