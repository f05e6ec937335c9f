#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The npm package etcd3 against a real etcd and against the embedded store: what its tests expect
must hold for both.

    node_test.py FOLDER WATCHPROOF MAKE_CERTS     # FOLDER keeps the package between runs

Exit code: 0 both fine, 1 not, 77 no node or npm, no registry in reach, or no etcd 3.5 here.
"""

import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from contextlib import ExitStack

from npm import install, run_script
from server import STORE, free_address, run, start
from tools import find_etcd


def certificates(
    make_certs: str, folder: str, addresses: Iterable[str]
) -> tuple[list[str], list[str]]:
    """Flags for the servers, files for the client."""
    subprocess.run([make_certs, folder, ",".join(addresses), "client"], check=True)

    def at(name: str) -> str:
        return str(pathlib.Path(folder) / name)

    flags = [
        "--cert-file",
        at("server.crt"),
        "--key-file",
        at("server.key"),
        "--trusted-ca-file",
        at("ca.crt"),
        "--client-cert-auth",
    ]
    return flags, [at("ca.crt"), at("client.crt"), at("client.key")]


def compare(_: object, folder: str, store: str, make_certs: str) -> int:
    etcd = find_etcd((3, 5))
    packages = install(folder)
    fine = True
    for script in ("etcd3_test.js", "auth_test.js", "tls_test.js"):
        with ExitStack() as stack:
            flags: list[str] = []
            files: list[str] = []
            scheme = "http"
            if script == "tls_test.js":
                data = stack.enter_context(
                    tempfile.TemporaryDirectory(prefix="watchproof-interop-")
                )
                flags, files = certificates(make_certs, data, map(free_address, range(2)))
                scheme = "https"
            for number, (name, binary) in enumerate((("etcd", etcd), (STORE, store))):
                server = start(stack, name, binary, number, scheme, flags)
                fine &= run_script(packages, script, server, *files)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(run(compare, *sys.argv[1:]))
