#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The npm package toxiproxy-node-client drives the control port of `watchproof proxy`.

    toxiproxy_test.py FOLDER WATCHPROOF     # FOLDER keeps the package between runs

Exit code: 0 fine, 1 not, 77 no node or npm, or no registry in reach.
"""

import sys
from contextlib import ExitStack

from npm import install, run_script
from server import CLIENT_PORT, READY_CONTROL, Server, free_address, run


def drive(stack: ExitStack, folder: str, binary: str) -> int:
    packages = install(folder)
    address = free_address(0)
    command = [binary, "proxy", "--control", f"{address}:{CLIENT_PORT}"]
    server = stack.enter_context(Server("watchproof proxy", command, address, READY_CONTROL))
    return 0 if run_script(packages, "toxiproxy_test.js", server) else 1


if __name__ == "__main__":
    sys.exit(run(drive, *sys.argv[1:]))
