#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests straight over the wire, to a real etcd and to the embedded store.

    wire_test.py errors ERROR_TABLE_TEST            # is that table of errors etcd's?
    wire_test.py alike ALIKE_TEST WATCHPROOF [REQUESTS [SEED]]

Exit code: that of the test, 77 where no etcd of a release that the store imitates can be found.
"""

import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack

from server import STORE, Skip, clean_environment, die_with_parent, run, start
from tools import find_etcd

RELEASES = ((3, 7), (3, 5))  # their API is served; those that are here are asked


def found() -> list[str]:
    etcds = []
    for release in RELEASES:
        try:
            etcds.append(find_etcd(release))
        except Skip as skip:
            print(skip)
    if not etcds:
        raise Skip("no etcd to compare with")
    return etcds


def end_of(command: list[str], **variables: str) -> int:
    environment = clean_environment() | variables
    return subprocess.run(
        command, env=environment, check=False, preexec_fn=die_with_parent
    ).returncode


def errors(stack: ExitStack, test: str) -> int:
    servers = [start(stack, "etcd", etcd, number) for number, etcd in enumerate(found())]
    return max(end_of([test], WATCHPROOF_TEST_ENDPOINT=server.endpoint) for server in servers)


def alike(stack: ExitStack, test: str, store: str, requests: str = "4000", seed: str = "1") -> int:
    ends = []
    for number, binary in enumerate(found()):
        etcd = start(stack, "etcd", binary, 2 * number)
        ours = start(stack, STORE, store, 2 * number + 1)
        ends.append(
            end_of(
                [test],
                WATCHPROOF_TEST_ENDPOINTS=f"{etcd.endpoint},{ours.endpoint}",
                WATCHPROOF_TEST_REQUESTS=requests,
                WATCHPROOF_TEST_SEED=seed,
            )
        )
    return max(ends)


def main() -> int:
    commands: dict[str, Callable[..., int]] = {"errors": errors, "alike": alike}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        print(__doc__)
        return 2
    return run(commands[sys.argv[1]], *sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
