#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh Debian 12 machine to a tested build: installs, builds everything with warnings as
# errors, and runs all tests. The last lines are CTest's summary, the exit code is CTest's.
# Arguments are handed to ctest, for example -L unit.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# clang's library reads the store's sources to make mutants of them.
"$root/ci/jobs/setup.sh" --checks libclang-common-16-dev libclang1-16 python3-clang-16
cd "$root" # presets are looked up in the working directory
cmake --preset ci -DWATCHPROOF_STORE_MUTANTS=ON </dev/null
cmake --build --preset ci --parallel "$(nproc)" </dev/null

# The real server that tests run against.
if [[ -z ${WATCHPROOF_TEST_ETCD:-} ]]; then
  WATCHPROOF_TEST_ETCD=$(command -v etcd || true)
  export WATCHPROOF_TEST_ETCD
fi
exec ctest --preset ci --output-on-failure --no-tests=error "$@" </dev/null
