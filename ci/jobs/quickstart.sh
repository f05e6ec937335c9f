#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh Debian 12 machine to the first findings: installs, builds, and runs every case
# against the embedded store and Debian's own etcd. Arguments are handed to `watchproof run`, for
# example --target etcd:/path/to/etcd.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

"$root/ci/jobs/setup.sh"
(
  cd "$root" # presets are looked up in the working directory
  cmake --preset release
  cmake --build --preset release --target watchproof --parallel "$(nproc)"
) </dev/null >&2

etcd=$(command -v etcd) || {
  echo "quickstart: etcd is not on PATH although etcd-server is installed" >&2
  exit 3
}
exec "$root/build/release/watchproof" run --target embedded --target "etcd:$etcd" "$@" </dev/null
