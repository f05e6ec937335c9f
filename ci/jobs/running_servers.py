#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the whole suite against servers that are already running.

    ci/jobs/running_servers.py [--seeds 4] [--ways plain,compacted,tls,user,gateway]
                               [--filter CASES] [--runs FOLDER] ETCD...

ETCD are binaries. Each is started here and used as an endpoint: plainly, while it compacts itself
every two seconds, over TLS with client certificates, as a user, and through etcd's gateway.
Compaction is allowed; the order is random. A line for each run and a table at the end; exit code 0
when nothing failed that the manifest of releases does not expect, and nothing ended in a harness
error.
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import ExitStack

import job
from reader import Result, called, results_of
from server import READY_ETCD, Server, etcd_command

WAYS = ("plain", "compacted", "tls", "user", "gateway")
PASSWORD = "drawn for this run alone"


def serve(
    stack: ExitStack, etcd: str, way: str, number: int, options: argparse.Namespace
) -> tuple[str, list[str]]:
    """Starts an etcd, and what stands before it; ends with the stack. Its target and flags."""
    host = f"127.205.{number // 200}.{number % 200 + 1}"
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="wp-running-"))
    target, flags = f"{host}:2379", []
    command = etcd_command(etcd, host, folder, "https" if way == "tls" else "http")
    if way == "compacted":
        command += ["--auto-compaction-mode=periodic", "--auto-compaction-retention=2s"]
    if way == "tls":
        make = str(options.build / "fixtures/certs/make_certs")
        subprocess.run([make, folder, host, "client"], check=True)
        command += ["--cert-file", f"{folder}/server.crt", "--key-file", f"{folder}/server.key"]
        command += ["--trusted-ca-file", f"{folder}/ca.crt", "--client-cert-auth"]
        flags = ["--tls-ca", f"{folder}/ca.crt", "--tls-cert", f"{folder}/client.crt"]
        flags += ["--tls-key", f"{folder}/client.key"]
        target = f"https://{target}"
    stack.enter_context(Server(way, command, host, READY_ETCD))
    if way == "user":
        flags = ["--user", "root", "--password-file", ask_for_users(host, folder)]
    if way == "gateway":
        gate = f"{host}:23790"
        command = [etcd, "gateway", "start", "--endpoints", target, "--listen-addr", gate]
        stack.enter_context(Server(way, command, host, "ready to proxy client requests"))
        target = gate
    return target, [*flags, "--allow-disruptive", target]


def ask_for_users(host: str, folder: str) -> str:
    """Over its gateway for JSON, so that no other client is needed. The file of the password."""
    file = pathlib.Path(folder) / "password"
    file.write_text(PASSWORD + "\n")
    for call, body in (
        ("role/add", {"name": "root"}),
        ("user/add", {"name": "root", "password": PASSWORD}),
        ("user/grant", {"user": "root", "role": "root"}),
        ("enable", {}),
    ):
        request = urllib.request.Request(
            f"http://{host}:2379/v3/auth/{call}",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10):
            pass
    return str(file)


def run(
    options: argparse.Namespace, served: tuple[str, list[str]], seed: str, runs: pathlib.Path
) -> tuple[int, list[Result], float]:
    """The suite once; its results."""
    target, flags = served
    command = [str(options.build / "watchproof"), "run", "--target", f"endpoint:{target}"]
    command += ["--seed", seed, "--shuffle", "--run-dir", str(runs), "--progress", "off"]
    command += flags
    if options.filter:
        command += ["--filter", options.filter]
    began = time.monotonic()
    with open(runs.parent / f"{runs.name}-{seed}.txt", "w", encoding="utf-8") as out:
        done = subprocess.run(
            command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, check=False
        )
    return done.returncode, results_of(runs / "latest"), time.monotonic() - began


def kind_of(result: Result) -> str:
    if result.declared:
        return "declared"
    return "known" if result.verdict == "fail" and result.known else result.verdict


def main() -> int:
    parser = job.parser(__doc__)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--filter")
    parser.add_argument("--runs", type=pathlib.Path)
    parser.add_argument("etcd", nargs="+")
    options = parser.parse_args()
    options.build = job.build("watchproof", "make_certs")
    runs = options.runs or pathlib.Path(tempfile.mkdtemp(prefix="wp-running-"))
    runs.mkdir(parents=True, exist_ok=True)
    bad, rows, number = 0, [], os.getpid() % 7000
    for etcd in options.etcd:
        said = called([etcd, "--version"], check=True)
        version = said.stdout.split("etcd Version: ")[1].split()[0]
        for way in options.ways.split(","):
            number += 1
            folder = runs / f"{version}-{way}"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            tally: collections.Counter[str] = collections.Counter()
            with ExitStack() as stack:
                served = serve(stack, etcd, way, number, options)
                for seed in range(1, options.seeds + 1):
                    code, results, took = run(options, served, hex(seed * 7919), folder / "runs")
                    counts = collections.Counter(kind_of(result) for result in results)
                    tally.update(counts)
                    bad += counts["fail"] + counts["harness_error"] + (code not in (0, 2))
                    print(
                        f"{version} {way} seed {seed}: exit {code}, {dict(counts)}, {took:.0f} s",
                        flush=True,
                    )
                    for result in results:
                        if kind_of(result) in ("fail", "harness_error", "known", "inconclusive"):
                            why = result.reason or "; ".join(
                                f"{f.guarantee}: {f.observed}" for f in result.findings[:2]
                            )
                            what = f"{kind_of(result)} {result.case}"
                            print(f"    {what}: {why[:300]}", flush=True)
            rows.append((version, way, tally))
    kinds = ("pass", "known", "fail", "inconclusive", "unsupported", "declared", "harness_error")
    print(f"\n{'':10}{'':11}" + "".join(f"{kind:>14}" for kind in kinds))
    for version, way, tally in rows:
        print(f"{version:10}{way:11}" + "".join(f"{tally[kind]:>14}" for kind in kinds))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
