#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The npm package etcd3 against a real etcd and against the embedded store: what its tests expect
must hold for both.

    node_test.py FOLDER WATCHPROOF MAKE_CERTS     # FOLDER keeps the package between runs

Exit code: 0 both fine, 1 not, 77 no node or npm, no registry in reach, or no etcd 3.5 here.
"""

import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

from server import (READY_ETCD, READY_STORE, Server, StartError, clean_environment,
                    die_with_parent, etcd_command, free_address, store_command)
from tools import SKIPPED, find_etcd

SOURCES = pathlib.Path(__file__).resolve().parent / "node"
INSTALL_SECONDS = 240
TEST_SECONDS = 120
# npm's and libuv's names for a registry that cannot be reached.
UNREACHABLE = ("ENOTFOUND", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EAI_AGAIN",
               "ERR_SOCKET_TIMEOUT", "ENETUNREACH", "EHOSTUNREACH", "ENOTCACHED")


class Skip(Exception):
    pass


def install(folder):
    """Puts the locked packages into `folder`, unless they are there."""
    lock = (SOURCES / "package-lock.json").read_bytes()
    stamp = folder / "installed.json"
    if stamp.exists() and stamp.read_bytes() == lock:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(SOURCES / name, folder)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False,
                              timeout=INSTALL_SECONDS, preexec_fn=die_with_parent)
    except subprocess.TimeoutExpired as error:
        raise Skip(f"npm was not done within {INSTALL_SECONDS} s") from error
    if done.returncode != 0:
        told = " / ".join(done.stderr.splitlines()[-5:])
        if any(code in done.stderr for code in UNREACHABLE):
            raise Skip(f"npm cannot reach its registry: {told}")
        raise StartError(f"npm could not install the locked packages: {told}")
    stamp.write_bytes(lock)


def run_tests(folder, script, server, *files):
    """True when every test of the script holds for this server; shows them if not."""
    environment = clean_environment() | {"NODE_PATH": str(folder / "node_modules")}
    command = ["node", str(SOURCES / script), server.endpoint, *files]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True,
                              check=False, timeout=TEST_SECONDS, preexec_fn=die_with_parent)
    except subprocess.TimeoutExpired as error:
        print(f"{script}, {server.name}: not done within {TEST_SECONDS} s\n{error.stdout or ''}")
        return False
    print(f"{script}, {server.name}: {'holds' if done.returncode == 0 else 'FAILS'}")
    if done.returncode != 0:
        print(done.stdout + done.stderr)
    return done.returncode == 0


def certificates(make_certs, folder, addresses):
    """Flags for the servers, files for the client."""
    subprocess.run([make_certs, folder, ",".join(addresses), "client"], check=True)
    at = lambda name: str(pathlib.Path(folder) / name)
    flags = ["--cert-file", at("server.crt"), "--key-file", at("server.key"),
             "--trusted-ca-file", at("ca.crt"), "--client-cert-auth"]
    return flags, [at("ca.crt"), at("client.crt"), at("client.key")]


def compare(folder, store, make_certs):
    for tool in ("node", "npm"):
        if not shutil.which(tool):
            raise Skip(f"no {tool} here; install nodejs and npm")
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
                    fine &= run_tests(folder, script, server, *files)
    return 0 if fine else 1


def main():
    if len(sys.argv) != 4:
        print(__doc__)
        return 2
    # A polite end runs the clean-up; after a rude one the kernel ends the children.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return compare(pathlib.Path(sys.argv[1]).resolve(), *sys.argv[2:])
    except Skip as skip:
        print(f"SKIP: {skip}")
        return SKIPPED
    except StartError as error:
        print(f"cannot compare: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
