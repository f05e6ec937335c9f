#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds with a sanitizer and runs the unit tests: sanitize.sh asan (addresses and undefined
# behaviour) or tsan (races). Further arguments are handed to ctest.
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
exec ctest --preset "$preset" --output-on-failure --no-tests=error -L unit "$@" </dev/null
