#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The embedded store beside etcd on this machine: fan-out, delay, catch-up, memory, durable puts.
#
#   ci/jobs/store_figures.sh [--etcd BINARY] [--pairs 5] [--place tmpfs|disk|both]
#                            [--tmpfs FOLDER] [--disk FOLDER] [--only ROW,...]
#
# Figures, not tests: nothing passes or fails here. Both servers keep their data in the same place,
# once in memory (--tmpfs) and once on a disk; runs alternate, each on a fresh server; medians are
# printed with the least and the most.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

if [[ -z ${WATCHPROOF_BUILT:-} ]]; then
  "$root/ci/jobs/setup.sh"
  "$root/ci/jobs/build.sh" watchproof watch_bench >&2
fi
exec python3 "$root/ci/jobs/store_figures.py" --build "$root/build/release" "$@"
