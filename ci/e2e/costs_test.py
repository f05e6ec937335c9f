#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What clients cost a store: the profile of the cases that measure, and what compares builds."""

import json
import subprocess
import unittest

from tool import BUSY, RunTest, called, main, stock_etcd

ETCD = stock_etcd()
KEPT = "Bounded.MemoryAfterCatchUp"
CANCELLED = "Bounded.CancelledWatches"
LAGGARD = "Available.PutsBesideLaggard"


class Costs(RunTest):
    def asked(self, *words: str, expect: int) -> subprocess.CompletedProcess[str]:
        done = called([self.watchproof, *words], timeout=BUSY * 300, cwd=self.folder)
        self.assertEqual(done.returncode, expect, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def test_results_have_the_figures(self) -> None:
        words = ("--target", "embedded", "--profile", "costs", "--filter", f"{KEPT}:{CANCELLED}")
        self.run_it(*words, expect=0)
        lines = (self.latest() / "results.jsonl").read_text().splitlines()
        for result in map(json.loads, lines):
            measured = {(one["of"], one["beside"]): one for one in result["measured"]}
            burden = (
                "cancelled watches" if result["case"] == CANCELLED else "a watch that has caught up"
            )
            kept = measured[("kept", burden)]
            self.assertEqual(6, len(kept["with"]))
            self.assertEqual(6, len(kept["without"]))
        self.assertEqual(2, len(lines))

    def test_no_other_profile_has_them(self) -> None:
        self.assertIn(
            "only cases that measure are selected",
            self.asked(
                "run", "--target", "embedded", "--filter", "Bounded.Memory*", expect=5
            ).stderr,
        )
        plan = self.asked("run", "--target", "embedded", "--filter", LAGGARD, "--dry-run", expect=0)
        self.assertIn(LAGGARD, plan.stdout)

    @unittest.skipUnless(ETCD, "needs etcd 3.4.23")
    def test_a_watch_far_behind_slows_etcd_down(self) -> None:
        words = ("--target", f"etcd:{ETCD}", "--profile", "costs", "--filter", LAGGARD)
        self.run_it(*words, expect={0, 2})  # known, or not decided beside other work
        result = json.loads((self.latest() / "results.jsonl").read_text())
        self.assertIn(result["verdict"], ("fail", "inconclusive"))
        if result["verdict"] == "fail":
            self.assertIn(22264, result["upstream"])
            self.assertIn(
                "puts per second beside a watch far behind", result["findings"][0]["expected"]
            )

    def test_a_gate_compares_figures(self) -> None:
        words = ("--base", "embedded", "--head", "embedded", "--filter", CANCELLED)
        measures = ("--measure", "memory", "--budget", "4m", "--json")
        outcome = json.loads(self.asked("gate", *words, *measures, expect=0).stdout)
        self.assertEqual("not worse", outcome["verdict"])
        self.assertEqual({"kept"}, {one["of"] for one in outcome["figures"]})
        self.assertIn(
            "expected some of memory,puts,delay",
            self.asked("gate", *words, "--measure", "cpu", expect=4).stderr,
        )
        few = self.asked("gate", *words, "--measure", "memory", "--budget", "1s", expect=2).stdout
        self.assertIn("NEEDS MORE", few)
        self.assertIn(f"more pairs of {CANCELLED}", few)


if __name__ == "__main__":
    main()
