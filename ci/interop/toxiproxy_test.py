#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The npm package toxiproxy-node-client drives the control port of `watchproof proxy`.

    toxiproxy_test.py FOLDER WATCHPROOF     # FOLDER keeps the package between runs

Exit code: 0 fine, 1 not, 77 no node or npm, or no registry in reach.
"""

import pathlib
import signal
import sys

from npm import Skip, install, run_script
from server import CLIENT_PORT, READY_CONTROL, Server, StartError, free_address
from tools import SKIPPED


def drive(folder, binary):
    install(folder)
    address = free_address(0)
    command = [binary, "proxy", "--control", f"{address}:{CLIENT_PORT}"]
    with Server("watchproof proxy", command, address, READY_CONTROL) as server:
        return 0 if run_script(folder, "toxiproxy_test.js", server) else 1


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    # A polite end runs the clean-up; after a rude one the kernel ends the children.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return drive(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2])
    except Skip as skip:
        print(f"SKIP: {skip}")
        return SKIPPED
    except StartError as error:
        print(f"cannot drive: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
