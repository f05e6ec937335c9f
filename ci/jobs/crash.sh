#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Kills the embedded store over its data folder, many times, and checks every promise after each
# restart: 300 SIGKILLs, then 100 under a library that takes from the file what was not synced, then
# a store that acknowledges before it syncs, which must be found. Takes a few minutes; other numbers
# can be given: crash.sh [KILLS [UNSYNCED]]
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
echo "SIGKILL, and what was not synced is lost:"
"$crash" --crashes "$unsynced" --shim "$shim"
echo "The same, with a store that acknowledges before it syncs:"
if lie=$("$crash" --crashes 300 --shim "$shim" --acknowledge-before-sync); then
  echo "$lie"
  echo "crash: nothing was found, so a missing sync would not be noticed" >&2
  exit 1
fi
grep -m 1 'after crash' <<<"$lie"
