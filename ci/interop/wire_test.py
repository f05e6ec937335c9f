#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Requests straight over the wire, to a real etcd and to the embedded store.

    wire_test.py errors ERROR_TABLE_TEST            # is that table of errors etcd's?
    wire_test.py alike ALIKE_TEST WATCHPROOF [REQUESTS [SEED]]

Exit code: that of the test, 77 where no etcd of the release that the store imitates can be found.
"""

import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack

from server import (READY_ETCD, READY_STORE, Server, StartError, clean_environment,
                    die_with_parent, etcd_command, free_address, store_command)
from tools import SKIPPED, find_etcd

RELEASE = (3, 5)  # which the store imitates


def start_etcd(stack, etcd):
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="watchproof-interop-"))
    address = free_address(0)
    return stack.enter_context(
        Server("etcd", etcd_command(etcd, address, folder), address, READY_ETCD))


def run(command, **variables):
    environment = clean_environment() | variables
    return subprocess.run(
        command, env=environment, check=False, preexec_fn=die_with_parent).returncode


def errors(stack, etcd, test):
    return run([test], WATCHPROOF_TEST_ENDPOINT=start_etcd(stack, etcd).endpoint)


def alike(stack, etcd, test, store, requests="4000", seed="1"):
    address = free_address(1)
    ours = stack.enter_context(
        Server("watchproof store", store_command(store, address), address, READY_STORE))
    both = f"{start_etcd(stack, etcd).endpoint},{ours.endpoint}"
    return run([test], WATCHPROOF_TEST_ENDPOINTS=both, WATCHPROOF_TEST_REQUESTS=requests,
               WATCHPROOF_TEST_SEED=seed)


def main():
    commands = {"errors": errors, "alike": alike}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        print(__doc__)
        return 2
    etcd = find_etcd(RELEASE)
    if etcd is None:
        return SKIPPED
    # SIGTERM runs the clean-up below; after SIGKILL the kernel ends the children.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with ExitStack() as stack:
        try:
            return commands[sys.argv[1]](stack, etcd, *sys.argv[2:])
        except StartError as error:
            print(f"cannot compare: {error}")
            return 1


if __name__ == "__main__":
    sys.exit(main())
