#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a real consumer of watches makes of a store that loses a compaction notice (etcd #17529).

    ci/jobs/consumers.py [--consumer kube-storage|etcd-go] [--repeat N]
        [--target embedded|etcd@VERSION|etcd:PATH]...

A hundred watches share the stream of the consumer's client of etcd, as those of one API server did
in Kubernetes 1.27 to 1.29. The proxy holds back what the store sends on it until the store's queue
for that stream is full. Then the consumer's cache lists; before it watches, an object is deleted
and the store compacted, so this watch begins below the floor and must end with ErrCompacted. A
store that drops the notice lets the watch go on behind the gap: the cache keeps the deleted object
for ever, although a direct read does not find it.

Truth is what the job wrote, and what the store itself answers at the end. Each layer is compared
with it, from the store up; the first that differs is named. Consumers are built on demand from
`fixtures/consumers`. Exit code: 0 when every layer of every run agreed with the store, 1 otherwise,
77 without go or etcdctl.
"""

import argparse
import base64
import contextlib
import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import job
from server import clean_environment, die_with_parent, etcd_command, free_address

CONSUMERS = job.JOBS.parents[1] / "fixtures" / "consumers"
# That report what they hold, from the store up. Below them is what the client of etcd passed on.
LAYERS = {"kube-storage": ["etcd3", "cache", "reader"], "etcd-go": ["client"]}
NEEDED = {"go": "install golang-go, 1.26 or later", "etcdctl": "install etcd-client"}
OPENED = {"kube-storage": "cache", "etcd-go": "client"}
PREFIX = "/registry/things/"
NEIGHBOURS = 100
FAT_PUTS, FAT_BYTES = 60, 16 * 1024
PATIENCE = 30  # seconds
WATCHERS = "etcd_debugging_mvcc_watcher_total"
SLOW_WATCHERS = "etcd_debugging_mvcc_slow_watcher_total"


class Void(Exception):
    """The run did not do what it was to do, so it shows nothing."""


def cache():
    own = os.environ.get("WATCHPROOF_CACHE")
    shared = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(own or os.path.join(shared, "watchproof"))


def built(consumer):
    """The consumer's program. Go's own cache makes this fast when nothing has changed."""
    program = cache() / "consumers" / consumer
    program.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["go", "build", "-o", program, "."], cwd=CONSUMERS / consumer, check=True,
                   env=os.environ | {"GOWORK": "off"})
    return program


def await_fact(what, fact):
    end = time.monotonic() + PATIENCE
    while not fact():
        if time.monotonic() > end:
            raise Void(f"waited {PATIENCE} s for {what}")
        time.sleep(0.01)


class Process:
    """A child process; its output is read all the time."""

    def __init__(self, stack, command):
        self.lines = queue.Queue()
        self.child = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, env=clean_environment(),
            preexec_fn=die_with_parent)
        threading.Thread(target=self._read, daemon=True).start()
        stack.callback(self._stop)

    def _read(self):
        for line in self.child.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _stop(self):
        self.child.kill()
        self.child.wait()

    def await_line(self, words):
        end = time.monotonic() + PATIENCE
        last = ""
        while True:
            try:
                line = self.lines.get(timeout=max(0, end - time.monotonic()))
            except queue.Empty:
                raise Void(f"waited {PATIENCE} s for '{words}'") from None
            if line is None:
                raise Void(f"{self.child.args[0]} ended: {last}")
            if words in line:
                return line
            last = line


class Store:
    def __init__(self, stack, target, watchproof):
        if target == "embedded":
            store = Process(stack, [watchproof, "store", "--listen", "127.0.0.1:0"])
            words = store.await_line("serving on ").split()
            self.endpoint, self.http = words[2].rstrip(","), words[5]
            return
        binary = target.removeprefix("etcd:")
        if target.startswith("etcd@"):
            version = target.removeprefix("etcd@")
            subprocess.run([watchproof, "fetch", "etcd", version], check=True, stdout=sys.stderr)
            binary = cache() / "releases" / "etcd" / version / "etcd"
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        host = free_address(0)
        etcd = Process(stack, etcd_command(str(binary), host, folder))
        etcd.await_line("ready to serve client requests")
        self.endpoint = self.http = f"{host}:2379"

    def metric(self, name):
        with urllib.request.urlopen(f"http://{self.http}/metrics", timeout=PATIENCE) as page:
            for line in page.read().decode().splitlines():
                if line.startswith(name + " "):
                    return float(line.split()[1])
        raise Void(f"{self.http} has no metric {name}")

    def ctl(self, *words):
        """The answer of etcdctl."""
        ran = subprocess.run(["etcdctl", "--endpoints", self.endpoint, "-w", "json", *words],
                             capture_output=True, text=True, check=False, timeout=PATIENCE,
                             env=clean_environment())
        if ran.returncode != 0:
            raise Void(f"etcdctl {' '.join(words)}: {ran.stderr}")
        return ran.stdout

    def put(self, key, value="v"):
        return json.loads(self.ctl("put", PREFIX + key, value))["header"]["revision"]

    def keys(self):
        """The modification revision of each key, linearizable."""
        answer = json.loads(self.ctl("get", "--prefix", PREFIX))
        return {base64.b64decode(kv["key"]).decode(): kv["mod_revision"]
                for kv in answer.get("kvs", [])}

    def await_sync_pass(self, since):
        """A watch from the past on a stream of its own gets its first event from such a pass."""
        watch = subprocess.Popen(
            ["etcdctl", "--endpoints", self.endpoint, "watch", "--prefix", PREFIX, "--rev",
             str(since)], stdout=subprocess.PIPE, text=True, env=clean_environment(),
            preexec_fn=die_with_parent)
        try:
            if not watch.stdout.readline():
                raise Void("a watch from the past ended without an event")
        finally:
            watch.kill()
            watch.wait()


class Proxy:
    def __init__(self, stack, watchproof, endpoint):
        child = Process(stack, [watchproof, "proxy", "--to", endpoint, "--follow", "--sharp",
                                "--control", "0"])
        said = child.await_line("listening on ")
        self.endpoint, self.control = (said.split(words)[1].split(",")[0]
                                       for words in ("listening on ", "control on "))

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            f"http://{self.control}{path}", method=method,
            data=None if body is None else json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read())

    def hold(self):
        """Holds back what the store sends on the stream of the watches."""
        name = next(iter(self.ask("GET", "/proxies")))
        return self.ask("POST", "/effects", {"kind": "hold-stream", "proxy": name,
                                             "direction": "to-client"})["id"]

    def heal(self, effect):
        return self.ask("DELETE", f"/effects/{effect}")


class Consumer:
    def __init__(self, stack, program, endpoint):
        self.process = Process(stack, [program, "--endpoint", endpoint, "--prefix", PREFIX])
        self.reports = []

    def ask(self, **request):
        self.process.child.stdin.write(json.dumps(request) + "\n")
        self.process.child.stdin.flush()
        self.await_report(lambda report: report["kind"] == "done")

    def await_report(self, wanted):
        while True:
            line = self.process.await_line("")
            try:
                self.reports.append(json.loads(line))
            except ValueError:
                continue  # a log line of a library
            if wanted(self.reports[-1]):
                return self.reports[-1]


def attempt(stack, options, target, program, watchproof):
    """The reports of the consumer, and the keys that there are."""
    store = Store(stack, target, watchproof)
    store.put("ghost")
    for key in ("a", "b", "hot"):
        store.put(key)
    proxy = Proxy(stack, watchproof, store.endpoint)
    consumer = Consumer(stack, program, proxy.endpoint)
    consumer.ask(do="open", layer="neighbour", count=NEIGHBOURS)
    await_fact("the neighbours", lambda: store.metric(WATCHERS) == NEIGHBOURS)

    held = proxy.hold()
    for _ in range(FAT_PUTS):
        store.put("hot", "v" * FAT_BYTES)
    await_fact("a full queue", lambda: store.metric(SLOW_WATCHERS) == NEIGHBOURS)
    consumer.ask(do="open", layer=OPENED[options.consumer], pause=True)
    consumer.await_report(
        lambda report: report["kind"] == "relist" and report["layer"] == "client")

    deleted = json.loads(store.ctl("del", PREFIX + "ghost"))["header"]["revision"]
    head = store.put("hot")
    store.ctl("compact", str(head))
    consumer.ask(do="go on")
    await_fact("the cache's watch", lambda: store.metric(WATCHERS) == NEIGHBOURS + 1)
    for _ in range(3):
        store.await_sync_pass(head)
    receipt = proxy.heal(held)["receipt"]
    if receipt["longest_hold_ms"] == 0:
        raise Void("nothing was held back")

    last = store.put("sentinel")
    consumer.ask(do="snapshot", revision=last, within_ms=PATIENCE * 1000)
    writes = {deleted: "the delete of ghost", head: "the put of hot", last: "the put of sentinel"}
    return consumer.reports, store.keys(), writes


def gaps(reports, writes):
    """The writes that the client of etcd passed by: neither an event nor an error."""
    position, missed = None, []
    for report in reports:
        if report["layer"] != "client" or report["kind"] not in ("relist", "event", "error"):
            continue
        if report["kind"] == "event" and position is not None:
            missed += [f"went from {position} to {report['revision']} without an error, past "
                       f"{what} at {revision}" for revision, what in writes.items()
                       if position < revision < report["revision"]]
        # After an error nothing is due until the next list.
        position = None if report["kind"] == "error" else report["revision"]
    return missed


def differences(keys, truth):
    return ([f"keeps {key}, which was deleted" for key in sorted(keys.keys() - truth.keys())]
            + [f"misses {key}" for key in sorted(truth.keys() - keys.keys())]
            + [f"has {key} at {keys[key]}, not {truth[key]}"
               for key in sorted(keys.keys() & truth.keys()) if keys[key] != truth[key]])


def judge(layers, reports, truth, writes):
    """One line on each layer, and the lowest that is wrong."""
    missed = gaps(reports, writes)
    lines = [f"passed on by the client of etcd: {'; '.join(missed) or 'no gap'}"]
    wrong = "the store, or the client of etcd" if missed else None
    last = max(writes)
    snapshots = {report["layer"]: report for report in reports if report["kind"] == "snapshot"}
    for layer in [*layers, "direct"]:
        snapshot = snapshots.get(layer, {})
        found = differences(snapshot.get("keys") or {}, truth)
        claimed = snapshot.get("revision", 0)
        if claimed < last:
            found.insert(0, f"is behind: at {claimed} of {last}")
        of_layer = [report["kind"] for report in reports if report["layer"] == layer]
        lines.append(f"{layer} at {claimed}: {'; '.join(found) or 'equal'} "
                     f"({of_layer.count('relist')} lists, {of_layer.count('error')} errors)")
        wrong = wrong or (layer if found else None)
    return lines, wrong


def parse():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--consumer", choices=LAYERS, default="kube-storage")
    options.add_argument("--target", action="append", metavar="embedded|etcd@VERSION|etcd:PATH")
    options.add_argument("--repeat", type=int, default=1)
    return options.parse_args()


def main():
    options = parse()
    for program, advice in NEEDED.items():
        if not shutil.which(program):
            print(f"consumers: unsupported without {program}: {advice}", file=sys.stderr)
            return 77
    watchproof = job.build("watchproof") / "watchproof"
    program = built(options.consumer)
    failed = 0
    for target in options.target or ["embedded"]:
        for number in range(1, options.repeat + 1):
            with contextlib.ExitStack() as stack:
                try:
                    reports, truth, writes = attempt(stack, options, target, program, watchproof)
                except Void as void:
                    print(f"{options.consumer} on {target}, run {number}: void: {void}")
                    failed += 1
                    continue
            lines, wrong = judge(LAYERS[options.consumer], reports, truth, writes)
            verdict = f"the lowest layer that is wrong: {wrong}" if wrong else "all layers equal"
            print(f"{options.consumer} on {target}, run {number}: {verdict}")
            for line in lines:
                print(f"  {line}")
            failed += wrong is not None
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
