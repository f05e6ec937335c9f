#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the judge: records clean runs of the embedded store and of an etcd release, spoils the
# recordings in 20,000 ways, and has each judged twice, by the checkers and by brute force. Exit
# code 1 when they disagree. The last lines are the tables.
#
#   ci/jobs/mutants.sh [COUNT [SEED]]
#
# RECORDINGS=FOLDER spoils what is there instead of recording anew.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
count=${1:-20000}
seed=${2:-1}

"$root/ci/jobs/setup.sh"
"$root/ci/jobs/build.sh" watchproof mutants >&2

bin=$root/build/release
recordings=${RECORDINGS:-}
if [[ -z $recordings ]]; then
  recordings=$(mktemp -d)
  trap 'rm -rf "$recordings"' EXIT
  "$bin/watchproof" fetch etcd 3.5.30 </dev/null >&2
  # A case that does not pass is no reason to stop: its recording is not clean and is left out.
  "$bin/watchproof" run --target embedded --target etcd@3.5.30 --repeat 2 --keep all \
    --run-dir "$recordings" --progress off </dev/null >&2 || true
fi
"$bin/ci/mutants/mutants" --count "$count" --seed "$seed" "$recordings"
