#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Users, rights, TLS and client certificates: the embedded store and etcd under the same etcdctl.

    secure_test.py build/release/watchproof build/release/fixtures/certs/make_certs
    secure_test.py --etcd-twice ... make_certs     # etcd against itself: tests the comparison

etcd is $WATCHPROOF_TEST_ETCD or the one on PATH. Exit code: 0 alike, 1 different, 77 no etcd here.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

from auth_steps import ADMIN, BY_NAME, NAMED, RIGHTS, SETUP
from client import Etcdctl
from etcdctl_test import compare
from server import STORE, Skip, free_address, run, start


@dataclass
class Refused:
    """A command that must fail, with any message."""

    arguments: list[str]

    def on(self, etcdctl: Etcdctl) -> list[str]:
        return ["refused" if etcdctl.run(self.arguments).exit_code != 0 else "served"]


@dataclass
class Secure:
    """Where clients of a server with TLS connect."""

    name: str
    endpoint: str


def tls_flags(folder: str, client_certs: bool) -> list[str]:
    flags = ["--cert-file", f"{folder}/server.crt", "--key-file", f"{folder}/server.key"]
    if client_certs:
        flags += ["--trusted-ca-file", f"{folder}/ca.crt", "--client-cert-auth"]
    return flags


def wearing(folder: str, name: str | None) -> list[str]:
    """The flags of a client that trusts the authority and shows a certificate of its own."""
    own = ["--cert", f"{folder}/{name}.crt", "--key", f"{folder}/{name}.key"] if name else []
    return ["--cacert", f"{folder}/ca.crt", *own]


def secure_steps(folder: str, client_certs: bool) -> list[Any]:
    hasty = ["--dial-timeout", "2s", "--command-timeout", "2s"]
    plain = [
        Refused([*hasty, "get", "a"]),
        Refused([*hasty, "--insecure-skip-tls-verify=false", "get", "a"]),
    ]
    if not client_certs:
        return [*plain, *(dressed(folder, None, step) for step in SETUP + RIGHTS[:20])]
    untrusted = [
        Refused([*hasty, *wearing(folder, name), "get", "a"]) for name in (None, "foreign")
    ]
    own = [("root", step) for step in BY_NAME] + NAMED
    return [*plain, *(dressed(folder, name, step) for name, step in own), *untrusted]


def dressed(folder: str, name: str | None, step: Any) -> Any:
    return replace(step, arguments=[*wearing(folder, name), *step.arguments])


class Comparison:
    def __init__(self, binaries: list[tuple[str, str]], make_certs: str, etcdctl: str) -> None:
        self._binaries = binaries  # (name, path), the reference first
        self._make_certs = make_certs
        self._etcdctl = etcdctl

    def run(self, title: str, tls: bool, client_certs: bool) -> int:
        """Returns the number of differences."""
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="watchproof-secure-"))
            flags = []
            if tls:
                hosts = ",".join(map(free_address, range(2)))
                subprocess.run(
                    [self._make_certs, folder, hosts, "root", "gadget", "guest"], check=True
                )
                flags = tls_flags(folder, client_certs)
            servers: list[Any] = [
                start(stack, name, binary, number, "https" if tls else "http", flags)
                for number, (name, binary) in enumerate(self._binaries)
            ]
            steps: list[Any] = SETUP + RIGHTS + ADMIN
            if tls:
                servers = [Secure(one.name, "https://" + one.endpoint) for one in servers]
                steps = secure_steps(folder, client_certs)
            different = compare(steps, servers, self._etcdctl)
        print(
            f"interop, {title}: {len(steps)} steps against {self._binaries[0][1]}, "
            f"{different} different",
            flush=True,
        )
        return different


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("store", help="the watchproof executable")
    parser.add_argument("make_certs", help="the maker of throwaway certificates")
    parser.add_argument("--etcd-twice", action="store_true")
    options = parser.parse_args()
    return run(side_by_side, options)


def side_by_side(_: object, options: argparse.Namespace) -> int:
    etcd = shutil.which(os.environ.get("WATCHPROOF_TEST_ETCD") or "etcd")
    etcdctl = shutil.which("etcdctl")
    if not etcd or not etcdctl:
        raise Skip("no etcd or no etcdctl here; install etcd-server and etcd-client")
    other = ("etcd again", etcd) if options.etcd_twice else (STORE, options.store)
    comparison = Comparison([("etcd", etcd), other], options.make_certs, etcdctl)
    different = comparison.run("users and rights", tls=False, client_certs=False)
    different += comparison.run("TLS", tls=True, client_certs=False)
    different += comparison.run("client certificates", tls=True, client_certs=True)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
