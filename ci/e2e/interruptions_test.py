#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs, runners and cases that are stopped or killed leave no process and no file behind."""

import os
import signal
import unittest
from subprocess import DEVNULL, PIPE, Popen

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

    def test_each_signal_has_its_exit_code_and_leaves_nothing(self) -> None:
        for number, times, code in (
            (signal.SIGINT, 2, 130),
            (signal.SIGTERM, 1, 143),
            (signal.SIGTERM, 2, 143),
            (signal.SIGHUP, 1, 143),
            (signal.SIGHUP, 2, 143),
            (signal.SIGQUIT, 1, 143),
            (signal.SIGQUIT, 2, 143),
        ):
            with self.subTest(number=number, times=times):
                run, family = self.busy_run()
                for _ in range(times):
                    run.send_signal(number)
                run.communicate(timeout=BUSY * 30)
                self.assertEqual(run.returncode, code)
                self.assertTrue((self.latest() / "report.html").exists())
                self.assert_nothing_left(family)

    def test_a_closed_terminal_ends_every_command_in_order(self) -> None:
        runs = str(self.folder / "runs")
        explore = ("explore", "--target", "embedded", "--time-budget", "10m", "--run-dir", runs)
        gate = ("gate", "--base", "embedded", "--head", "embedded", "--run-dir", runs)
        for arguments, begun, code in (
            (explore, " store --listen", 143),
            (gate, " store --listen", 143),
            (("store", "--listen", "127.0.0.1:0"), "", 0),
            (("proxy", "--to", "127.0.0.1:1"), "", 0),
        ):
            with self.subTest(command=arguments[0]):
                command = Popen(
                    [self.watchproof, *arguments], stdout=PIPE, stderr=DEVNULL, text=True
                )
                assert command.stdout
                self.addCleanup(command.stdout.close)
                self.addCleanup(command.wait)
                self.addCleanup(command.kill)
                if begun:
                    family = self.family_with(command.pid, begun)
                else:
                    family = {}
                    self.assertIn(" on ", command.stdout.readline())
                command.send_signal(signal.SIGHUP)
                command.communicate(timeout=BUSY * 30)
                self.assertEqual(command.returncode, code)
                self.assert_nothing_left(family)

    @staticmethod
    def family_with(pid: int, words: str) -> dict[int, str]:
        def begun() -> dict[int, str] | None:
            family = descendants(pid)
            return family if any(words in command for command in family.values()) else None

        return wait_for(f"a process with{words}", begun)

    def test_nohup_is_respected(self) -> None:
        command = self.command("--target", "embedded", "--filter", DELETE_AT_FLOOR)
        run = Popen(["nohup", *command], stdout=DEVNULL, stderr=DEVNULL, stdin=DEVNULL)
        self.addCleanup(run.kill)
        wait_for("the run", lambda: (self.latest() / "run.json").exists())
        run.send_signal(signal.SIGHUP)
        self.assertEqual(run.wait(BUSY * 60), 0)

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

    def test_a_killed_runner_takes_everything_along_and_the_next_command_sweeps(self) -> None:
        run, family = self.busy_run()
        run.kill()
        run.wait()
        self.await_end_of(family)
        self.assertGreaterEqual(len(self.results()), 2)
        self.assertNotEqual([str(path) for path in self.folder.rglob("tmp")], [])
        self.run_it(name="runs", expect=0)
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
