#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh Debian 12 machine to the first findings: installs, builds, fetches the releases of
# the manifest, and runs every case against the embedded store and all of them. A release that
# cannot be fetched is a column "not fetched". Arguments are handed to `watchproof run`, for
# example --target etcd:/path/to/etcd.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

"$root/ci/jobs/setup.sh"
"$root/ci/jobs/build.sh" watchproof >&2

watchproof=$root/build/release/watchproof
targets=(--target embedded --releases all)
if ! "$watchproof" fetch etcd 3.3.25 3.4.23 3.5.16 3.5.30 </dev/null >&2; then
  echo "quickstart: not everything could be fetched; going on with what is there" >&2
  # Debian's own etcd was installed above, so there is always a real one to ask.
  targets+=(--target "etcd:$(command -v etcd)")
fi
exec "$watchproof" run "${targets[@]}" "$@" </dev/null
