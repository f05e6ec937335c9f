# SPDX-License-Identifier: Apache-2.0
"""A server started for one test, on a loopback address of its own, and stopped with the test.

    def work(stack, binary):
        etcd = start(stack, "etcd", find_etcd((3, 5)), 0)  # tools.py; raises Skip without one
        store = start(stack, STORE, binary, 1)
        ... etcd.endpoint ...
    sys.exit(run(work, *sys.argv[1:]))

Threads: one reads the server's output all the time, so that it never blocks on a full pipe.
"""

import collections
import ctypes
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from typing import Any, Self

CLIENT_PORT, PEER_PORT = 2379, 2380
START_SECONDS = 30
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)

READY_ETCD = "ready to serve client requests"
READY_STORE = "serving on "
READY_CONTROL = "control on "


SKIPPED = 77  # the exit code of a test that cannot run here


class StartError(Exception):
    pass


class Skip(Exception):
    pass


def run(work: Callable[..., int], *arguments: Any) -> int:
    """The exit code: what work(stack, *arguments) returns, 77 for Skip, 1 for StartError."""
    # SIGTERM runs the clean-up; after SIGKILL the kernel ends the children.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with ExitStack() as stack:
        try:
            return work(stack, *arguments)
        except Skip as skip:
            print(f"SKIP: {skip}")
            return SKIPPED
        except StartError as error:
            print(f"nothing to test: {error}")
            return 1


def die_with_parent() -> None:
    """Runs in the child: it ends with the test, even if the test is killed."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def free_address(number: int) -> str:
    """A free loopback address; the first candidate comes from the process id."""
    for attempt in range(100):
        mixed = os.getpid() * 2 + number + attempt * 7919
        address = f"127.{96 + mixed // 62500 % 32}.{mixed // 250 % 250}.{mixed % 250 + 1}"
        with socket.socket() as probe:
            try:
                probe.bind((address, CLIENT_PORT))
                return address
            except OSError:
                continue
    raise StartError("no free loopback address in 100 attempts")


def clean_environment() -> dict[str, str]:
    """Without the flags of etcd and etcdctl and the proxy of gRPC in the caller's environment."""
    dropped = ("ETCD", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "GRPC_")
    kept = {k: v for k, v in os.environ.items() if not k.upper().startswith(dropped)}
    return kept | {"ETCDCTL_API": "3"}


def etcd_command(
    binary: str | pathlib.Path, address: str, folder: str | pathlib.Path, scheme: str = "http"
) -> list[str]:
    client, peer = f"{scheme}://{address}:{CLIENT_PORT}", f"http://{address}:{PEER_PORT}"
    return [
        str(binary),
        "--name",
        "interop",
        "--data-dir",
        os.path.join(folder, address),
        "--listen-client-urls",
        client,
        "--advertise-client-urls",
        client,
        "--listen-peer-urls",
        peer,
        "--initial-advertise-peer-urls",
        peer,
        "--initial-cluster",
        f"interop={peer}",
    ]


def store_command(binary: str | pathlib.Path, address: str) -> list[str]:
    return [str(binary), "store", "--listen", f"{address}:{CLIENT_PORT}"]


STORE = "watchproof store"


def start(
    stack: ExitStack,
    name: str,
    binary: str | pathlib.Path,
    number: int,
    scheme: str = "http",
    flags: Iterable[str] = (),
) -> "Server":
    """The store where it is named so, or an etcd, at free_address(number); ends with the stack."""
    address = free_address(number)
    if name == STORE:
        command, ready = store_command(binary, address), READY_STORE
    else:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="watchproof-interop-"))
        command, ready = etcd_command(binary, address, folder, scheme), READY_ETCD
    return stack.enter_context(Server(name, [*command, *flags], address, ready))


class Server:
    def __init__(
        self,
        name: str,
        command: Sequence[str | pathlib.Path],
        address: str,
        ready: str,
        seconds: float = START_SECONDS,
    ) -> None:
        self.name = name
        self.endpoint = f"{address}:{CLIENT_PORT}"
        self._command = command
        self._ready = ready
        self._seconds = seconds
        self._settled = threading.Event()  # it serves, or its output has ended
        self._serves = False
        self._last_lines: collections.deque[str] = collections.deque(maxlen=5)

    def __enter__(self) -> Self:
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=clean_environment(),
                preexec_fn=die_with_parent,
            )
        except OSError as error:
            raise StartError(f"{self.name}: cannot start {self._command[0]}: {error}") from error
        assert self._process.stdout is not None
        self._output = self._process.stdout
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        settled = self._settled.wait(self._seconds)
        if not settled or not self._serves:
            self._stop()
            last = "\n  ".join(self._last_lines)
            how = "ended" if settled else f"was silent for {self._seconds} s"
            raise StartError(f"{self.name} {how} without '{self._ready}'; last lines:\n  {last}")
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    @property
    def pid(self) -> int:
        return self._process.pid

    def _read(self) -> None:
        for line in self._output:
            text = line.decode(errors="replace").rstrip()
            self._last_lines.append(text)
            if self._ready in text:
                self._serves = True
                self._settled.set()
        self._settled.set()

    def _stop(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        self._output.close()
