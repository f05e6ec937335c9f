#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds targets of the release preset, for jobs that run them:
# build.sh [-DOPTION=VALUE]... TARGET...
set -euo pipefail
options=()
while [[ ${1:-} == -D* ]]; do
  options+=("$1")
  shift
done
cd "$(dirname "${BASH_SOURCE[0]}")/../.." # presets are looked up in the working directory

cmake --preset release "${options[@]}" </dev/null
cmake --build --preset release --target "$@" --parallel "$(nproc)" </dev/null
