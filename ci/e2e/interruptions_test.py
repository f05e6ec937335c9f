#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs, runners and cases that are stopped or killed leave no process and no file behind."""

import os
import signal
import unittest
from subprocess import Popen

from tool import BUSY, DELETE_AT_FLOOR, EVERYTHING, RunTest, descendants, main, stock_etcd, wait_for

SLOW_MEMBER = "Reliable.SlowMember"


class Interruptions(RunTest):
    def busy_run(self) -> tuple[Popen[str], dict[int, str]]:
        run = self.start("--target", "embedded", "--repeat", "100", "--jobs", "2")
        wait_for(
            "the first results and a running store",
            lambda: (
                len(self.results()) >= 2
                and any(" store --listen" in command for command in descendants(run.pid).values())
            ),
        )
        return run, descendants(run.pid)

    def test_control_c_stops_children_writes_reports_and_exits_130(self) -> None:
        run, family = self.busy_run()
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=BUSY * 30)
        self.assertEqual(run.returncode, 130)
        for name in ("junit.xml", "ctrf.json", "summary.md", "report.html", "run.json"):
            self.assertTrue((self.latest() / name).exists(), name)
        self.assertEqual(self.run_json()["exit_code"], 130)
        self.assert_nothing_left(family)

    def test_sigterm_exits_143(self) -> None:
        run, family = self.busy_run()
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=BUSY * 30)
        self.assertEqual(run.returncode, 143)
        self.assert_nothing_left(family)

    def test_a_signal_stops_the_build_of_a_consumer(self) -> None:
        place, cache = self.folder / "slow", self.folder / "cache"
        place.mkdir()
        (place / "consumer.toml").write_text(
            'about = "a"\nlayers = ["l"]\ntool = "sh"\nadvice = "x"\nrun = ["./p"]\n'
            """build = ["sh -c 'sleep 600; true'"]\n"""
        )
        run = self.start(
            "--consumer",
            f"folder:{place}",
            "--target",
            "embedded",
            "--filter",
            "Consumers.ConnectionReset",
            more={"WATCHPROOF_CACHE": str(cache)},
        )
        family = wait_for(
            "the build",
            lambda: {pid: row for pid, row in descendants(run.pid).items() if "sleep 600" in row},
        )
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=BUSY * 30)
        self.assertEqual(run.returncode, 143)
        self.assert_nothing_left(family)
        self.assertEqual(list((cache / "consumers").iterdir()), [])

    def test_a_killed_runner_takes_everything_along_and_the_next_start_sweeps(self) -> None:
        run, family = self.busy_run()
        run.kill()
        run.wait()
        self.await_end_of(family)
        self.assertGreaterEqual(len(self.results()), 2)
        self.run_it("--target", "embedded", "--filter", DELETE_AT_FLOOR, expect=0)
        self.assertEqual([str(path) for path in self.folder.rglob("tmp")], [])

    @unittest.skipUnless(stock_etcd(), "needs a stock etcd 3.4.23")
    def test_a_killed_run_takes_its_whole_cluster_along(self) -> None:
        for number in (signal.SIGKILL, signal.SIGTERM):
            run = self.start("--target", f"etcd:{stock_etcd()}", "--filter", SLOW_MEMBER)

            def family_with_cluster(runner: int = run.pid) -> dict[int, str] | None:
                family = descendants(runner)
                members = [c for c in family.values() if " --initial-cluster" in c]
                return family if len(members) == 3 else None

            family = wait_for("three members", family_with_cluster)
            run.send_signal(number)
            run.communicate(timeout=BUSY * 30)
            self.await_end_of(family)
        # A killed run cannot clean up; the terminated run has removed its own files and the others.
        self.assertEqual([str(path) for path in self.folder.rglob("tmp")], [])

    def test_a_killed_case_is_a_harness_error_and_takes_its_store_along(self) -> None:
        run = self.start("--target", "embedded", "--filter", EVERYTHING)

        def family_with_store() -> dict[int, str] | None:
            family = descendants(run.pid)
            return family if any(" store --listen" in c for c in family.values()) else None

        family = wait_for("the store's process", family_with_store)
        case = [pid for pid, command in family.items() if " attempt --spec" in command]
        os.kill(case[0], signal.SIGKILL)
        run.communicate(timeout=BUSY * 60)
        self.assertEqual(run.returncode, 70)
        self.assertEqual(self.verdicts(), {EVERYTHING: "harness_error"})
        self.assert_nothing_left(family)


if __name__ == "__main__":
    main()
