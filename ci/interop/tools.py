# SPDX-License-Identifier: Apache-2.0
"""Finds the servers and clients that tests compare against, by release.

    etcd = find_etcd((3, 5))        # a path; raises Skip, which says what is missing
    etcdctl = find_etcdctl((3, 5))

Asked in turn: $WATCHPROOF_TEST_ETCD or $WATCHPROOF_TEST_ETCDCTL, PATH, and what `watchproof fetch`
has placed in its cache.
"""

import os
import pathlib
import shutil
import subprocess

from server import Skip, clean_environment


def find_etcd(release: tuple[int, ...]) -> str:
    return _find("etcd", ["--version"], release, "watchproof fetch etcd 3.5.30")


def find_etcdctl(release: tuple[int, ...]) -> str:
    return _find(
        "etcdctl", ["version"], release, "watchproof fetch --all --manifest ci/interop/tools.toml"
    )


def cache() -> pathlib.Path:
    """Where the command keeps what it fetches and builds."""
    own = os.environ.get("WATCHPROOF_CACHE")
    shared = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(own or os.path.join(shared, "watchproof"))


def releases() -> pathlib.Path:
    return cache() / "releases"


def _release_of(binary: str, arguments: list[str]) -> tuple[int, ...] | None:
    """(3, 5) of "etcd Version: 3.5.30"; None when it does not say."""
    try:
        said = subprocess.run(
            [binary, *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=20,
            env=clean_environment(),
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = said.splitlines()[0].rpartition(" ")[2] if said else ""
    parts = version.split(".")[:2]
    return tuple(map(int, parts)) if len(parts) == 2 and all(map(str.isdigit, parts)) else None


def _find(name: str, arguments: list[str], release: tuple[int, ...], remedy: str) -> str:
    given = os.environ.get("WATCHPROOF_TEST_" + name.upper())
    cached = (releases() / name).glob(f"*/{name}")
    # The newest of a release first: 3.5.30 before 3.5.16.
    newest = sorted(
        cached,
        key=lambda path: [int(n) for n in path.parent.name.split(".") if n.isdigit()],
        reverse=True,
    )
    for candidate in [given, shutil.which(name)] + [str(path) for path in newest]:
        if candidate and _release_of(candidate, arguments) == release:
            return candidate
    wanted = ".".join(map(str, release))
    raise Skip(f"no {name} {wanted} here; {remedy}")
