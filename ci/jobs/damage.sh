#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Judges the recordings of runs again: as they are, each cut at 20 places, and each with one bit
# flipped at 200 places. A damaged one must never be called good. Without arguments it records every
# case with every planted defect first. Exit code 1 when one was judged otherwise; the last lines
# are the counts.
#
#   ci/jobs/damage.sh [RUN...]        # folders of runs, made with --keep all, or recordings
#
# CUTS and FLIPS change the numbers.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

"$root/ci/jobs/setup.sh"
"$root/ci/jobs/build.sh" watchproof >&2

watchproof=$root/build/release/watchproof
if [[ $# -eq 0 ]]; then
  runs=$(mktemp -d)
  trap 'rm -rf "$runs"' EXIT
  "$watchproof" run --defects all --keep all --run-dir "$runs" --progress off </dev/null >&2
  set -- "$runs/latest/"
fi
python3 -B "$root/ci/jobs/damage.py" "$watchproof" "$@" --cuts "${CUTS:-20}" --flips "${FLIPS:-200}"
