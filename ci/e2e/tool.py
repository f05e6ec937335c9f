# SPDX-License-Identifier: Apache-2.0
"""The command as it is used: real runs, real processes, their verdicts, exit codes and files.

    verdicts_test.py WATCHPROOF [unittest arguments]

Shared by the tests of every area, which are beside it, one file each. They need only the executable
unless their file says otherwise.
"""

import fnmatch
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reader"))
from reader import Entry, Result, called, document_of, lines_of, listed, results_of

T = TypeVar("T")

# Never set: other processes do not announce changes, so wait_for() polls.
AGAIN = threading.Event()
FULL_QUEUE = "CompactionSurfaced.FullQueue"
DELETE_AT_FLOOR = "CompactionSurfaced.DeleteAtFloor"
OVERTAKES = "Bookmarkable.ProgressDuringCatchUp"
EVERYTHING = "Reliable.LatencyAndStall"
# The limits of tests only end what hangs: a busy machine takes several times as long.
BUSY = 5
# How often the cases that a busy machine left undecided run again.
ROUNDS = 3
# Of runs of every case: whether they pass must not depend on luck. ci/jobs/seeds.sh tries others.
SEED = ("--seed", "0x7")


def wait_for(what: str, fact: Callable[[], T | None], limit: float = 30.0) -> T:
    """Waits until `fact` returns something true; `what` is in the text of the failure."""
    end = time.monotonic() + BUSY * limit
    while time.monotonic() < end:
        found = fact()
        if found:
            return found
        AGAIN.wait(0.005)
    raise AssertionError(f"waited {BUSY * limit} s for {what}")


def processes() -> dict[int, tuple[int, str]]:
    """pid -> (parent, command line) of every process that is not a zombie."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            if fields[0] != "Z":
                command = (
                    (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
                found[int(entry.name)] = (int(fields[1]), command)
        except OSError:
            pass  # the process ended meanwhile
    return found


def descendants(pid: int) -> dict[int, str]:
    alive = processes()
    family = {pid}
    while True:
        more = {child for child, (parent, _) in alive.items() if parent in family} - family
        if not more:
            return {child: alive[child][1] for child in family if child != pid and child in alive}
        family |= more


def stock_etcd() -> str | None:
    path = os.environ.get("WATCHPROOF_TEST_ETCD") or shutil.which("etcd")
    if not path:
        return None
    done = called([path, "--version"])
    return path if done.stdout.startswith("etcd Version: 3.4.23") else None


class RunTest(unittest.TestCase):
    watchproof = ""  # the executable

    def setUp(self) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="wp-e2e-"))

    def run(self, result: unittest.TestResult | None = None) -> unittest.TestResult | None:
        """What a failed test recorded is kept, beside the executable, until it fails again."""
        assert result is not None, "run by main()"
        failed = len(result.failures) + len(result.errors)
        super().run(result)
        folder = getattr(self, "folder", None)  # none of a test that is skipped
        if folder is None:
            return result
        if len(result.failures) + len(result.errors) > failed:
            kept = pathlib.Path(self.watchproof).parent / "Testing" / "failed" / self.id()
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder, kept, symlinks=True)
            print(f"{self.id()} failed: {kept} has what it recorded", file=sys.stderr)
        shutil.rmtree(folder, ignore_errors=True)
        return result

    @classmethod
    @functools.cache
    def case_names(cls) -> list[str]:
        return [case.name for case in listed(cls.watchproof, "list", "cases")]

    def check_filter(self, arguments: tuple[str, ...]) -> None:
        """A pattern that matches no case would test nothing, unnoticed beside others that do."""
        if "--filter" not in arguments:
            return
        for pattern in arguments[arguments.index("--filter") + 1].split("-")[0].split(":"):
            matched = fnmatch.filter(self.case_names(), pattern)
            self.assertTrue(matched, f"no case is named {pattern}")

    def command(self, *arguments: str, name: str = "run") -> list[str]:
        return [self.watchproof, name, "--run-dir", str(self.folder / "runs"), *arguments]

    def run_it(
        self,
        *arguments: str,
        expect: int | set[int],
        more: dict[str, str] | None = None,
        limit: int = 300,
        name: str = "run",
    ) -> subprocess.CompletedProcess[str]:
        """`expect`: the exit code, or a set of them."""
        if expect != 5:  # nothing selected
            self.check_filter(arguments)
        done = called(
            self.command(*arguments, name=name),
            timeout=BUSY * limit,
            stdin=subprocess.DEVNULL,
            # Two of these tests run at a time: together as many attempts as a run makes alone.
            env={"WATCHPROOF_JOBS": str(2 * (os.cpu_count() or 1)), **os.environ, **(more or {})},
        )
        expected = expect if isinstance(expect, set) else {expect}
        self.assertIn(done.returncode, expected, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def decided(self, *arguments: str, name: str = "run") -> list[Result]:
        """The results of a run that ends well, the last one of each case.

        No test asks for an idle machine: what is undecided runs again.
        """
        self.run_it(*arguments, expect={0, 2}, name=name)
        results = {result.case: result for result in self.results()}
        for _ in range(ROUNDS):
            verdicts = self.verdicts(results.values()).values()
            if "inconclusive" not in verdicts:
                break
            self.run_it("--rerun-failed", self.latest().resolve().name, expect={0, 2}, name=name)
            results.update({result.case: result for result in self.results()})
        return list(results.values())

    def start(self, *arguments: str, more: dict[str, str] | None = None) -> subprocess.Popen[str]:
        self.check_filter(arguments)
        run = subprocess.Popen(
            self.command(*arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **(more or {})},
        )
        assert run.stdout
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        return run

    def latest(self) -> pathlib.Path:
        return self.folder / "runs" / "latest"

    def plan_lines(self, run: pathlib.Path | None = None) -> list[str]:
        """Of the plans of a run: the first line is that of the run."""
        packed = (run or self.latest()) / "plan.jsonl.zst"
        text = called(["zstdcat", str(packed)], check=True)
        return text.stdout.splitlines()

    def run_json(self) -> Any:
        return document_of(self.latest() / "run.json")

    def results(self) -> list[Result]:
        return results_of(self.latest())

    def verdicts(self, results: Iterable[Result] | None = None) -> dict[str, str]:
        return {
            result.case: "declared" if result.declared else result.verdict
            for result in (self.results() if results is None else results)
        }

    @staticmethod
    def await_end_of(family: Iterable[int]) -> None:
        wait_for(
            "the end of every process of the run",
            lambda: not [pid for pid in family if pid in processes()],
            limit=5,
        )

    def assert_nothing_left(self, family: Iterable[int]) -> None:
        self.await_end_of(family)
        self.assertEqual([str(path) for path in self.folder.rglob("tmp")], [])


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} WATCHPROOF [unittest arguments]")
    RunTest.watchproof = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
