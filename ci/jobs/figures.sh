#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures, side by side on this machine: events judged per second, the time and memory it takes to
# judge ten million of them, and what recording costs per event beside a bare reader of the same
# bytes, against the embedded store and an etcd binary.
#
#   ci/jobs/figures.sh [ETCD_BINARY] [PAIRS]
#   ci/jobs/figures.sh judge                  # the first two only, for which nothing is served
#
# Figures, not tests: nothing passes or fails here. Runs alternate; medians are printed last.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
only_judge=
if [[ ${1:-} == judge ]]; then only_judge=yes; fi
etcd=${1:-$(command -v etcd || true)}
pairs=${2:-5}
host=127.$((RANDOM % 100 + 100)).$((RANDOM % 250 + 1)).$((RANDOM % 250 + 1))

"$root/ci/jobs/setup.sh"
"$root/ci/jobs/build.sh" watchproof reader_bench judge_bench call_judge_bench \
  record_load judge_file >&2

bin=$root/build/release
scratch=$(mktemp -d)
server=
finish() {
  if [ -n "$server" ]; then kill -9 "$server" 2>/dev/null || true; fi
  rm -rf "$scratch"
}
trap finish EXIT

echo "== events judged per second"
"$bin/ci/bench/judge_bench" --benchmark_counters_tabular=true </dev/null
echo "== key-value calls judged"
"$bin/ci/bench/call_judge_bench" </dev/null
echo "== ten million events judged from a recording, by watchproof check"
"$root/ci/jobs/judge_memory.py" "$bin" "$scratch" 1000000 10000000
if [[ -n $only_judge ]]; then exit 0; fi

# serve NAME: starts one of the two on $host and waits until it takes a write.
serve() {
  if [ "$1" = embedded ]; then
    "$bin/watchproof" store --listen "$host:2379" --http "$host:2381" >"$scratch/log" 2>&1 &
  else
    "$etcd" --data-dir "$scratch/data" --listen-client-urls "http://$host:2379" \
      --advertise-client-urls "http://$host:2379" --listen-peer-urls "http://$host:2380" \
      --initial-advertise-peer-urls "http://$host:2380" \
      --initial-cluster "default=http://$host:2380" >"$scratch/log" 2>&1 &
  fi
  server=$!
  for _ in $(seq 100); do
    if "$bin/ci/bench/reader_bench" "$host:2379" bare 1 1 >/dev/null 2>&1; then return; fi
    kill -0 "$server" 2>/dev/null || break
  done
  echo "figures: $1 does not serve; its log ends with:" >&2
  tail -n 3 "$scratch/log" >&2
  exit 3
}

for name in embedded etcd; do
  serve "$name"
  echo "== recording beside a bare reader: $name, 1000 watchers, 2000 puts of 100 bytes"
  for _ in $(seq "$pairs"); do
    for mode in bare record; do
      "$bin/ci/bench/reader_bench" "$host:2379" "$mode" 1000 2000 | tee -a "$scratch/$name"
    done
  done
  kill -9 "$server" 2>/dev/null || true
  wait "$server" 2>/dev/null || true
  server=
done

python3 - "$scratch" <<'END'
import json, pathlib, statistics, sys

for name in ("embedded", "etcd"):
    lines = (pathlib.Path(sys.argv[1]) / name).read_text().splitlines()
    runs = [json.loads(line) for line in lines]
    cost = {
        mode: statistics.median(r["cpu_ns_per_event"] for r in runs if r["mode"] == mode)
        for mode in ("bare", "record")
    }
    print(
        f"{name}: bare {cost['bare']:.0f} ns, recording {cost['record']:.0f} ns of CPU per event,"
        f" {100 * (cost['record'] / cost['bare'] - 1):+.0f} %"
    )
END
