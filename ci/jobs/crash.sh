#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kills the embedded store many times over one data folder and checks every promise after each
# restart: 300 SIGKILLs, then 100 under a library that removes unsynced bytes from the file, then a
# store that acknowledges before it syncs, which must be detected. Takes a few minutes.
#
#   ci/jobs/crash.sh [KILLS [UNSYNCED]]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
kills=${1:-300}
unsynced=${2:-100}

"$root/ci/jobs/setup.sh"
"$root/ci/jobs/build.sh" store_crash unsynced_loss_shim >/dev/null
crash=$root/build/release/ci/crash/store_crash
shim=$root/build/release/ci/crash/libunsynced_loss_shim.so

echo "SIGKILL at random instants:"
"$crash" --crashes "$kills"
echo "SIGKILL, and unsynced bytes are lost:"
"$crash" --crashes "$unsynced" --shim "$shim"
echo "The same, with a store that acknowledges before it syncs:"
if found=$("$crash" --crashes 300 --shim "$shim" --acknowledge-before-sync); then
  echo "$found"
  echo "crash: nothing was found, so a missing sync would not be detected" >&2
  exit 1
fi
grep -m 1 'after crash' <<<"$found"
