# SPDX-License-Identifier: Apache-2.0
"""Puts locked npm packages, by default those of ci/interop/node, where tests find them.

folder = install(folder)                      # Skip says why that is not possible here
run_script(folder, "etcd3_test.js", endpoint)  # true when it ends well; shows it if not
"""

import fcntl
import pathlib
import shutil
import subprocess

from server import Server, Skip, StartError, clean_environment, die_with_parent

SOURCES = pathlib.Path(__file__).resolve().parent / "node"
INSTALL_SECONDS = 240
TEST_SECONDS = 120
# npm's and libuv's names for a registry that cannot be reached.
UNREACHABLE = (
    "ENOTFOUND",
    "ECONNREFUSED",
    "ECONNRESET",
    "ETIMEDOUT",
    "EAI_AGAIN",
    "ERR_SOCKET_TIMEOUT",
    "ENETUNREACH",
    "EHOSTUNREACH",
    "ENOTCACHED",
)


def install(folder: str | pathlib.Path, sources: pathlib.Path = SOURCES) -> pathlib.Path:
    """Puts the locked packages into `folder`, unless they are there. One test at a time."""
    folder = pathlib.Path(folder).resolve()
    for tool in ("node", "npm"):
        if not shutil.which(tool):
            raise Skip(f"no {tool} here; install nodejs and npm")
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.with_suffix(".lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _install(folder, sources)
    return folder


def _install(folder: pathlib.Path, sources: pathlib.Path) -> None:
    lock = (sources / "package-lock.json").read_bytes()
    stamp = folder / "installed.json"
    if stamp.exists() and stamp.read_bytes() == lock:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(sources / name, folder)
    command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=INSTALL_SECONDS,
            preexec_fn=die_with_parent,
        )
    except subprocess.TimeoutExpired as error:
        raise Skip(f"npm was not done within {INSTALL_SECONDS} s") from error
    if done.returncode != 0:
        errors = " / ".join(done.stderr.splitlines()[-5:])
        if any(code in done.stderr for code in UNREACHABLE):
            raise Skip(f"npm cannot reach its registry: {errors}")
        raise StartError(f"npm could not install the locked packages: {errors}")
    stamp.write_bytes(lock)


def run_script(folder: pathlib.Path, script: str, server: Server, *files: str) -> bool:
    """True when every test of the script holds for this server; shows them if not."""
    environment = clean_environment() | {"NODE_PATH": str(folder / "node_modules")}
    command = ["node", str(SOURCES / script), server.endpoint, *files]
    try:
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=TEST_SECONDS,
            preexec_fn=die_with_parent,
        )
    except subprocess.TimeoutExpired as error:
        print(f"{script}, {server.name}: not done within {TEST_SECONDS} s\n{error.stdout!r}")
        return False
    print(f"{script}, {server.name}: {'holds' if done.returncode == 0 else 'FAILS'}")
    if done.returncode != 0:
        print(done.stdout + done.stderr)
    return done.returncode == 0
