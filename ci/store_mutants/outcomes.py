# SPDX-License-Identifier: Apache-2.0
"""What came of a way of finding bugs that was run on a mutant."""

import contextlib
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import threading
import time
from typing import Any

Row = dict[str, Any]

KILLED, SURVIVED = "killed", "survived"
NOT_STARTED = (126, 127)  # of a shell: there is no such program, or it is being written
KEY = ("file", "function", "operator", "original", "mutated", "occurrence")
TAIL = 2000


@dataclasses.dataclass
class Ended:
    code: int  # negative: the signal
    out_of_time: bool
    seconds: float
    tail: str  # of what it printed

    @property
    def reason(self) -> str:
        if self.out_of_time:
            return "out of time"
        # A shell reports the signal of what it ran in its exit code.
        number = -self.code if self.code < 0 else self.code - 128
        if number > 0:
            return f"signal {signal.Signals(number).name}"
        return {0: "nothing found", 1: "found", 2: "undecided"}.get(self.code, f"exit {self.code}")

    @property
    def verdict(self) -> str:
        return SURVIVED if self.code in (0, 2) and not self.out_of_time else KILLED


def run(command: str, environment: dict[str, str], folder: pathlib.Path, limit: float) -> Ended:
    began = time.monotonic()
    out_of_time = False
    with open(folder / "output", "w+b") as output:
        process = subprocess.Popen(
            ["bash", "-c", command],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            out_of_time = True
        # Also what it has left behind.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        output.seek(max(0, output.seek(0, os.SEEK_END) - TAIL))
        tail = output.read().decode("utf-8", "replace")
    if process.returncode in NOT_STARTED:
        raise RuntimeError(f"{command}: could not be started: {tail.strip()}")
    return Ended(process.returncode, out_of_time, time.monotonic() - began, tail)


def key(mutant: Row) -> tuple[object, ...]:
    return tuple(mutant[name] for name in KEY)


class Results:
    """One row for each mutant and way, in a file that grows."""

    def __init__(self, path: pathlib.Path, resume: bool) -> None:
        self.path = path
        self.rows = {}
        self.lock = threading.Lock()
        if resume and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self.rows[key(row), row["way"]] = row
        else:
            path.write_text("", encoding="utf-8")

    def has(self, mutant: Row, way: str) -> bool:
        return (key(mutant), way) in self.rows

    def get(self, mutant: Row, way: str) -> Row | None:
        return self.rows.get((key(mutant), way))

    def add(self, mutant: Row, way: str, ended: Ended, reached: bool) -> Row:
        row = {
            "id": mutant["id"],
            **{name: mutant[name] for name in KEY},
            "line": mutant["line"],
            "way": way,
            "verdict": ended.verdict,
            "reason": ended.reason,
            "reached": reached,
            "seconds": round(ended.seconds, 2),
            "tail": ended.tail,
        }
        with self.lock:
            self.rows[key(mutant), way] = row
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        return row
