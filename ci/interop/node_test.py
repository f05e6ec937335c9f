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

from npm import install, main, run_script
from server import (READY_ETCD, READY_STORE, Server, etcd_command, free_address,
                    store_command)
from tools import SKIPPED, find_etcd


def certificates(make_certs, folder, addresses):
    """Flags for the servers, files for the client."""
    subprocess.run([make_certs, folder, ",".join(addresses), "client"], check=True)
    at = lambda name: str(pathlib.Path(folder) / name)
    flags = ["--cert-file", at("server.crt"), "--key-file", at("server.key"),
             "--trusted-ca-file", at("ca.crt"), "--client-cert-auth"]
    return flags, [at("ca.crt"), at("client.crt"), at("client.key")]


def compare(folder, store, make_certs):
    etcd = find_etcd((3, 5))
    if not etcd:
        return SKIPPED
    install(folder)
    fine = True
    for script in ("etcd3_test.js", "auth_test.js", "tls_test.js"):
        with tempfile.TemporaryDirectory(prefix="watchproof-interop-") as data:
            first, second = free_address(0), free_address(1)
            flags, files, scheme = [], [], "http"
            if script == "tls_test.js":
                flags, files = certificates(make_certs, data, (first, second))
                scheme = "https"
            for server in (
                    Server("etcd", etcd_command(etcd, first, data, scheme) + flags, first,
                           READY_ETCD),
                    Server("watchproof store", store_command(store, second) + flags, second,
                           READY_STORE)):
                with server:
                    fine &= run_script(folder, script, server, *files)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main(__doc__, 3, compare))
