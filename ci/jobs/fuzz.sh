#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fuzzes what clients and disks can send: fuzz.sh [SECONDS [TARGET...]], each target for that long,
# 600 without a number. What is found is left in build/fuzz/found, and replayed by naming the file
# to the target. Inputs that reach new code are kept in build/fuzz/corpus for the next run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
seconds=${1:-600}
shift || true
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || targets=(auth_rows_fuzz control_fuzz follower_fuzz requests_fuzz)

"$root/ci/jobs/setup.sh" clang-16 libclang-rt-16-dev
cd "$root" # presets are looked up in the working directory
cmake --preset fuzz </dev/null
cmake --build --preset fuzz --parallel "$(nproc)" </dev/null

# Vectors and strings that cross into Protobuf, which is not instrumented, would be reported.
export ASAN_OPTIONS=detect_container_overflow=0
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
mkdir -p build/fuzz/found
for target in "${targets[@]}"; do
  corpus=build/fuzz/corpus/$target
  mkdir -p "$corpus"
  echo "== $target, $seconds s"
  binary=$(find build/fuzz -type f -name "$target" -perm -u+x)
  "$binary" -max_total_time="$seconds" -max_len=2048 -timeout=20 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/found/$target-" "$corpus" </dev/null
done
