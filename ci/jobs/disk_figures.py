#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a proxy before the disk of etcd takes from its puts.

    ci/jobs/disk_figures.py [--etcd BINARY] [--rounds 3] [--seconds 10] [--writers 64]
                            [--disk FOLDER]

Three etcds with syncs that reach the device: alone, with a proxy that counts and could disturb, and
with one that could also take back what is not synced. They are fresh in each round, and written to
by turns, about a second each, so that what else the machine does disturbs all of them. Figures, not
tests: nothing passes or fails here. Medians are printed with the least and the most, and how much
of the rate without a proxy is left, round by round.
"""

import argparse
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import job
from job import spread
from server import etcd_command

VERSION = "3.7.3"
FIRST_PUTS = 3000  # of each round, for a rate
# What stands before the command of etcd.
PATHS: dict[str, list[str] | None] = {"alone": None, "no undo": ["--no-undo"], "undo": []}


class Etcd:
    def __init__(self, options: argparse.Namespace, flags: list[str] | None) -> None:
        self.options = options
        self.host = job.own_address()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="disk-figures-", dir=options.disk))
        command = etcd_command(options.etcd, self.host, str(self.folder))
        command += ["--log-level", "error"]
        if flags is not None:
            data = self.folder / self.host
            data.mkdir(mode=0o700)
            own = [str(options.build / "watchproof"), "disk", "--data", str(data), *flags, "--"]
            command = [*own, *command]
        self.log = open(self.folder / "log", "w")  # noqa: SIM115 closed in close
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        self.puts = 0
        self.seconds = 0.0

    def close(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder)

    def write(self, puts: int) -> float:
        """The rate."""
        bench = str(self.options.build / "ci/bench/store/watch_bench")
        words = f"memory --watchers 0 --puts {puts} --writers {self.options.writers}"
        where = ["--endpoint", f"{self.host}:2379", "--pid", str(self.process.pid)]
        measured = job.pairs([bench, *words.split(), *where])
        if not measured or measured["failed"]:
            sys.exit(f"disk_figures: puts failed: {measured}")
        return measured["puts_per_s"]

    def write_for_a_second(self, rate: float) -> None:
        puts = int(rate)
        self.puts += puts
        self.seconds += puts / self.write(puts)


def measure(options: argparse.Namespace) -> dict[str, float]:
    """One round: the rate of each."""
    etcds = {name: Etcd(options, flags) for name, flags in PATHS.items()}
    try:
        first = {name: etcd.write(FIRST_PUTS) for name, etcd in etcds.items()}
        while min(etcd.seconds for etcd in etcds.values()) < options.seconds:
            for name, etcd in etcds.items():
                etcd.write_for_a_second(first[name])
        return {name: etcd.puts / etcd.seconds for name, etcd in etcds.items()}
    finally:
        for etcd in etcds.values():
            etcd.close()


def main() -> None:
    parser = job.parser(__doc__)
    parser.add_argument("--etcd")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--writers", type=int, default=64)
    parser.add_argument("--disk", help="where the data is (default: that of temporary files)")
    options = parser.parse_args()
    options.build = job.build("watchproof", "watch_bench")
    options.etcd = options.etcd or str(job.etcd(options.build / "watchproof", VERSION))
    rates: dict[str, list[float]] = {name: [] for name in PATHS}
    left: dict[str, list[float]] = {name: [] for name in PATHS}
    for _ in range(options.rounds):
        of_round = measure(options)
        for name, rate in of_round.items():
            rates[name].append(rate)
            left[name].append(rate / of_round["alone"])
    print(f"puts per second of {options.writers} clients, {options.rounds} rounds")
    for name in PATHS:
        print(f"  {name:8} {spread(rates[name])}, of alone {spread(left[name])}")


if __name__ == "__main__":
    main()
