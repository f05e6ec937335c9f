#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds without a compiler cache, in folders of its own: the command alone, then everything. Prints
# the time of each and the slowest objects. For an idle machine: nothing passes or fails here.
#
#   ci/jobs/build_times.sh [FOLDER]        # kept; default: a temporary one
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=${1:-}
if [[ -z $folder ]]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi

"$root/ci/jobs/setup.sh"
cd "$root" # presets are looked up in the working directory
export CCACHE_DISABLE=1

# NAME TARGET FLAG...
build() {
  local name=$1 target=$2
  shift 2
  cmake --preset ci -B "$folder/$name" "$@" </dev/null >&2
  local begin=$SECONDS
  cmake --build "$folder/$name" --target "$target" --parallel "$(nproc)" </dev/null >&2
  echo "$name: $((SECONDS - begin)) s on $(nproc) processors"
}

build command watchproof -DWATCHPROOF_TESTS=OFF
build everything all
echo "slowest steps of everything, in seconds:"
awk 'NR > 1 { printf "%7.1f  %s\n", ($2 - $1) / 1000, $4 }' "$folder/everything/.ninja_log" |
  sort -rn | head -n 30
