// SPDX-License-Identifier: Apache-2.0
// A disk that fails, is full, or says that it has kept what it has not.
#include <cerrno>

#include "proxies/disk/disk_effect.h"

namespace watchproof::proxy {
namespace {

auto Always(const Decision& decision) {
  return [decision](const ParameterValues&, const Prng&) {
    return [decision](const DiskCall&) { return decision; };
  };
}

const DiskEffectRegistration kFailing{{
    .name = "failing",
    .explain = "Such a call is not carried out and returns an input/output error (EIO).",
    .default_files = "all",
    .default_calls = "sync",
    .parameters = {},
    .make = Always({.error = EIO}),
}};

const DiskEffectRegistration kFull{{
    .name = "full",
    .explain = "Such a call is not carried out, since no space is left on the device (ENOSPC).",
    .default_files = "all",
    .default_calls = "write+make",
    .parameters = {},
    .make = Always({.error = ENOSPC}),
}};

const DiskEffectRegistration kForgetful{{
    .name = "forgetful",
    .explain =
        "A sync returns, and has kept nothing: a power failure takes what it should have kept.",
    .default_files = "all",
    .default_calls = "sync",
    .parameters = {{.name = "every",
                    .kind = ParameterKind::kNumber,
                    .default_value = "1",
                    .explain = "Each sync of so many.",
                    .least = 1}},
    .make =
        [](const ParameterValues& values, const Prng&) {
          return [every = values.number("every"), count = std::int64_t{0}](
                     const DiskCall&) mutable { return Decision{.pretend = ++count % every == 0}; };
        },
}};

}  // namespace
}  // namespace watchproof::proxy
