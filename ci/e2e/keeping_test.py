#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What runs leave behind: how much, how long, and how one that was killed goes on."""

import re
import shutil
import signal
from pathlib import Path

from tool import (
    BUSY,
    DELETE_AT_FLOOR,
    OVERTAKES,
    SEED,
    RunTest,
    called,
    descendants,
    document_of,
    main,
    wait_for,
)

MOST_BYTES = 5_000_000
QUICK = f"{DELETE_AT_FLOOR}:Filtered.*:Atomic.M*"


class Keeping(RunTest):
    def test_a_passing_full_run_is_small(self) -> None:
        self.run_it("--target", "embedded", *SEED, expect={0, 2})
        for result in self.results():
            if result.verdict == "inconclusive":  # its recording is kept
                shutil.rmtree(self.latest() / result.folder)
        disk = called(["du", "-s", "--block-size=1", str(self.latest().resolve())], check=True)
        self.assertLess(int(disk.stdout.split()[0]), MOST_BYTES)
        self.assertGreater(len(self.plan_lines()), 1000)

    def finished(self) -> int:
        """Lines that are written to their end: the run may be in the middle of the next one."""
        results = self.latest() / "results.jsonl"
        return results.read_text().count("\n") if results.is_file() else 0

    def kill_after(self, results: int, *arguments: str) -> Path:
        earlier = self.latest().resolve()
        run = self.start(*arguments)
        wait_for(
            "the first results",
            lambda: self.latest().resolve() != earlier and self.finished() >= results,
        )
        family = descendants(run.pid)
        run.send_signal(signal.SIGKILL)
        run.communicate(timeout=BUSY * 30)
        self.await_end_of(family)
        return self.latest().resolve()

    def names(self) -> list[tuple[str, str, int, str]]:
        return sorted((r.case, r.target, r.attempt, r.seed) for r in self.results())

    def test_a_killed_run_goes_on_to_what_it_would_have_been(self) -> None:
        words = [
            "--target",
            "embedded",
            "--filter",
            QUICK,
            "--repeat",
            "4",
            "--seed",
            "0x77",
            "--shuffle",
            "--jobs",
            "2",
            "--tries",
            "1",
        ]
        self.run_it(*words, expect={0, 2})
        wanted, plans = self.names(), sorted(self.plan_lines()[1:])
        killed = self.kill_after(3, *words)
        before = (killed / "results.jsonl").read_text()
        listed = called(
            [self.watchproof, "runs", "--run-dir", str(self.folder / "runs")], check=True
        ).stdout
        resume = re.findall(r"watchproof run --resume (\S+)", listed)[0]
        done = self.run_it("--resume", resume, expect={0, 2})
        self.assertIn(f"going on with {killed.name}", done.stdout)
        self.assertEqual(self.latest().resolve(), killed)
        self.assertTrue((killed / "results.jsonl").read_text().startswith(before))
        self.assertEqual(self.names(), wanted)
        self.assertLessEqual(set(plans), set(self.plan_lines()))
        self.assertEqual([str(path) for path in self.folder.rglob("tmp")], [])
        tests = document_of(killed / "ctrf.json")["results"]["summary"]
        self.assertEqual((tests["tests"], tests["failed"]), (len(wanted), 0))

    def test_failures_that_are_accepted_with_a_reason_until_they_are_gone(self) -> None:
        accepted = self.folder / "accepted.toml"
        accepted.write_text("# Ours.\n")
        filters = ["--filter", f"{OVERTAKES}:{DELETE_AT_FLOOR}"]
        target = [
            "--target",
            "command:sh -c 'exec $0 store --listen $1 $DEFECT' "
            f"{self.watchproof} {{host}}:{{port}}",
        ]
        broken = {"DEFECT": "--defect progress-overtakes-events"}

        def baseline(command: str, *words: str, expect: int = 0) -> str:
            done = called(
                [
                    self.watchproof,
                    "baseline",
                    command,
                    "--baseline",
                    str(accepted),
                    str(self.latest()),
                    *words,
                ]
            )
            self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
            return done.stdout

        self.run_it(*target, *filters, expect=1, more=broken)
        baseline("update", "--reason", "our fork", "--until", "2999-12-31")
        self.assertTrue(accepted.read_text().startswith("# Ours.\n\n[[accepted]]\n"))
        words = [*target, *filters, "--baseline", str(accepted)]
        self.run_it(*words, expect=0, more=broken)
        self.assertIn(f"{OVERTAKES} on command:", baseline("show"))
        self.run_it(*words, expect=0)  # the bug is fixed
        self.assertIn("1 expired or without a match", baseline("show", expect=6))
        self.assertIn("1 of 1 removed", baseline("prune"))
        self.assertEqual(accepted.read_text().strip(), "# Ours.")

    def test_failures_run_again_and_their_findings_can_be_used(self) -> None:
        target = "embedded+progress-overtakes-events"
        self.run_it(
            "--target",
            target,
            "--target",
            "embedded",
            "--filter",
            f"{OVERTAKES}:{DELETE_AT_FLOOR}",
            expect=1,
        )
        first, seed = self.latest().resolve(), self.results()[0].seed
        self.run_it("--rerun-failed", first.name, expect=1)
        self.assertNotEqual(self.latest().resolve(), first)
        self.assertEqual(self.names(), [(OVERTAKES, target, 1, seed)])
        self.assertEqual(self.run_json()["rerun_of"], first.name)
        picture = self.folder / "picture.svg"
        for command in (
            ["draw", f"{self.latest()}#1", "-o", str(picture)],
            ["check", str(self.latest())],
        ):
            done = called([self.watchproof, *command])
            self.assertEqual(done.returncode, 0, f"{command} {done.stdout}{done.stderr}")
        again = called([self.watchproof, "repeat", str(first), "--attempts", "3"], cwd=self.folder)
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)


if __name__ == "__main__":
    main()
