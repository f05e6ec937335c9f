#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A Kubernetes API server with a thousand informers on the embedded store, and on etcd beside it.

    ci/jobs/kubernetes_scale.py [--etcd 3.7.3] [--duration 600] [--informers 1000]
        [--objects 50000] [--rate 500] [--cache] [--defect NAME]...

Both run at the same time. Each has a store, our proxy before it, and one process with the API
server and the informers, each of which follows its own share of the objects. Writes go to the store
past proxy and API server; the API server compacts every 5 s, and every 20 s its link to the store
is stalled for 3 s. Without --cache each informer becomes a watch of the store, all on one stream;
with it they share one watch and a cache. Defects are planted in the embedded store.

For each store it prints what became of the writes: lost (an informer that did not list again has
not been given one), doubled, left to a list, and informers that end with other objects than the
store; how long after a stall the last write from before its end arrived; and what the store used.

Exit code: 0 when nothing was lost, doubled or unequal, and each stall held something up; 1
otherwise, 77 without go.
A first build takes 4 minutes of two cores. Needs go.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import job
from server import STORE, Server, die_with_parent, start

EMBEDDED = "embedded"
COMPACTION, STALL, STALL_EVERY = 5, 3, 20  # seconds
PROGRAM = job.JOBS.parents[1] / "fixtures" / "consumers" / "kube-apiserver"
TICKS = os.sysconf("SC_CLK_TCK")


class Side:
    """One store with its proxy and the process of the API server."""

    def __init__(
        self,
        stack: ExitStack,
        name: str,
        binary: str,
        number: int,
        program: pathlib.Path,
        options: argparse.Namespace,
    ) -> None:
        self.name = name
        planted = options.defect if name == EMBEDDED else []
        self.store = start(
            stack,
            STORE if name == EMBEDDED else name,
            binary,
            number,
            flags=[f"--defect={defect}" for defect in planted],
        )
        self.host = self.store.endpoint.split(":")[0]
        self.api = f"http://{self.host}:8474"
        watchproof = options.build / "watchproof"
        linked = f"{self.host}:2390"
        words = f"proxy --listen {linked} --to {self.store.endpoint} --control {self.host}:8474"
        command = [watchproof, *words.split()]
        stack.enter_context(Server("proxy", command, self.host, "listening on"))
        load = (
            f"scale --endpoint {linked} --direct {self.store.endpoint} "
            f"--informers {options.informers} --objects {options.objects} "
            f"--rate {options.rate} --duration {options.duration}s "
            f"--compaction {COMPACTION}s{' --cache' if options.cache else ''}"
        )
        self.log = stack.enter_context(tempfile.TemporaryFile(mode="w+"))  # noqa: SIM115 it is one
        self.child = stack.enter_context(
            subprocess.Popen(
                [program, *load.split()],
                stdout=subprocess.PIPE,
                stderr=self.log,
                text=True,
                preexec_fn=die_with_parent,
                env=os.environ | {"WATCHPROOF": str(watchproof)},
            )
        )
        stack.callback(self.child.kill)
        self.stalls: list[float] = []

    def call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.api + path, data, method=method)
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read()
        return json.loads(text) if text else {}

    def processor_seconds(self) -> float:
        fields = pathlib.Path(f"/proc/{self.store.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory_mib(self) -> float | None:
        for line in pathlib.Path(f"/proc/{self.store.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
        return None

    def answer(self) -> Any:
        """The next line in JSON of the process."""
        assert self.child.stdout
        for line in self.child.stdout:
            if line.startswith("{"):
                return json.loads(line)
        self.log.seek(0)
        raise RuntimeError(f"{self.name} ended: {self.log.read()[-2000:]}")

    def stall(self, written: threading.Event) -> None:
        (proxy,) = self.call("GET", "/proxies")
        effects = [
            {"proxy": proxy, "kind": "stall", "direction": direction, "parameters": {}}
            for direction in ("to-client", "to-target")
        ]
        while not written.wait(STALL_EVERY - STALL):
            armed = [self.call("POST", "/effects", effect) for effect in effects]
            time.sleep(STALL)
            for effect in armed:
                self.call("DELETE", f"/effects/{effect['id']}")
            self.stalls.append(time.monotonic() * 1000)

    def run(self) -> None:
        self.answer()  # ready
        began, before, written = time.monotonic(), self.processor_seconds(), threading.Event()
        with ThreadPoolExecutor() as pool:
            stalling = pool.submit(self.stall, written)
            try:
                self.answer()  # all is written
            finally:
                written.set()
            stalling.result()
        self.seconds = time.monotonic() - began
        self.used, self.peak = self.processor_seconds() - before, self.memory_mib()
        self.result = self.answer()

    def recoveries(self) -> list[float]:
        """For each stall that held something up, ms from its end until all of that has arrived."""
        arrivals = {int(at): last for at, last in self.result["last_arrival_ms"].items()}
        found = []
        for end in self.stalls:
            within = [last for at, last in arrivals.items() if end - STALL * 1000 <= at < end - 100]
            found += [max(within) - end] if within and max(within) > end else []
        return found

    def row(self) -> dict[str, object]:
        result, delays = self.result, sorted(self.result["delays_us"])
        recoveries = self.recoveries()
        at = {q: delays[int(q * (len(delays) - 1))] / 1000 for q in (0.5, 0.9, 0.99)}
        return {
            "writes": result["writes"],
            "writes/s": f"{result['writes'] / self.seconds:.0f}",
            "lost": result["lost"],
            "doubled": result["doubled"],
            "informers that differ": result["unequal"],
            "lists again": result["relists"],
            "left to them": result["left_to_relists"],
            "watches again": result["reopened"],
            "stalls": len(recoveries),
            "recovery, median ms": f"{statistics.median(recoveries):.0f}" if recoveries else "-",
            "recovery, longest ms": f"{max(recoveries):.0f}" if recoveries else "-",
            "delay, median ms": f"{at[0.5]:.1f}",
            "delay, 90 % ms": f"{at[0.9]:.0f}",
            "delay, 99 % ms": f"{at[0.99]:.0f}",
            "store, MiB at most": f"{self.peak:.0f}",
            "store, processor s": f"{self.used:.1f}",
        }

    def wrong(self) -> int:
        return self.result["lost"] + self.result["doubled"] + self.result["unequal"]


def main() -> int:
    parser = job.parser(__doc__)
    parser.add_argument("--etcd", default="3.7.3")
    parser.add_argument("--duration", type=int, default=600)
    parser.add_argument("--informers", type=int, default=1000)
    parser.add_argument("--objects", type=int, default=50000)
    parser.add_argument("--rate", type=int, default=500)
    parser.add_argument("--cache", action="store_true")
    parser.add_argument("--defect", action="append", default=[])
    options = parser.parse_args()
    job.needs("go")
    options.build = job.build("watchproof")
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="watchproof-scale-"))
        program = pathlib.Path(folder) / "program"
        subprocess.run(["go", "build", "-ldflags=-s", "-o", program, "."], cwd=PROGRAM, check=True)
        etcd = f"etcd {options.etcd}"
        sides = [
            Side(stack, EMBEDDED, options.build / "watchproof", 0, program, options),
            Side(
                stack,
                etcd,
                str(job.etcd(options.build / "watchproof", options.etcd)),
                1,
                program,
                options,
            ),
        ]
        with ThreadPoolExecutor() as pool:
            list(pool.map(Side.run, sides))
        rows = [side.row() for side in sides]
    print(f"{'':24}" + "".join(f"{side.name:>14}" for side in sides))
    for name in rows[0]:
        print(f"{name:24}" + "".join(f"{row[name]:>14}" for row in rows))
    void = [side.name for side in sides if len(side.recoveries()) < max(1, len(side.stalls))]
    if void:
        print(f"void: a stall held nothing up before {', '.join(void)}")
    return int(bool(void) or any(side.wrong() for side in sides))


if __name__ == "__main__":
    sys.exit(main())
