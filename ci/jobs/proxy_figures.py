#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The proxy beside Toxiproxy on this machine, both without effects.

    ci/jobs/proxy_figures.py [--toxiproxy BINARY | --source FOLDER] [--pairs 5] [--megabytes 2000]
                             [--rounds 20000]

Throughput of one and of 64 connections, latency that they add at the median and at the 99th
percentile; what following HTTP/2 adds to that, and what it takes from the neighbour of a held
stream; and what recording takes from the rate of watch events and adds to their delay.
Figures, not tests: nothing passes or fails here. Without a binary Toxiproxy is built with
Go from the folder named, a checkout of its public repository; without either only our own figures
are printed. Runs alternate; medians are printed with the least and the most.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any, Self

import job
from job import spread
from reader import called

Paths = dict[str, Callable[[], Any]]

HOST = job.own_address()
TARGET, PROXIED, API = f"{HOST}:7001", f"{HOST}:7002", f"{HOST}:8474"
START_SECONDS = 10


def stay_on_one_processor() -> None:
    """Runs in a child: waking another processor takes longer than a proxy does."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


class Direct:
    """No proxy."""

    address = TARGET

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Running:
    address = PROXIED

    def __init__(self, command: list[str]) -> None:
        self.command = command
        self.place = None

    def __enter__(self) -> Self:
        self.process = subprocess.Popen(
            self.command,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=self.place,
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()


class Ours(Running):
    """Configured by the same API as Toxiproxy."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__([str(options.build / "watchproof"), "proxy", "--control", API])

    def __enter__(self) -> Self:
        super().__enter__()
        open_proxy()
        return self


class Toxiproxy(Running):
    def __init__(self, options: argparse.Namespace) -> None:
        host, port = API.split(":")
        super().__init__([options.toxiproxy, "-host", host, "-port", port])

    def __enter__(self) -> Self:
        super().__enter__()
        open_proxy()
        return self


def open_proxy() -> None:
    body = json.dumps({"name": "figures", "listen": PROXIED, "upstream": TARGET}).encode()
    request = urllib.request.Request(f"http://{API}/proxies", body, method="POST")
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            urllib.request.urlopen(request).close()
            return
        except urllib.error.URLError as error:
            if isinstance(error, urllib.error.HTTPError) or time.monotonic() > until:
                raise


def measure(
    options: argparse.Namespace, proxy: Any, arguments: str, place: Callable[[], None] | None = None
) -> dict[str, float]:
    """The name=value pairs of one run, or none when it was void."""
    proxy.place = place
    bench = options.build / "ci/bench/path_bench"
    command = [str(bench), *arguments.split(), "--target", TARGET, "--path", proxy.address]
    with proxy:
        return job.pairs(command, preexec_fn=place) or {}


def ratio(ours: Sequence[float] | None, theirs: Sequence[float] | None) -> str:
    if not ours or not theirs or not statistics.median(theirs):
        return ""
    return f", ours/theirs {statistics.median(ours) / statistics.median(theirs):.2f}"


def carried(options: argparse.Namespace, paths: Paths, connections: int) -> None:
    seen: dict[str, list[float]] = {name: [] for name in paths}
    for _ in range(options.pairs):
        for name, make in paths.items():
            arguments = f"carry --connections {connections} --megabytes {options.megabytes}"
            seen[name] += measure(options, make(), arguments).values()
    text = "; ".join(f"{name} {spread(values)}" for name, values in seen.items())
    print(f"{connections} connections, MB/s: {text}{ratio(seen['ours'], seen.get('toxiproxy'))}")


def added(
    options: argparse.Namespace, paths: Paths, where: str, place: Callable[[], None] | None
) -> None:
    """Compares each path with the direct one that was measured just before it."""
    seen: dict[str, dict[str, list[float]]] = {"p50_us": {}, "p99_us": {}}
    for _ in range(options.pairs):
        direct = {}
        for name, make in paths.items():
            figures = measure(options, make(), f"echo --rounds {options.rounds}", place)
            if name == "direct":
                direct = figures
            elif figures and direct:
                for key, values in seen.items():
                    values.setdefault(name, []).append(figures[key] - direct[key])
    for key, values in seen.items():
        text = "; ".join(f"{name} {spread(all_of)}" for name, all_of in values.items())
        print(
            f"added there and back, {where}, {key}: {text}"
            f"{ratio(values.get('ours'), values.get('toxiproxy'))}"
        )


def built(source: str, folder: str) -> str | None:
    """Toxiproxy's server from a checkout, or None after saying what is missing."""
    if not shutil.which("go"):
        print("no Go here, so no Toxiproxy to compare with: install golang-go", file=sys.stderr)
        return None
    binary = str(pathlib.Path(folder) / "toxiproxy-server")
    done = called(["go", "build", "-o", binary, "./cmd/server"], cwd=source)
    if done.returncode != 0:
        print(f"Toxiproxy cannot be built: {done.stderr}", file=sys.stderr)
        return None
    return binary


def main() -> None:
    parser = job.parser(__doc__)
    parser.add_argument("--toxiproxy")
    parser.add_argument("--source")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--megabytes", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=20000)
    options = parser.parse_args()
    options.build = job.build("watchproof", "follow_bench", "path_bench", "record_bench")
    with tempfile.TemporaryDirectory(prefix="proxy-figures-") as folder:
        if options.source and not options.toxiproxy:
            options.toxiproxy = built(options.source, folder)
        paths = {"direct": Direct, "ours": lambda: Ours(options)}
        if options.toxiproxy:
            paths["toxiproxy"] = lambda: Toxiproxy(options)
        print(f"{os.cpu_count()} processors, {options.pairs} runs each")
        for connections in (1, 64):
            carried(options, paths, connections)
        added(options, paths, "wherever the kernel runs them", None)
        added(options, paths, "all on one processor", stay_on_one_processor)
        follow = options.build / "ci/bench/follow_bench"
        record = options.build / "ci/bench/record_bench"
        for bench in (follow, record):
            done = called([bench], check=True)
            print(done.stdout, end="")


if __name__ == "__main__":
    main()
