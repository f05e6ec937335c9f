# SPDX-License-Identifier: Apache-2.0
"""The suite on servers that are already running; see running_servers.sh."""

import argparse
import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

WAYS = ("plain", "compacted", "tls", "user", "gateway")
PASSWORD = "drawn for this run alone"


class Server:
    """An etcd, and what stands before it; gone with the block."""

    def __init__(self, etcd, way, number, build, folder):
        self.etcd, self.way, self.build, self.folder = etcd, way, build, folder
        self.host = f"127.205.{number // 200}.{number % 200 + 1}"
        self.processes = []
        self.flags = []

    def spawn(self, *command):
        log = open(self.folder / f"{len(self.processes)}.log", "w", encoding="utf-8")
        self.processes.append(
            subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        )

    def __enter__(self):
        scheme = "https" if self.way == "tls" else "http"
        url, peers = f"{scheme}://{self.host}:2379", f"http://{self.host}:2380"
        command = [self.etcd, "--name", self.way, "--data-dir", str(self.folder / "data")]
        command += ["--listen-client-urls", url, "--advertise-client-urls", url]
        command += ["--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers]
        command += ["--initial-cluster", f"{self.way}={peers}"]
        command += ["--listen-metrics-urls", f"http://{self.host}:2382"]
        self.target = f"{self.host}:2379"
        if self.way == "compacted":
            command += ["--auto-compaction-mode=periodic", "--auto-compaction-retention=2s"]
        if self.way == "tls":
            certs = str(self.folder / "certs")
            make = str(self.build / "fixtures/certs/make_certs")
            subprocess.run([make, certs, self.host, "client"], check=True)
            command += ["--cert-file", f"{certs}/server.crt", "--key-file", f"{certs}/server.key"]
            command += ["--trusted-ca-file", f"{certs}/ca.crt", "--client-cert-auth"]
            self.flags = ["--tls-ca", f"{certs}/ca.crt", "--tls-cert", f"{certs}/client.crt"]
            self.flags += ["--tls-key", f"{certs}/client.key"]
            self.target = f"https://{self.target}"
        self.spawn(*command)
        self.await_answer(f"http://{self.host}:2382/health")
        if self.way == "user":
            self.ask_for_users()
        if self.way == "gateway":
            gate = f"{self.host}:23790"
            self.spawn(self.etcd, "gateway", "start", "--endpoints", self.target,
                       "--listen-addr", gate)
            self.target = gate
            self.await_answer(f"http://{gate}/health")
        self.flags += ["--allow-disruptive", self.target]
        return self

    def await_answer(self, url):
        for _ in range(300):
            try:
                with urllib.request.urlopen(url, timeout=1):
                    return
            except OSError:
                time.sleep(0.1)
        raise SystemExit(f"{self.etcd}: no answer from {url}; see {self.folder}")

    def ask_for_users(self):
        """Over its gateway for JSON, so that no other client is needed."""
        file = self.folder / "password"
        file.write_text(PASSWORD + "\n")
        for call, body in (
            ("role/add", {"name": "root"}),
            ("user/add", {"name": "root", "password": PASSWORD}),
            ("user/grant", {"user": "root", "role": "root"}),
            ("enable", {}),
        ):
            request = urllib.request.Request(
                f"http://{self.host}:2379/v3/auth/{call}", json.dumps(body).encode(),
                {"Content-Type": "application/json"},
            )
            with urllib.request.urlopen(request, timeout=10):
                pass
        self.flags = ["--user", "root", "--password-file", str(file)]

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def run(options, server, seed, runs):
    """The suite once; its results."""
    command = [str(options.build / "watchproof"), "run", "--target", f"endpoint:{server.target}"]
    command += ["--seed", seed, "--shuffle", "--run-dir", str(runs), "--progress", "off"]
    command += server.flags
    if options.filter:
        command += ["--filter", options.filter]
    began = time.monotonic()
    with open(runs.parent / f"{runs.name}-{seed}.txt", "w", encoding="utf-8") as out:
        done = subprocess.run(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL,
                              check=False)
    results = runs / "latest" / "results.jsonl"
    lines = results.read_text().splitlines() if results.exists() else []
    return done.returncode, [json.loads(line) for line in lines], time.monotonic() - began


def kind_of(result):
    if result["declared"]:
        return "declared"
    return "known" if result["verdict"] == "fail" and result["known"] else result["verdict"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--filter")
    parser.add_argument("--runs", type=pathlib.Path)
    parser.add_argument("etcd", nargs="+")
    options = parser.parse_args()
    runs = options.runs or pathlib.Path(tempfile.mkdtemp(prefix="wp-running-"))
    runs.mkdir(parents=True, exist_ok=True)
    bad, rows, number = 0, [], os.getpid() % 7000
    for etcd in options.etcd:
        said = subprocess.run([etcd, "--version"], capture_output=True, text=True, check=True)
        version = said.stdout.split("etcd Version: ")[1].split()[0]
        for way in options.ways.split(","):
            number += 1
            folder = runs / f"{version}-{way}"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            tally = collections.Counter()
            with Server(etcd, way, number, options.build, folder) as server:
                for seed in range(1, options.seeds + 1):
                    code, results, took = run(options, server, hex(seed * 7919), folder / "runs")
                    counts = collections.Counter(kind_of(result) for result in results)
                    tally.update(counts)
                    bad += counts["fail"] + counts["harness_error"] + (code not in (0, 2))
                    print(f"{version} {way} seed {seed}: exit {code}, {dict(counts)}, {took:.0f} s",
                          flush=True)
                    for result in results:
                        if kind_of(result) in ("fail", "harness_error", "known", "inconclusive"):
                            why = result["reason"] or "; ".join(
                                f"{f['guarantee']}: {f['observed']}" for f in result["findings"][:2]
                            )
                            what = f"{kind_of(result)} {result['case']}"
                            print(f"    {what}: {why[:300]}", flush=True)
            rows.append((version, way, tally))
    kinds = ("pass", "known", "fail", "inconclusive", "unsupported", "declared", "harness_error")
    print(f"\n{'':10}{'':11}" + "".join(f"{kind:>14}" for kind in kinds))
    for version, way, tally in rows:
        print(f"{version:10}{way:11}" + "".join(f"{tally[kind]:>14}" for kind in kinds))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
