#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the cases with overlapping faults with many seeds, each with other faults, keys, writes and
# times, against the embedded store and an etcd release. Exit code 0 when every promise was kept,
# except for known failures of the manifest; see `watchproof --help`.
#
#   ci/jobs/seeds.sh [ATTEMPTS [SEED]]
#
# ATTEMPTS over both targets, 1000 by default. RELEASE=3.5.30 names the other target, RUNS=FOLDER
# keeps the files of failed attempts, JOBS is the number of parallel attempts. The last lines are
# the counts and the seed; each failure is printed with the command that repeats it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
attempts=${1:-1000}
seed=${2:-}
release=${RELEASE:-3.5.30}
runs=${RUNS:-$PWD/watchproof-runs}
cases=Resumable.RandomFaultSchedule:Resumable.OverlappingFaults
cases+=:Linearizable.UnansweredCalls

"$root/ci/jobs/setup.sh"
"$root/ci/jobs/build.sh" watchproof >&2

bin=$root/build/release/watchproof
"$bin" fetch etcd "$release" </dev/null >&2
# Three cases on two targets.
exec "$bin" run --target embedded --target "etcd@$release" --filter "$cases" \
  --repeat $(((attempts + 5) / 6)) ${seed:+--seed "$seed"} --jobs "${JOBS:-2}" \
  --run-dir "$runs" --progress off </dev/null
