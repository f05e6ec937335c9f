# SPDX-License-Identifier: Apache-2.0
"""Runs etcdctl against one endpoint and reduces what it prints to what two stores must share.

    etcdctl = Etcdctl(path, server.endpoint)
    outcome = etcdctl.run(["get", "key"])                     # ends by itself
    outcome = etcdctl.watch(["watch", "key", "--rev", "2"], talk, until)  # until a line

Kept: values, keys, counts, revisions, error texts, exit codes. Dropped: the identity of the server
(cluster, member, raft term), place and time in the client's log, the remaining time of a lease, and
the order of a lease's keys. The id of a lease is replaced by its name in `names`. Not thread-safe;
one per server.
"""

import json
import queue
import re
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any, Self

from server import clean_environment, die_with_parent

# A part of a line to wait for, or None, and what happens then.
Talk = Sequence[tuple[str | None, Any]]

PATIENCE_SECONDS = 20
STOPPED = "stopped by us"

IDENTITY = re.compile(
    r'("(?:cluster_id|member_id|raft_term)":|"(?:ClusterID|MemberID|RaftTerm)" : )\d+'
)


REMAINING = re.compile(r'(remaining\(|"ttl":)\d+')
ATTACHED = re.compile(r'(attached keys\(\[)([^]]*)|("keys":\[)([^]]*)')


@dataclass
class Outcome:
    exit_code: object
    output: list[str]  # lines
    errors: list[str]  # lines

    def describe(self) -> list[str]:
        return (
            [f"exit {self.exit_code}"]
            + [f"out: {line}" for line in self.output]
            + [f"err: {line}" for line in self.errors]
        )


def without_identity(line: str) -> str:
    line = REMAINING.sub(r"\g<1>0", IDENTITY.sub(r"\g<1>0", line))
    return ATTACHED.sub(_sorted_keys, line)


def _sorted_keys(match: re.Match[str]) -> str:
    head, keys, separator = match[1], match[2], " "
    if head is None:
        head, keys, separator = match[3], match[4], ","
    return head + separator.join(sorted(keys.split(separator)))


def reduced_error(line: str) -> str:
    """The error of a line of the client's log; its other fields are time and place."""
    if line.startswith("{"):
        try:
            return "log: " + str(json.loads(line).get("error"))
        except ValueError:
            pass
    return line


def watch_events(lines: list[str]) -> list[str]:
    """The events of `watch -w json`, one per line: their split into responses is not promised.

    A response without events, such as the end of a watch, is kept whole.
    """
    found: list[Any] = []
    for line in lines:
        response = json.loads(line)
        found += response["Events"] or [response]
    return [json.dumps(event, sort_keys=True) for event in found]


class Etcdctl:
    def __init__(self, binary: str, endpoint: str) -> None:
        patience = f"{PATIENCE_SECONDS}s"
        self._command = [
            binary,
            "--endpoints",
            endpoint,
            "--dial-timeout",
            patience,
            "--command-timeout",
            patience,
        ]
        self.names: dict[
            str, str
        ] = {}  # of leases: name to id in hexadecimal, as etcdctl writes it

    def run(self, arguments: list[str], text: str = "") -> Outcome:
        called = [argument.format(**self.names) for argument in arguments]
        done = subprocess.run(
            self._command + called,
            input=text.encode(),
            capture_output=True,
            check=False,
            timeout=3 * PATIENCE_SECONDS,
            env=clean_environment(),
            preexec_fn=die_with_parent,
        )
        return self._outcome(done.returncode, done.stdout, done.stderr)

    def watch(self, arguments: list[str], talk: Talk, until: str | None) -> Outcome:
        """Runs a watch and reads it until the line `until`; None reads to its own end.

        talk: steps of (part of a line to wait for or None, what happens then): a string is typed
        into the watch, anything else is a step of its own.
        """
        process = subprocess.Popen(
            self._command + arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=clean_environment(),
            preexec_fn=die_with_parent,
        )
        assert process.stdin and process.stdout and process.stderr
        try:
            with Lines(process.stdout) as lines, Lines(process.stderr) as errors:
                return self._converse(process, lines, errors, talk, until)
        finally:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                pipe.close()

    def _converse(
        self,
        process: subprocess.Popen[bytes],
        lines: "Lines",
        errors: "Lines",
        talk: Talk,
        until: str | None,
    ) -> Outcome:
        for awaited, action in talk:
            if awaited is not None and not lines.read_until(awaited):
                return Outcome(f"{awaited!r} never came", lines.seen, errors.seen)
            if isinstance(action, str):
                assert process.stdin
                process.stdin.write(action.encode() + b"\n")
                process.stdin.flush()
            else:
                action.on(self)
        if until is not None:
            code = STOPPED if lines.read_until(until) else f"{until!r} never came"
            process.kill()
            return self._outcome(code, lines.text(), b"")
        if not lines.read_until(None) or not errors.read_until(None):
            return Outcome("never ended", lines.seen, errors.seen)
        return self._outcome(process.wait(), lines.text(), errors.text())

    def _outcome(self, code: int | str, output: bytes, errors: bytes) -> Outcome:
        lines = [
            self._by_name(without_identity(line))
            for line in output.decode(errors="replace").splitlines()
        ]
        failed = [
            self._by_name(reduced_error(line))
            for line in errors.decode(errors="replace").splitlines()
        ]
        return Outcome(code, lines, failed)

    def _by_name(self, line: str) -> str:
        for name, number in self.names.items():
            # Decimal in JSON, which must stay JSON.
            line = line.replace(number, name).replace(str(int(number, 16)), f'"{name}"')
        return line


class Lines:
    """The lines of a pipe, read by a thread, taken with a deadline."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self.seen: list[str] = []
        self._queue: queue.Queue[str | None] = queue.Queue()
        self._thread = threading.Thread(target=self._read, args=(pipe,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        pass  # the thread ends with the process, which the caller kills

    def read_until(self, wanted: str | None) -> bool:
        """True once a line contained `wanted`; None waits for the end."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                line = self._queue.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return False
            if line is None:
                return wanted is None
            self.seen.append(line)
            if wanted is not None and wanted in line:
                return True

    def text(self) -> bytes:
        return "".join(line + "\n" for line in self.seen).encode()

    def _read(self, pipe: IO[bytes]) -> None:
        for line in pipe:
            self._queue.put(line.decode(errors="replace").rstrip("\n"))
        self._queue.put(None)
