#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Scripts on a cluster: each step at a member, and what befalls the cluster meanwhile."""

import json
import re
import unittest

from tool import BUSY, RunTest, called, main, stock_etcd

STEPS: list[dict[str, object]] = [
    {"op": "explored at_member", "member": 2},
    {"op": "explored create", "end": "*"},
    {"op": "explored put", "key": "a/1", "times": 3},
    {"op": "explored disturb", "how": "isolate", "member": 3},
    {"op": "explored put", "key": "a/1", "times": 20},
    {"op": "explored at_member", "member": 3},
    {"op": "explored get", "end": "*", "serializable": True},
    {"op": "explored put", "key": "b"},
    {"op": "explored calm"},
    {"op": "explored disturb", "how": "lead", "member": 2},
    {"op": "explored disturb", "how": "pause", "member": 3},
    {"op": "explored put", "key": "b"},
    {"op": "explored calm"},
    {"op": "explored resume"},
    {"op": "explored get", "end": "*"},
]


class Clusters(RunTest):
    def of(self, *words: str, expect: int | set[int]) -> str:
        codes = expect if isinstance(expect, set) else {expect}
        done = called([self.watchproof, *words], cwd=self.folder, timeout=BUSY * 200)
        self.assertIn(done.returncode, codes, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def plan(self, *steps: dict[str, object]) -> str:
        head = {
            "case": "Explored.Reliable_000001",
            "target": "embedded",
            "seed": "0x1",
            "attempt": 1,
            "steps": len(steps),
            "converge_us": 10000000,
            "shows": "Reliable",
        }
        file = self.folder / "plan.jsonl"
        file.write_text("".join(json.dumps(line) + "\n" for line in (head, *steps)))
        return str(file)

    def verdict(self, plan: str, target: str, expect: int) -> str:
        words = ("run", "--plan", plan, "--target", target, "--run-dir", "runs", "--keep", "all")
        self.of(*words, expect=expect)
        (result,) = self.results()
        return result.verdict

    def test_a_single_server_is_no_cluster(self) -> None:
        self.assertEqual(self.verdict(self.plan(*STEPS), "embedded", 2), "unsupported")

    def test_what_is_no_member_is_refused(self) -> None:
        bad = self.plan({"op": "explored disturb", "how": "pause", "member": 1})
        done = called([self.watchproof, "run", "--plan", bad], cwd=self.folder, timeout=BUSY * 60)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("the first member is neither isolated nor paused", done.stderr)

    @unittest.skipUnless(stock_etcd(), "needs the etcd of Debian 12")
    def test_a_script_is_carried_out_at_the_members_that_it_names(self) -> None:
        cluster = f"etcd:{stock_etcd()},members=3"
        self.assertEqual(self.verdict(self.plan(*STEPS), cluster, 0), "pass")
        recording = str(next(self.latest().glob("cases/*/*/*")))
        dumped = self.of("history", "dump", recording, expect=0)
        faults = re.findall(r'"fault\\":\\"([a-z-]+)\\",\\"phase\\":\\"healed', dumped)
        self.assertEqual(faults, ["isolate", "move-leader", "pause"])
        self.assertIn('"client":"script 1 at 2"', dumped)
        self.assertIn('"client":"script 1 at 3"', dumped)
        self.assertEqual(dumped.count("history_hash"), 3)

    @unittest.skipUnless(stock_etcd(), "needs the etcd of Debian 12")
    def test_scripts_are_explored_side_by_side(self) -> None:
        said = self.of(
            *("explore", "--target", f"etcd:{stock_etcd()},members=3"),
            *("--scripts", "80", "--seed", "3", "--run-dir", "runs"),
            expect={0, 1},
        )
        self.assertRegex(said, r"80 scripts on \d clusters of 3")
        self.assertRegex(said, r"events     .*(isolate|move-leader|pause) [1-9]")


if __name__ == "__main__":
    main()
