#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The proxy beside Toxiproxy on this machine, both without effects: throughput of one and of 64
# connections, latency that they add at the median and at the 99th percentile; and what following
# HTTP/2 adds to that, and what it takes from the neighbour of a held stream.
#
#   ci/jobs/proxy_figures.sh [--toxiproxy BINARY | --source FOLDER] [--pairs 5] [--megabytes 2000]
#                            [--rounds 20000]
#
# Figures, not tests: nothing passes or fails here. Without a binary Toxiproxy is built with Go from
# the folder named, a checkout of its public repository; without either only our own figures are
# printed. Runs alternate; medians are printed with the least and the most.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

if [[ -z ${WATCHPROOF_BUILT:-} ]]; then
  "$root/ci/jobs/setup.sh"
  "$root/ci/jobs/build.sh" watchproof follow_bench path_bench >&2
fi
exec python3 -B "$root/ci/jobs/proxy_figures.py" --build "$root/build/release" "$@"
