#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The embedded store and etcd side by side under the same etcdctl commands; they must answer alike.

    etcdctl_test.py build/release/watchproof                  # etcd and etcdctl 3.4
    etcdctl_test.py build/release/watchproof --release 3.5
    etcdctl_test.py --etcd-twice    # etcd against itself: tests the comparison

Exit code: 0 alike, 1 different, 77 no etcd or etcdctl of that release here.
"""

import argparse
import difflib
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

from client import Etcdctl
from server import STORE, run, start
from steps import STEPS
from tools import find_etcd, find_etcdctl


def compare(steps: Sequence[Any], servers: Sequence[Any], etcdctl: str) -> int:
    """Prints every difference; returns how many steps differ."""
    clients = [Etcdctl(etcdctl, server.endpoint) for server in servers]
    different = 0
    with ThreadPoolExecutor(max_workers=len(clients)) as pool:
        for number, step in enumerate(steps, start=1):
            expected, observed = pool.map(step.on, clients)
            if expected == observed:
                continue
            different += 1
            print(f"\nDIFFERENT in step {number}: etcdctl {' '.join(map(repr, step.arguments))}")
            if getattr(step, "text", ""):
                print("  with the input " + repr(step.text))
            lines = difflib.unified_diff(
                expected, observed, servers[0].name, servers[1].name, lineterm="", n=2
            )
            print("\n".join("  " + line for line in lines))
    return different


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("store", nargs="?", help="the watchproof executable")
    parser.add_argument("--etcd-twice", action="store_true")
    parser.add_argument("--release", default="3.4")
    options = parser.parse_args()
    if bool(options.store) == options.etcd_twice:
        parser.error("give the watchproof executable, or --etcd-twice")
    return run(side_by_side, options)


def side_by_side(stack: ExitStack, options: argparse.Namespace) -> int:
    release = tuple(map(int, options.release.split(".")))
    etcd, etcdctl = find_etcd(release), find_etcdctl(release)
    name, binary = (STORE, options.store) if options.store else ("etcd again", etcd)
    # The reference first.
    servers = start(stack, "etcd", etcd, 0), start(stack, name, binary, 1)
    different = compare(STEPS, servers, etcdctl)
    print(f"interop: {len(STEPS)} steps against {etcd}, {different} different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
