#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What becomes of clients when etcd is restored from a backup under them, with and without a bump.

    ci/jobs/kubernetes_restore.py [--etcd 3.7.3]... [--consumer kube-informer]... [--patience 30]

A client follows the keys of an etcd. A snapshot is taken; then one key is created, one changed and
one deleted, and the client follows. The server is stopped, restored by `etcdutl snapshot restore`
at the same address, and started. That takes those changes back, and the same revisions are given
out again: unless restored with --bump-revision and --mark-compacted, the server cannot notice that
a client watches from a revision of the time before (Kubernetes #107457). In both cases the server
is then written to until it is past the last revision of before.

For each layer of the client it prints which keys differ from those of the server, or when all were
equal, in seconds from the start of the restored server.

Exit code: 0 when with a bump every layer becomes equal, and without one at least one layer does
not: the control; 1 otherwise, 77 without go.
"""

import argparse
import base64
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
from typing import Any

import job
from reader import called
from server import (
    CLIENT_PORT,
    PEER_PORT,
    READY_ETCD,
    Server,
    die_with_parent,
    etcd_command,
    free_address,
    run,
)

CONSUMERS = job.JOBS.parents[1] / "fixtures" / "consumers"
PREFIX = "/registry/events/watched/"
BUMP = 1_000_000
WAYS = {"as it was": [], "bumped": ["--bump-revision", str(BUMP), "--mark-compacted"]}


def coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


class Etcd:
    """A server with the keys, called by its gateway for JSON."""

    def __init__(self, binary: str, folder: pathlib.Path) -> None:
        self.binary = binary
        self.address = free_address(0)
        self.endpoint = f"{self.address}:{CLIENT_PORT}"
        self.folder = folder

    def serving(self, name: str) -> Server:
        """Serves what is in the folder of that name."""
        command = etcd_command(self.binary, self.address, str(self.folder / name))
        return Server("etcd", command, self.address, READY_ETCD)

    def restore(
        self, etcdutl: pathlib.Path, snapshot: pathlib.Path, name: str, flags: list[str]
    ) -> None:
        peer = f"http://{self.address}:{PEER_PORT}"
        called(
            [
                etcdutl,
                "snapshot",
                "restore",
                snapshot,
                "--data-dir",
                self.folder / name / self.address,
                "--name",
                "interop",
                "--initial-cluster",
                f"interop={peer}",
                "--initial-advertise-peer-urls",
                peer,
                *flags,
            ],
            check=True,
        )

    def call(self, path: str, **body: Any) -> list[Any]:
        request = urllib.request.Request(
            f"http://{self.endpoint}/v3/{path}", json.dumps(body).encode(), method="POST"
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return [json.loads(line) for line in answer]

    def put(self, name: str, text: str = "x") -> int:
        """Returns the revision."""
        value = json.dumps(
            {
                "kind": "Event",
                "apiVersion": "v1",
                "message": text,
                "metadata": {"name": name, "namespace": "watched"},
            }
        )
        (answer,) = self.call("kv/put", key=coded(PREFIX + name), value=coded(value))
        return int(answer["header"]["revision"])

    def delete(self, name: str) -> int:
        (answer,) = self.call("kv/deleterange", key=coded(PREFIX + name))
        return int(answer["header"]["revision"])

    def keys(self) -> dict[str, int]:
        (answer,) = self.call("kv/range", key=coded(PREFIX), range_end=coded(PREFIX[:-1] + "0"))
        return {
            base64.b64decode(kv["key"]).decode().removeprefix(PREFIX): int(kv["mod_revision"])
            for kv in answer.get("kvs", [])
        }

    def snapshot(self, file: pathlib.Path) -> None:
        with open(file, "wb") as out:
            out.writelines(
                base64.b64decode(part["result"].get("blob", ""))
                for part in self.call("maintenance/snapshot")
            )


class Consumer:
    """A program of fixtures/consumers; speaks the protocol that its README describes."""

    def __init__(
        self,
        stack: contextlib.ExitStack,
        place: pathlib.Path,
        endpoint: str,
        watchproof: pathlib.Path,
    ) -> None:
        self.source = tomllib.loads((place / "consumer.toml").read_text())
        self.child = stack.enter_context(
            subprocess.Popen(
                [*self.source["run"], "--endpoint", endpoint, "--prefix", PREFIX],
                cwd=place,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                preexec_fn=die_with_parent,
                env=os.environ | {"WATCHPROOF": str(watchproof)},
            )
        )
        stack.callback(self.child.kill)
        self.reports()  # it has started

    def reports(self) -> list[Any]:
        """Those up to the end of a request."""
        found: list[Any] = []
        assert self.child.stdout
        for line in self.child.stdout:
            if not line.startswith("{"):
                continue
            report = json.loads(line)
            if report["kind"] == "done":
                return found
            found.append(report)
        raise RuntimeError(f"the consumer ended: exit code {self.child.wait()}")

    def ask(self, **request: Any) -> list[Any]:
        assert self.child.stdin
        self.child.stdin.write(json.dumps(request) + "\n")
        self.child.stdin.flush()
        return self.reports()

    def held(self, revision: int, seconds: float) -> dict[str, dict[str, int]]:
        """What each layer holds once it claims to be at the revision, or when the time is over."""
        reports = self.ask(do="snapshot", revision=revision, within_ms=int(seconds * 1000))
        return {
            report["layer"]: {
                key.removeprefix(PREFIX): at for key, at in report.get("keys", {}).items()
            }
            for report in reports
            if report["kind"] == "snapshot" and report["layer"] in self.source["layers"]
        }


def difference(held: dict[str, int], there: dict[str, int]) -> str:
    """In words; empty when they are equal."""
    words = [f"{name} is a ghost" for name in held if name not in there]
    words += [f"{name} is missing" for name in there if name not in held]
    words += [
        f"{name} is that of {at}, not {there[name]}"
        for name, at in held.items()
        if name in there and there[name] != at
    ]
    return ", ".join(sorted(words))


def restored(
    stack: contextlib.ExitStack,
    etcd: Etcd,
    consumer: Consumer,
    etcdutl: pathlib.Path,
    flags: list[str],
    patience: float,
) -> tuple[dict[str, str], float]:
    """For each layer the difference that remains, and after how many seconds there was none."""
    with etcd.serving("before"):
        for name in ("kept", "changed", "deleted"):
            etcd.put(name)
        consumer.ask(do="open")
        saved = etcd.folder / "backup"
        etcd.snapshot(saved)
        etcd.put("changed", "y")
        etcd.put("created")
        last = etcd.delete("deleted")
        there = etcd.keys()
        before = consumer.held(last, patience)
        wrong = {layer: difference(keys, there) for layer, keys in before.items()}
        if not before or any(wrong.values()):
            raise RuntimeError(f"before the restore the client did not follow: {wrong}")
    etcd.restore(etcdutl, saved, "after", flags)
    stack.enter_context(etcd.serving("after"))
    began = time.monotonic()
    head = etcd.put("new")
    if flags and head <= last:
        raise RuntimeError(f"the revision was not bumped: {head} after {last}")
    if not flags and head > last:
        raise RuntimeError(f"the revision did not go back: {head} after {last}")
    while head <= last + 3:
        head = etcd.put("filler")
    there = etcd.keys()
    while True:
        held = consumer.held(head, 1)
        found = {
            layer: difference(held[layer], there) if layer in held else "not reported"
            for layer in before
        }
        passed = time.monotonic() - began
        if not any(found.values()) or passed > patience:
            return found, passed


def build(name: str, folder: pathlib.Path) -> pathlib.Path:
    """A copy of the consumers' sources, with this one built in it; its place there."""
    place = folder / name
    if not place.exists():
        shutil.copytree(CONSUMERS, folder, dirs_exist_ok=True)
    source = tomllib.loads((place / "consumer.toml").read_text())
    for command in source["build"]:
        subprocess.run(command, shell=True, check=True, cwd=place)
    return place


def work(stack: contextlib.ExitStack, options: argparse.Namespace) -> int:
    watchproof = job.build("watchproof") / "watchproof"
    folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wp-restore-")))
    places = {name: build(name, folder / "consumers") for name in options.consumer}
    failed = False
    for release in options.etcd:
        binary = str(job.etcd(watchproof, release))
        etcdutl = job.etcd(watchproof, release, "etcdutl")
        for name, place in places.items():
            for way, flags in WAYS.items():
                own = folder / f"{release}-{name}-{len(flags)}"
                own.mkdir()
                with contextlib.ExitStack() as inner:
                    etcd = Etcd(binary, own)
                    consumer = Consumer(inner, place, etcd.endpoint, watchproof)
                    found, passed = restored(
                        inner, etcd, consumer, etcdutl, flags, options.patience
                    )
                print(f"etcd {release} restored {way}, under {name}, after {passed:.1f} s:")
                for layer, words in found.items():
                    print(f"  {layer:12}{words or 'equal'}", flush=True)
                failed |= any(found.values()) == bool(flags)
    return int(failed)


def main() -> int:
    parser = job.parser(__doc__)
    parser.add_argument("--etcd", action="append", metavar="VERSION")
    parser.add_argument("--consumer", action="append", metavar="NAME", help="of those in Go")
    parser.add_argument("--patience", type=float, default=30, metavar="SECONDS")
    options = parser.parse_args()
    options.etcd = options.etcd or ["3.7.3"]
    options.consumer = options.consumer or ["etcd-go", "kube-informer"]
    job.needs("go")
    return run(work, options)


if __name__ == "__main__":
    sys.exit(main())
