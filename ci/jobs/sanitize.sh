#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds with a sanitizer and runs the unit tests. asan checks addresses and undefined behaviour and
# then runs the cases against the embedded store. tsan checks for races, but not in gRPC, which is
# not instrumented: it checks the stepped core. Further arguments are handed to ctest.
#
#   ci/jobs/sanitize.sh asan|tsan [ctest arguments]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

case ${1:-} in
  asan | tsan) preset=$1 ;;
  *)
    echo "usage: sanitize.sh asan|tsan [ctest arguments]" >&2
    exit 4
    ;;
esac
shift

"$root/ci/jobs/setup.sh"
cd "$root" # presets are looked up in the working directory
cmake --preset "$preset" </dev/null
cmake --build --preset "$preset" --parallel "$(nproc)" </dev/null
ctest --preset "$preset" --output-on-failure --no-tests=error -L unit "$@" </dev/null
[[ $preset == asan ]] || exit 0
# A process with a finding aborts at once; the run reports it as a target or a case that died.
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
exec "build/$preset/watchproof" run --run-dir "build/$preset/runs" \
  --case-timeout 300s </dev/null
