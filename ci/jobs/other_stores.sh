#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches releases of stores that are not etcd and runs every case on each. Prints the failures,
# grouped by cause, the gravest first; what the answer key of a store knows is apart from what is
# new. They are findings about these stores and do not fail the job; a harness error, a store that
# does not start and a crash of watchproof do.
#
#   ci/jobs/other_stores.sh [FLAGS OF watchproof run]
#
# Takes a few minutes. Needs go and a C compiler.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
runs=${WATCHPROOF_RUN_DIR:-$root/watchproof-runs}/other-stores

for tool in go cc; do
  command -v $tool >/dev/null || { echo "other_stores: needs $tool" >&2; exit 77; }
done
if [[ -z ${WATCHPROOF_BUILT:-} ]]; then
  "$root/ci/jobs/setup.sh"
  "$root/ci/jobs/build.sh" watchproof >&2
fi
watchproof=$root/build/release/watchproof

bad=0
for target in kine@0.17.5 kine@0.17.5,memory kine@0.17.5,nats t4@1.1.17; do
  release=${target%%,*}
  "$watchproof" fetch "${release%@*}" "${release#*@}" >/dev/null
  printf '\n== %s\n' "$target"
  code=0
  "$watchproof" run --quiet --run-dir "$runs/$target" --target "$target" "$@" </dev/null || code=$?
  case $code in
    0 | 1 | 2)
      if grep -q '"verdict":"harness_error"' "$runs/$target/latest/results.jsonl"; then
        echo "other_stores: an attempt on $target ended with a harness error" >&2
        bad=1
      fi
      ;;
    *)
      echo "other_stores: $target ended with exit code $code; expected 0, 1 or 2" >&2
      bad=1
      ;;
  esac
done
exit $bad
