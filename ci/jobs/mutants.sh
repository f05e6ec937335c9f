#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the judge: records clean runs of the embedded store and of an etcd release, makes 20,000
# mutants of the recordings, and judges each twice, with the checkers and with the reference oracle.
# Exit code 1 when they disagree. The last lines are the tables.
#
#   ci/jobs/mutants.sh [COUNT [SEED]]
#
# RECORDINGS=FOLDER mutates the recordings in that folder instead of making new ones.
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
  # A case that does not pass does not stop the job: its recording is not clean and is left out.
  "$bin/watchproof" run --target embedded --target etcd@3.5.30 --repeat 2 --keep all \
    --run-dir "$recordings" --progress off </dev/null >&2 || true
fi
"$bin/ci/mutants/mutants" --count "$count" --seed "$seed" "$recordings"
