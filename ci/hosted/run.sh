#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One run of watchproof for a CI system: its reports are in one folder under fixed names, whatever
# came of it, and its exit code is that of the run.
#
#   ci/hosted/run.sh --target etcd:./bin/etcd --profile quick
#
#   WATCHPROOF           the command (default: the one in PATH, or built from this repository)
#   WATCHPROOF_REPORTS   folder for the reports (default: watchproof-reports)
#   WATCHPROOF_RUN_DIR   folder for the runs, with the recordings of failures
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export WATCHPROOF_RUN_DIR=${WATCHPROOF_RUN_DIR:-watchproof-runs}
reports=${WATCHPROOF_REPORTS:-watchproof-reports}

watchproof=${WATCHPROOF:-$(command -v watchproof)}
if [[ -z $watchproof ]]; then
  { "$here/../jobs/setup.sh" && "$here/../jobs/build.sh" watchproof; } >&2 || exit 70
  watchproof=$here/../../build/release/watchproof
fi

# An earlier job's reports must not pass for those of this one.
mkdir -p "$reports" && rm -f "$reports"/* || exit 4
before=$(readlink -f "$WATCHPROOF_RUN_DIR/latest")
"$watchproof" run "$@"
code=$?
run=$(readlink -f "$WATCHPROOF_RUN_DIR/latest")
if [[ -n $run && ($run != "$before" || $* == *--resume*) ]]; then
  for file in "$run"/*; do
    [[ -f $file ]] && cp "$file" "$reports/"
  done
  echo "reports: $reports"
fi
exit "$code"
