#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The embedded store beside etcd on this machine: fan-out, delay, catch-up, memory, durable puts.

    ci/jobs/store_figures.py [--etcd BINARY] [--pairs 5] [--place tmpfs|disk|both]
                             [--tmpfs FOLDER] [--disk FOLDER] [--only ROW,...]

Figures, not tests: nothing passes or fails here. Both servers keep their data in the same place,
once in memory (--tmpfs) and once on a disk; runs alternate, each on a fresh server; medians are
printed with the least and the most.
"""

import argparse
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Self

import job
from job import spread
from server import etcd_command

HOST = job.own_address()


class Server:
    """One of the two, with an empty data folder, until the end of the with-block."""

    def __init__(self, options: argparse.Namespace, name: str, place: str) -> None:
        self.bench = options.build / "ci/bench/store/watch_bench"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="store-figures-", dir=place))
        data = str(self.folder / "data")
        if name == "etcd":
            command = [*etcd_command(options.etcd, HOST, str(self.folder)), "--log-level", "error"]
            command += ["--quota-backend-bytes", str(8 << 30)]
        else:
            command = [str(options.build / "watchproof"), "store", "--data", data]
            command += ["--listen", f"{HOST}:2379", "--http", f"{HOST}:2381"]
        self.log = open(self.folder / "log", "w")  # noqa: SIM115 closed in __exit__
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log)

    def __enter__(self) -> Self:
        # The first put waits until the server answers.
        self.measure("memory --watchers 0 --puts 1 --writers 1")
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder)

    def measure(self, arguments: str) -> dict[str, float] | None:
        """The name=value pairs of one run, or None when it was void."""
        return job.pairs(
            [
                self.bench,
                *arguments.split(),
                "--endpoint",
                f"{HOST}:2379",
                "--pid",
                str(self.process.pid),
            ]
        )


def beside(
    options: argparse.Namespace, place: str, title: str, arguments: str, wanted: Sequence[str]
) -> None:
    """Runs both in turn; prints each wanted value of both and the ratio of the medians."""
    seen: dict[str, dict[str, list[float]]] = {
        name: {key: [] for key in wanted} for name in ("etcd", "embedded")
    }
    for _ in range(options.pairs):
        for name, values in seen.items():
            with Server(options, name, place) as server:
                figures = server.measure(arguments)
            if figures:
                for key in wanted:
                    values[key].append(figures[key])
    for key in wanted:
        etcd, embedded = seen["etcd"][key], seen["embedded"][key]
        ratio = "-"
        if etcd and embedded and statistics.median(etcd) > 0:
            ratio = f"{statistics.median(embedded) / statistics.median(etcd):.3g}"
        print(f"| {title} | {key} | {spread(etcd)} | {spread(embedded)} | {ratio} |", flush=True)


def ceiling(options: argparse.Namespace) -> None:
    bench = str(options.build / "ci/bench/store/watch_bench")
    endpoint = ["--endpoint", f"{HOST}:2390"]
    server = subprocess.Popen([bench, "canned", *endpoint])
    try:
        for reader in ("raw", "parse"):
            command = [bench, "ceiling", "--reader", reader, *endpoint]
            runs = [job.pairs(command) for _ in range(3)]
            rates = [run["events_per_s"] for run in runs if run]
            print(f"client alone, {reader}: {spread(rates)} events/s", flush=True)
    finally:
        server.kill()
        server.wait()


def stalled(options: argparse.Namespace, place: str) -> None:
    """Eight connections, none and then one of them stalled: what is left to the others."""
    rows = {}
    for name in ("etcd", "embedded"):
        shares: dict[str, list[float]] = {"events": [], "puts": []}
        for _ in range(options.pairs):
            runs = []
            for stalled_streams in (0, 1):
                with Server(options, name, place) as server:
                    runs.append(
                        server.measure(
                            f"fanout --streams 8 --stalled {stalled_streams} --watchers 100"
                            " --puts 3000"
                        )
                    )
            without, with_one = runs
            if without and with_one:
                shares["events"].append(
                    (with_one["events_per_s"] / 7) / (without["events_per_s"] / 8)
                )
                shares["puts"].append(with_one["puts_per_s"] / without["puts_per_s"])
        rows[name] = shares
    for key in ("events", "puts"):
        print(
            f"| 8 connections, one stalled: rate kept | {key} |"
            f" {spread(rows['etcd'][key])} | {spread(rows['embedded'][key])} | |",
            flush=True,
        )


def memory(options: argparse.Namespace, place: str) -> None:
    title = "1000 watchers never read, 100,000 puts of 1 KiB: growth beyond the data, MiB"
    row = []
    for name in ("etcd", "embedded"):
        growth = []
        for watchers in (0, 1000):
            with Server(options, name, place) as server:
                figures = server.measure(
                    f"memory --watchers {watchers} --puts 100000 --value 1024 --writers 64"
                )
            growth.append(figures["growth_mib"] if figures else float("nan"))
        row.append(f"{growth[1] - growth[0]:.1f} ({growth[0]:.0f} to {growth[1]:.0f})")
    print(f"| {title} | - | {row[0]} | {row[1]} | |", flush=True)


# With delays, because throughput could be bought with them.
FANOUT = ("events_per_s", "cpu_us_per_event", "p50_ms", "puts_per_s", "events_per_message")
# Of many writers, so that the disk does not bound what there is to deliver.
LOAD = "fanout --stamps --writers 64"


def rows(options: argparse.Namespace, place: str) -> dict[str, Callable[[], None]]:
    def row(title: str, arguments: str, wanted: Sequence[str]) -> Callable[[], None]:
        return lambda: beside(options, place, title, arguments, wanted)

    return {
        "1000": row("1000 watchers, raw", f"{LOAD} --puts 4000", FANOUT),
        "1000-parse": row("1000 watchers, parsing", f"{LOAD} --puts 4000 --reader parse", FANOUT),
        "10000": row("10,000 watchers, raw", f"{LOAD} --watchers 10000 --puts 500", FANOUT),
        "10000-parse": row(
            "10,000 watchers, parsing", f"{LOAD} --watchers 10000 --puts 500 --reader parse", FANOUT
        ),
        "100": row("100 watchers, raw", f"{LOAD} --watchers 100 --puts 20000", FANOUT),
        "1": row("1 watcher, raw", f"{LOAD} --watchers 1 --puts 40000", FANOUT),
        "delay": row(
            "1000 watchers, 1000 puts/s",
            "fanout --puts 10000 --rate 1000 --stamps",
            ("p50_ms", "p99_ms", "cpu_us_per_event"),
        ),
        "delay-slow": row(
            "1000 watchers, 100 puts/s",
            "fanout --puts 1000 --rate 100 --stamps",
            ("p50_ms", "p99_ms"),
        ),
        "stalled": lambda: stalled(options, place),
        "ranges": row(
            "100,000 watchers on distinct ranges, 100 match",
            f"{LOAD} --other-ranges 99900 --watchers 100 --ranges --puts 10000",
            FANOUT,
        ),
        "catchup": row(
            "catch-up of 120,000 revisions", "catchup --writers 64", ("seconds", "cpu_s")
        ),
        "catchup-long": row(
            "catch-up of 1,000,000 revisions",
            "catchup --revisions 1000000 --writers 64",
            ("seconds", "cpu_s"),
        ),
        "memory": lambda: memory(options, place),
        "puts": row(
            "durable puts, 64 clients",
            "memory --watchers 0 --puts 60000 --writers 64",
            ("puts_per_s",),
        ),
    }


# Left out unless asked for: etcd takes most of an hour for it.
LONG = {"catchup-long"}


def main() -> None:
    parser = job.parser(__doc__)
    parser.add_argument("--etcd", default=shutil.which("etcd"))
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--disk", default=os.getcwd())
    parser.add_argument("--tmpfs", default="/dev/shm")
    parser.add_argument("--place", choices=("tmpfs", "disk", "both"), default="both")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if not options.etcd:
        sys.exit("store_figures: no etcd found; name one with --etcd")
    options.build = job.build("watchproof", "watch_bench")
    only = [name for name in options.only.split(",") if name]
    print(time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), f"{os.cpu_count()} cores", flush=True)
    ceiling(options)
    for place in ("tmpfs", "disk") if options.place == "both" else (options.place,):
        folder = getattr(options, place)
        print(f"\nData of both servers on {place} ({folder}).\n")
        print("| what | figure | etcd | embedded | embedded / etcd |\n|---|---|---|---|---|")
        for name, run in rows(options, folder).items():
            if name in only or (not only and name not in LONG):
                run()


if __name__ == "__main__":
    main()
