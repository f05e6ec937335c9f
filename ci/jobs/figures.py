#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What judging and recording cost on this machine.

    ci/jobs/figures.py [--etcd BINARY] [--pairs 5] [--judge-only]

Events judged per second; the time and memory it takes to judge a million and ten million of them
from a recording; and what recording costs per event beside a bare reader of the same bytes, against
the embedded store and an etcd binary. --judge-only leaves the last out, and nothing is served.

Recordings: hot is 1000 watchers of one key, ranges 10,000 watchers of random ranges, with previous
values. The store is compacted after every 1000 writes, so the memory of the judge of watches does
not grow with the number of events. `check` judges the calls too, once they are complete: each write
takes some. Figures, not tests: nothing passes or fails here. Runs alternate; medians come last.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence

import job
from server import READY_ETCD, READY_STORE, Server, etcd_command, store_command

MODES = ("bare", "record")
Command = Sequence[str | pathlib.Path]


def cost(command: Command) -> tuple[float, float]:
    """Returns the CPU seconds and the peak of the resident memory in MiB."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def judge(build: pathlib.Path, scratch: pathlib.Path) -> None:
    recording = scratch / "load.wire.zst"
    for kind in ("hot", "ranges"):
        for events in (1_000_000, 10_000_000):
            record: Command = [
                build / "ci/bench/judge_load",
                "record",
                kind,
                str(events),
                recording,
            ]
            made = int(subprocess.check_output(record))
            size = os.path.getsize(recording) / 1024**2
            for what, command in (
                ("watches", (build / "ci/bench/judge_load", "judge", recording)),
                ("check", (build / "watchproof", "check", recording)),
            ):
                seconds, peak = cost(command)
                pace = made / seconds / 1e6
                print(
                    f"{kind:<7}{what:<8}{made:>10} events, {size:6.1f} MiB on disk:"
                    f" {seconds:5.1f} s of CPU, {pace:.2f} million a second, peak {peak:.0f} MiB",
                    flush=True,
                )


def record(build: pathlib.Path, scratch: pathlib.Path, etcd: str, pairs: int) -> None:
    address = job.own_address()
    servers = {
        "embedded": Server(
            "embedded", store_command(build / "watchproof", address), address, READY_STORE
        ),
        "etcd": Server("etcd", etcd_command(etcd, address, scratch), address, READY_ETCD),
    }
    for name, server in servers.items():
        print(f"== recording beside a bare reader: {name}, 1000 watchers, 2000 puts of 100 bytes")
        seen: dict[str, list[float]] = {mode: [] for mode in MODES}
        with server:
            for _ in range(pairs):
                for mode in MODES:
                    bench: Command = [build / "ci/bench/reader_bench", server.endpoint, mode]
                    line = subprocess.check_output([*bench, "1000", "2000"], text=True)
                    print(line, end="", flush=True)
                    seen[mode].append(json.loads(line)["cpu_ns_per_event"])
        bare, recorded = (statistics.median(seen[mode]) for mode in MODES)
        print(
            f"{name}: bare {bare:.0f} ns, recording {recorded:.0f} ns of CPU per event,"
            f" {100 * (recorded / bare - 1):+.0f} %"
        )


def main() -> None:
    parser = job.parser(__doc__)
    parser.add_argument("--etcd", default=shutil.which("etcd"))
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--judge-only", action="store_true")
    options = parser.parse_args()
    build = job.build("watchproof", "reader_bench", "judge_bench", "judge_load")
    with tempfile.TemporaryDirectory(prefix="figures-") as folder:
        print("== events, and key-value calls, judged per second", flush=True)
        bench: Command = [build / "ci/bench/judge_bench", "--benchmark_counters_tabular=true"]
        subprocess.run(bench, check=True)
        print("== events judged from a recording")
        judge(build, pathlib.Path(folder))
        if not options.judge_only:
            record(build, pathlib.Path(folder), options.etcd, options.pairs)


if __name__ == "__main__":
    main()
