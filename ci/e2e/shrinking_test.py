#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shrinking the plan of a failed run."""

import subprocess

from tool import BUSY, OVERTAKES, RunTest, called, lines_of, main


class Shrinking(RunTest):
    TARGET = "embedded+progress-overtakes-events"

    def shrink(self, *words: str, expect: int | set[int]) -> subprocess.CompletedProcess[str]:
        done = called([self.watchproof, "shrink", *words], cwd=self.folder, timeout=BUSY * 120)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def test_a_shrunk_plan_is_small_and_still_fails(self) -> None:
        self.run_it("--target", self.TARGET, "--filter", OVERTAKES, expect=1)
        run = self.latest()
        before = len(self.plan_lines())
        done = self.shrink(str(run), "--tries", "2", expect=0)
        self.assertIn("broken: Bookmarkable", done.stdout)
        self.assertIn("It fails in 20 of 20 attempts", done.stdout)
        steps = lines_of((run / "shrunk.jsonl").read_text())[1:]
        self.assertLess(len(steps), 8)
        self.assertLess(len(steps), before)
        ops = {step["op"] for step in steps}
        self.assertLessEqual({"put", "watch"}, ops)
        # Each of them asks for progress.
        self.assertTrue(ops & {"request progress", "await progress"}, ops)
        self.assertFalse((run / "shrink").exists())
        self.run_it("--plan", str(run / "shrunk.jsonl"), expect=1)
        self.assertEqual(self.verdicts(), {OVERTAKES: "fail"})
        self.assertEqual(self.results()[0].target, self.TARGET)

    def test_runs_that_cannot_be_shrunk_are_refused(self) -> None:
        self.run_it("--filter", OVERTAKES, expect=0)
        run = str(self.latest())
        self.assertIn("no attempt of", self.shrink(run, expect=4).stderr)
        self.assertIn("the folder of a run", self.shrink(str(self.folder), expect=4).stderr)


if __name__ == "__main__":
    main()
