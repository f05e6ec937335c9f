#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds with a sanitizer and runs the unit tests: sanitize.sh asan (addresses and undefined
# behaviour) or tsan (races). With asan the cases follow, against the embedded store; of tsan gRPC's
# part cannot be asked, so it is the stepped core whose races are looked for. Further arguments are
# handed to ctest.
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
# Who finds something ends there and then, which the run reports as a target or a case that died.
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
exec "build/$preset/watchproof" run --run-dir "build/$preset/runs" \
  --case-timeout 300s </dev/null
