# SPDX-License-Identifier: Apache-2.0
"""The command as it is used: real runs, real processes, their verdicts, exit codes and files.

    verdicts_test.py WATCHPROOF [unittest arguments]

Shared by the tests of every area, which are beside it, one file each. They need only the executable
unless their file says otherwise.
"""

import fnmatch
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

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


def wait_for(what, fact, limit=30.0):
    """Waits until `fact` returns something true; `what` is in the text of the failure."""
    end = time.monotonic() + BUSY * limit
    while time.monotonic() < end:
        found = fact()
        if found:
            return found
        AGAIN.wait(0.005)
    raise AssertionError(f"waited {BUSY * limit} s for {what}")


def processes():
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


def descendants(pid):
    alive = processes()
    family = {pid}
    while True:
        more = {child for child, (parent, _) in alive.items() if parent in family} - family
        if not more:
            return {child: alive[child][1] for child in family if child != pid and child in alive}
        family |= more


def stock_etcd():
    path = os.environ.get("WATCHPROOF_TEST_ETCD") or shutil.which("etcd")
    if not path:
        return None
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return path if done.stdout.startswith("etcd Version: 3.4.23") else None


class RunTest(unittest.TestCase):
    watchproof = ""  # the executable

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="wp-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    @classmethod
    @functools.cache
    def case_names(cls):
        listed = subprocess.run(
            [cls.watchproof, "list", "cases", "--json"], capture_output=True, text=True, check=True
        )
        return [json.loads(line)["name"] for line in listed.stdout.splitlines()]

    def check_filter(self, arguments):
        """A pattern that matches no case would test nothing, unnoticed beside others that do."""
        if "--filter" not in arguments:
            return
        for pattern in arguments[arguments.index("--filter") + 1].split("-")[0].split(":"):
            matched = fnmatch.filter(self.case_names(), pattern)
            self.assertTrue(matched, f"no case is named {pattern}")

    def command(self, *arguments, name="run"):
        return [self.watchproof, name, "--run-dir", str(self.folder / "runs"), *arguments]

    def run_it(self, *arguments, expect, more=None, limit=300, name="run"):
        """`expect`: the exit code, or a set of them."""
        if expect != 5:  # nothing selected
            self.check_filter(arguments)
        done = subprocess.run(
            self.command(*arguments, name=name),
            capture_output=True,
            text=True,
            timeout=BUSY * limit,
            stdin=subprocess.DEVNULL,
            # Two of these tests run at a time: together as many attempts as a run makes alone.
            env={"WATCHPROOF_JOBS": str(2 * (os.cpu_count() or 1)), **os.environ, **(more or {})},
            check=False,
        )
        expected = expect if isinstance(expect, set) else {expect}
        self.assertIn(done.returncode, expected, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def decided(self, *arguments, name="run"):
        """The results of a run that ends well, the last one of each case.

        No test asks for an idle machine: what is undecided runs again.
        """
        self.run_it(*arguments, expect={0, 2}, name=name)
        results = {result["case"]: result for result in self.results()}
        for _ in range(ROUNDS):
            verdicts = self.verdicts(results.values()).values()
            if "inconclusive" not in verdicts:
                break
            self.run_it("--rerun-failed", self.latest().resolve().name, expect={0, 2}, name=name)
            results.update({result["case"]: result for result in self.results()})
        return list(results.values())

    def start(self, *arguments, more=None):
        self.check_filter(arguments)
        run = subprocess.Popen(
            self.command(*arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **(more or {})},
        )
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        return run

    def latest(self):
        return self.folder / "runs" / "latest"

    def plan_lines(self, run=None):
        """Of the plans of a run: the first line is that of the run."""
        packed = (run or self.latest()) / "plan.jsonl.zst"
        text = subprocess.run(["zstdcat", str(packed)], capture_output=True, text=True, check=True)
        return text.stdout.splitlines()

    def results(self):
        lines = (self.latest() / "results.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def verdicts(self, results=None):
        return {
            result["case"]: "declared" if result["declared"] else result["verdict"]
            for result in (self.results() if results is None else results)
        }

    @staticmethod
    def await_end_of(family):
        wait_for(
            "the end of every process of the run",
            lambda: not [pid for pid in family if pid in processes()],
            limit=5,
        )

    def assert_nothing_left(self, family):
        self.await_end_of(family)
        self.assertEqual([str(path) for path in self.folder.rglob("tmp")], [])


def main():
    if len(sys.argv) < 2:
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} WATCHPROOF [unittest arguments]")
    RunTest.watchproof = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
