#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tool as a person uses it: real runs, real processes, their verdicts, exit codes and remains.

    run_test.py WATCHPROOF [unittest arguments]

Needs nothing but the executable; what needs a stock etcd is skipped without one
(WATCHPROOF_TEST_ETCD or the etcd on PATH, which must be 3.4.23 for the expectations here).
"""

import hashlib
import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest

WATCHPROOF = ""
# Never set: what happens to other processes is not announced, so it is asked for again and again.
AGAIN = threading.Event()
FULL_QUEUE = "CompactionSurfaced.NoticeReachesAWatcherBehindAFullQueue"
DELETE_AT_FLOOR = "CompactionSurfaced.DeleteAtTheFloorIsDelivered"
OVERTAKES = "Bookmarkable.ProgressNeverOvertakesEvents"
FUTURE = "Bookmarkable.FutureWatchHearsNothingFromBeforeItsStart"
BURST = "CompactionSurfaced.BurstOfCreatesBelowTheFloor"
ONCE = "CompactionSurfaced.NoticeComesOnce"
NEGATIVE = "Reliable.NegativeStartHarmsNoNeighbour"
KILLED = "Resumable.SurvivesKillAndRestart"
OVERLAPPING = "Resumable.SurvivesOverlappingFaults"
RESTARTED = "CompactionSurfaced.DeleteAtTheFloorSurvivesARestart"
OPEN_RANGE = "Authorized.OpenRangeNeedsTheRightToAllOfIt"
STRICT = "PreviousValue.MissesNoneWhereItMustNot"
EVERYTHING = "Reliable.DeliversEverythingUnderLatencyAndStall"


def stock_etcd():
    path = os.environ.get("WATCHPROOF_TEST_ETCD") or shutil.which("etcd")
    if not path:
        return None
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    return path if said.startswith("etcd Version: 3.4.23") else None


def wait_for(what, fact, limit=30.0):
    """Waits for a fact, not for time; what it waited for is the failure's text."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        found = fact()
        if found:
            return found
        AGAIN.wait(0.005)
    raise AssertionError(f"waited {limit} s for {what}")


def processes():
    """pid -> (parent, command line) of everything that lives."""
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
            pass  # it ended meanwhile
    return found


def descendants(pid):
    living = processes()
    family = {pid}
    while True:
        more = {child for child, (parent, _) in living.items() if parent in family} - family
        if not more:
            return {child: living[child][1] for child in family if child != pid and child in living}
        family |= more


class RunTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="wp-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def command(self, *arguments):
        return [WATCHPROOF, "run", "--run-dir", str(self.folder / "runs"), *arguments]

    def cache_holding(self, binary, version):
        """A cache as `fetch` leaves it; returns the variables that point to it."""
        place = self.folder / "cache" / "releases" / "etcd" / version / "etcd"
        place.parent.mkdir(parents=True)
        shutil.copy(binary, place)
        summed = hashlib.sha256(place.read_bytes()).hexdigest()
        place.with_suffix(".sha256").write_text(f"{summed}  etcd\n")
        return {"WATCHPROOF_CACHE": str(self.folder / "cache")}

    def run_it(self, *arguments, expect, more=None, limit=300):
        done = subprocess.run(
            self.command(*arguments),
            capture_output=True,
            text=True,
            timeout=limit,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **(more or {})},
            check=False,
        )
        self.assertEqual(done.returncode, expect, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def start(self, *arguments):
        run = subprocess.Popen(
            self.command(*arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        self.addCleanup(run.stdout.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        return run

    def latest(self):
        return self.folder / "runs" / "latest"

    def results(self):
        lines = (self.latest() / "results.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def verdicts(self):
        return {result["case"]: result["verdict"] for result in self.results()}

    def assert_nothing_left(self, family):
        wait_for(
            "the end of every process of the run",
            lambda: not [pid for pid in family if pid in processes()],
            limit=5,
        )
        self.assertEqual([str(path) for path in self.folder.rglob("tmp")], [])


class Verdicts(RunTest):
    def test_the_clean_embedded_store_passes_and_every_fault_was_felt(self):
        done = self.run_it("--target", "embedded", expect=0)
        verdicts = self.verdicts()
        self.assertEqual(set(verdicts.values()), {"pass"})
        for result in self.results():
            for receipt in result["receipts"]:
                self.assertTrue(receipt["fired"], receipt)
        faults = {r["case"]: sorted(x["fault"] for x in r["receipts"]) for r in self.results()}
        self.assertEqual(faults[FULL_QUEUE], ["stall"])
        self.assertEqual(faults[EVERYTHING], ["latency", "stall"])
        self.assertIn("embedded", done.stdout)

    @unittest.skipUnless(stock_etcd(), "needs a stock etcd 3.4.23")
    def test_debians_etcd_fails_exactly_as_the_manifest_says(self):
        done = self.run_it("--target", f"etcd:{stock_etcd()}", expect=0)
        failed = {r["case"] for r in self.results() if r["verdict"] == "fail"}
        self.assertEqual(
            failed,
            {FULL_QUEUE, DELETE_AT_FLOOR, OVERTAKES, FUTURE, BURST, ONCE, NEGATIVE}
            | {OVERLAPPING, RESTARTED, OPEN_RANGE},
        )
        self.assertEqual({r["case"] for r in self.results() if r["known"]}, failed)
        rest = {r["case"]: r["verdict"] for r in self.results() if r["case"] not in failed}
        # No etcd can be told to.
        self.assertEqual(rest.pop(STRICT), "unsupported")
        self.assertEqual(set(rest.values()), {"pass"})
        self.assertIn("3.4.23", done.stdout)

    @unittest.skipUnless(stock_etcd(), "needs a stock etcd 3.4.23")
    def test_a_release_by_name_is_the_one_of_the_cache(self):
        environment = self.cache_holding(stock_etcd(), "3.4.23")
        self.run_it("--target", "etcd@3.4.23", "--filter", FUTURE, expect=0, more=environment)
        [result] = self.results()
        self.assertEqual((result["target_version"], result["known"]), ("3.4.23", True))
        environment = self.cache_holding(stock_etcd(), "3.5.16")
        self.run_it("--target", "etcd@3.5.16", "--filter", FUTURE, expect=3, more=environment)
        [result] = self.results()
        self.assertIn("is cached as etcd 3.5.16, but answers as 3.4.23", result["reason"])

    def test_without_the_proxy_no_fault_can_be_felt_and_nothing_passes_that_needs_one(self):
        self.run_it(
            "--target",
            "embedded",
            "--bypass-proxy",
            "--filter",
            f"{FULL_QUEUE}:{EVERYTHING}",
            expect=2,
        )
        self.assertEqual(self.verdicts(), {FULL_QUEUE: "inconclusive", EVERYTHING: "inconclusive"})

    def test_a_stall_too_short_to_be_felt_is_inconclusive(self):
        self.run_it(
            "--target",
            "embedded",
            "--fault",
            "stall:duration=1ms",
            "--filter",
            FULL_QUEUE,
            expect=2,
        )
        [result] = self.results()
        self.assertEqual(result["verdict"], "inconclusive")
        self.assertIn("stall", result["reason"])

    def test_a_target_that_dies_by_itself_fails_the_case_that_saw_it(self):
        run = self.start("--target", "embedded", "--filter", EVERYTHING)
        store = wait_for(
            "the store's process",
            lambda: [
                pid for pid, command in descendants(run.pid).items() if " store --listen" in command
            ],
        )
        wait_for(
            "the case to have begun", lambda: list((self.folder / "runs").rglob("history.wire.zst"))
        )
        os.kill(store[0], signal.SIGKILL)
        run.communicate(timeout=60)
        # Killed before it answered, it never came up; afterwards its death is the case's finding.
        self.assertIn(run.returncode, (1, 3))


@unittest.skipUnless(shutil.which("etcdctl"), "needs etcdctl to look at a server from outside")
class Defects(RunTest):
    def mutation(self):
        return json.loads((self.latest() / "run.json").read_text())["mutation"]

    def test_each_is_caught_by_every_guarantee_that_it_declares_and_the_clean_store_is_clean(self):
        listed = subprocess.run(
            [WATCHPROOF, "list", "defects", "--json"], capture_output=True, text=True, check=True
        )
        names = {json.loads(line)["name"] for line in listed.stdout.splitlines()}
        done = self.run_it("--defects", "all", expect=0, limit=1500)
        table = self.mutation()
        self.assertEqual({row["defect"] for row in table["defects"]}, names)
        for row in table["defects"]:
            self.assertEqual(row["verdict"], "caught", row)
        self.assertEqual(table["clean"], {})
        self.assertIn(f"All of {len(names)} planted defects caught", done.stdout)

    def test_a_defect_that_no_chosen_case_can_show_is_missed_and_says_so(self):
        one = "compaction-notice-lost"
        done = self.run_it("--defects", one, "--filter", "Filtered.HidesOnlyItsKind", expect=1)
        self.assertEqual([row["verdict"] for row in self.mutation()["defects"]], ["missed"])
        self.assertIn("Only 0 of 1 planted defect caught", done.stdout)
        self.assertIn("| missed |", (self.latest() / "summary.md").read_text())


class Shrinking(RunTest):
    TARGET = "embedded+progress-overtakes-events"

    def shrink(self, *words, expect):
        done = subprocess.run(
            [WATCHPROOF, "shrink", *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def test_what_is_left_of_a_plan_is_small_and_still_fails(self):
        self.run_it("--target", self.TARGET, "--filter", OVERTAKES, expect=1)
        run = self.latest()
        before = len((run / "plan.jsonl").read_text().splitlines())
        done = self.shrink(str(run), "--tries", "2", expect=0)
        self.assertIn("broken: Bookmarkable", done.stdout)
        self.assertIn("It fails in 20 of 20 attempts", done.stdout)
        steps = [json.loads(line) for line in (run / "shrunk.jsonl").read_text().splitlines()][1:]
        self.assertLess(len(steps), 8)
        self.assertLess(len(steps), before)
        self.assertLessEqual({"put", "watch", "request progress"}, {step["op"] for step in steps})
        self.assertFalse((run / "shrink").exists())
        self.run_it("--plan", str(run / "shrunk.jsonl"), expect=1)
        self.assertEqual(self.verdicts(), {OVERTAKES: "fail"})
        self.assertEqual(self.results()[0]["target"], self.TARGET)

    def test_says_what_it_cannot_shrink(self):
        self.run_it("--filter", OVERTAKES, expect=0)
        run = str(self.latest())
        self.assertIn("no attempt of", self.shrink(run, expect=4).stderr)
        self.assertIn("the folder of a run", self.shrink(str(self.folder), expect=4).stderr)


class Endpoints(RunTest):
    """A server that is already running and belongs to somebody else."""

    ADDRESS = "127.201.7.3:2379"

    def setUp(self):
        super().setUp()
        self.server = subprocess.Popen(
            [WATCHPROOF, "store", "--listen", self.ADDRESS, "--http", "127.201.7.3:2381"],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self.server.stdout.close)
        self.addCleanup(self.server.wait)
        self.addCleanup(self.server.kill)
        self.assertIn("serving on", self.server.stdout.readline())
        self.etcdctl("put", "theirs", "1")

    def etcdctl(self, *arguments):
        done = subprocess.run(
            ["etcdctl", "--endpoints", self.ADDRESS, *arguments],
            env={**os.environ, "ETCDCTL_API": "3"},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def test_is_left_as_it_was_and_never_compacted_unasked(self):
        cases = f"{FULL_QUEUE}:{EVERYTHING}:{OVERTAKES}:{KILLED}"
        self.run_it(
            "--target", f"endpoint:{self.ADDRESS}", "--jobs", "1", "--filter", cases, expect=0
        )
        self.assertEqual(
            self.verdicts(),
            {
                FULL_QUEUE: "unsupported",
                KILLED: "unsupported",
                EVERYTHING: "pass",
                OVERTAKES: "pass",
            },
        )
        self.assertEqual(self.etcdctl("get", "", "--from-key"), "theirs\n1\n")
        # Every revision is still there.
        self.assertEqual(self.etcdctl("get", "theirs", "--rev=2"), "theirs\n1\n")
        self.assertIsNone(self.server.poll())

    def test_is_compacted_only_when_it_is_named(self):
        allowed = ("--allow-disruptive", self.ADDRESS)
        self.run_it(
            "--target", f"endpoint:{self.ADDRESS}", *allowed, "--filter", FULL_QUEUE, expect=0
        )
        self.assertEqual(self.verdicts(), {FULL_QUEUE: "pass"})
        self.assertEqual(self.etcdctl("get", "", "--from-key"), "theirs\n1\n")

    def test_that_does_not_answer_is_3(self):
        self.server.kill()
        self.server.wait()
        self.run_it("--target", f"endpoint:{self.ADDRESS}", "--filter", OVERTAKES, expect=3)


class Errors(RunTest):
    def test_wrong_flags_and_words_are_4_and_name_what_was_expected(self):
        for arguments in (
            ["--seed", "xyz"],
            ["--target", "redis:/x"],
            ["--jobs", "0"],
            ["--no-such-flag"],
            ["--fault", "stall:bogus=1"],
            ["--case-timeout", "5 parsecs"],
        ):
            with self.subTest(arguments=arguments):
                done = self.run_it(*arguments, expect=4)
                self.assertIn(arguments[-1].split(":")[0].split("=")[0], done.stderr)

    def test_an_empty_selection_is_5(self):
        self.run_it("--filter", "Nothing.Matches", expect=5)

    def program(self, name, script):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def test_a_binary_that_is_missing_foreign_or_mute_is_3_with_its_last_words(self):
        plain = self.folder / "plain"
        plain.write_text("no program")
        mute = self.program(
            "mute",
            '[ "$1" = --version ] && echo "etcd Version: 9" && exit\n'
            'echo "no space on device" >&2; exit 1\n',
        )
        for path, words in (
            (str(self.folder / "missing"), "no such file"),
            (str(plain), "not executable"),
            (self.program("foreign", "echo I am a teapot"), "I am a teapot"),
            (mute, "no space on device"),
        ):
            with self.subTest(path=path):
                done = self.run_it(
                    "--target", f"etcd:{path}", "--filter", DELETE_AT_FLOOR, expect=3
                )
                self.assertIn(words, done.stdout + done.stderr)

    def test_an_unknown_defect_is_named(self):
        done = self.run_it("--target", "embedded+nonsense", "--filter", DELETE_AT_FLOOR, expect=4)
        self.assertIn("nonsense", done.stdout + done.stderr)


class Interruptions(RunTest):
    def busy_run(self):
        run = self.start("--target", "embedded", "--repeat", "100", "--jobs", "2")
        wait_for(
            "the first results and a living store",
            lambda: (
                (self.latest() / "results.jsonl").exists()
                and len(self.results()) >= 2
                and any(" store --listen" in command for command in descendants(run.pid).values())
            ),
        )
        return run, descendants(run.pid)

    def test_control_c_stops_children_writes_reports_and_exits_130(self):
        run, family = self.busy_run()
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=30)
        self.assertEqual(run.returncode, 130)
        for name in ("junit.xml", "ctrf.json", "summary.md", "report.html", "run.json"):
            self.assertTrue((self.latest() / name).exists(), name)
        self.assertEqual(json.loads((self.latest() / "run.json").read_text())["exit_code"], 130)
        self.assert_nothing_left(family)

    def test_sigterm_exits_143(self):
        run, family = self.busy_run()
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=30)
        self.assertEqual(run.returncode, 143)
        self.assert_nothing_left(family)

    def test_a_killed_runner_takes_everything_along_and_the_next_start_sweeps(self):
        run, family = self.busy_run()
        run.kill()
        run.wait()
        wait_for(
            "the end of every process of the run",
            lambda: not [pid for pid in family if pid in processes()],
            limit=5,
        )
        self.assertGreaterEqual(len(self.results()), 2)
        self.run_it("--target", "embedded", "--filter", DELETE_AT_FLOOR, expect=0)
        self.assertEqual([str(path) for path in self.folder.rglob("tmp")], [])

    def test_a_killed_case_is_a_harness_error_and_takes_its_store_along(self):
        run = self.start("--target", "embedded", "--filter", EVERYTHING)

        def family_with_store():
            family = descendants(run.pid)
            return family if any(" store --listen" in c for c in family.values()) else None

        family = wait_for("the store's process", family_with_store)
        case = [pid for pid, command in family.items() if " case --spec" in command]
        os.kill(case[0], signal.SIGKILL)
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 70)
        self.assertEqual(self.verdicts(), {EVERYTHING: "harness_error"})
        self.assert_nothing_left(family)


class Seeds(RunTest):
    def plan(self, seed):
        self.run_it("--target", "embedded", "--seed", seed, expect=0)
        lines = [
            json.loads(line) for line in (self.latest() / "plan.jsonl").read_text().splitlines()
        ]
        steps = [line for line in lines if "op" in line]
        # What a transaction writes counts like any other write.
        inner = [
            {**write, "case": s["case"], "step": s["step"]}
            for s in steps
            for write in s.get("writes", [])
        ]
        return steps + inner

    @staticmethod
    def ordered(steps, *wanted):
        """What the steps say under the wanted names, in the order of the plan, per case."""
        return {
            case: [
                step[name]
                for step in steps
                if step["case"] == case
                for name in wanted
                if name in step
            ]
            for case in {step["case"] for step in steps}
        }

    def test_ten_seeds_agree_and_decide_everything_differently(self):
        plans = [self.plan(f"0x{seed:x}") for seed in range(100, 110)]
        verdicts = self.verdicts()
        self.assertEqual(set(verdicts.values()), {"pass"})
        for i, one in enumerate(plans):
            for other in plans[:i]:
                for aspect in (["key"], ["value"], ["op"]):
                    left, right = self.ordered(one, *aspect), self.ordered(other, *aspect)
                    same = [case for case in left if left[case] == right[case]]
                    if aspect != ["op"]:
                        self.assertEqual(same, [], f"{aspect} do not differ")
                    else:
                        self.assertNotEqual(left, right, "the order does not differ")
                faults = [self.fault_times(plan) for plan in (one, other)]
                self.assertNotEqual(faults[0], faults[1], "fault times do not differ")

    @staticmethod
    def fault_times(steps):
        return [
            (step["case"], step["step"], step.get("fault"), step.get("us"), step.get("parameters"))
            for step in sorted(steps, key=lambda s: (s["case"], s["step"]))
            if step["op"] in ("inject", "heal", "hold")
        ]

    def test_the_same_seed_plans_the_same_to_the_byte(self):
        self.run_it("--target", "embedded", "--seed", "0xabc", expect=0)
        first = sorted((self.latest() / "plan.jsonl").read_text().splitlines()[1:])
        self.run_it("--target", "embedded", "--seed", "0xABC", expect=0)
        self.assertEqual(first, sorted((self.latest() / "plan.jsonl").read_text().splitlines()[1:]))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: run_test.py WATCHPROOF [unittest arguments]")
    WATCHPROOF = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
