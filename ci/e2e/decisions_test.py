#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands that decide between builds: compare, gate."""

import json
import subprocess

from tool import DELETE_AT_FLOOR, OVERTAKES, RunTest, main

LOST = "embedded+delete-at-floor-lost"
KILLED = "Resumable.KillAndRestart"


class Decisions(RunTest):
    def decide(self, *words, expect):
        done = subprocess.run(
            [self.watchproof, *words],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            cwd=self.folder,
        )
        self.assertEqual(done.returncode, expect, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def run_of(self, target, expect):
        self.run_it(
            *("--target", target, "--filter", f"{DELETE_AT_FLOOR}:{OVERTAKES}", "--repeat", "3"),
            expect=expect,
        )
        return str(self.latest().resolve())

    def test_compare_names_what_is_new_and_what_is_gone(self):
        good, bad = self.run_of("embedded", 0), self.run_of(LOST, 1)
        worse = self.decide("compare", good, bad, expect=1).stdout
        self.assertRegex(worse, rf"new failure +{DELETE_AT_FLOOR} +3/3 \(29-100 %\) +0/3")
        self.assertIn(f"--target {LOST} --filter {DELETE_AT_FLOOR}", worse)
        self.assertNotIn(OVERTAKES, worse)
        better = self.decide("compare", bad, good, "--all", expect=0).stdout
        self.assertRegex(better, rf"gone +{DELETE_AT_FLOOR}")
        self.assertRegex(better, rf"as before +{OVERTAKES}")
        table = self.decide("compare", good, bad, "--markdown", expect=1).stdout
        self.assertIn(f"| new failure | {DELETE_AT_FLOOR} | 3/3 (29-100 %) |", table)
        document = json.loads(self.decide("compare", good, bad, "--json", expect=1).stdout)
        changes = {row["case"]: row["change"] for row in document["rows"]}
        self.assertEqual(changes, {DELETE_AT_FLOOR: "new failure", OVERTAKES: "as before"})

    def test_compare_says_what_it_expects(self):
        one = self.run_of("embedded", 0)
        self.assertIn("two runs", self.decide("compare", one, expect=4).stderr)
        self.assertIn("/nowhere", self.decide("compare", one, "/nowhere", expect=4).stderr)
        none = self.decide("compare", one, one, "--case", "No.Such", expect=5)
        self.assertIn("No.Such", none.stderr)

    def gate(self, base, head, *words, expect):
        return self.decide("gate", "--base", base, "--head", head, *words, expect=expect).stdout

    def test_a_gate_over_a_planted_defect_names_the_case_and_draws_it(self):
        filters = ("--filter", f"{DELETE_AT_FLOOR}:{OVERTAKES}")
        text = self.gate("embedded", LOST, *filters, "--budget", "2m", expect=1)
        self.assertIn("WORSE", text)
        failed = r"failed +in (\d+) of \1 on the head, in 0 of"
        self.assertRegex(text, rf"{DELETE_AT_FLOOR}\n +{failed}")
        self.assertIn(f"repeat     {self.watchproof} run --target {LOST} --filter", text)
        run = self.folder / "watchproof-runs" / "latest"
        self.assertTrue((run / "worse.svg").read_text().startswith("<svg"))
        found = json.loads((run / "gate.json").read_text())
        self.assertEqual(found["verdict"], "worse")
        self.assertGreaterEqual(found["evidence"], 200)
        self.assertEqual([one["case"] for one in found["worse"]], [DELETE_AT_FLOOR])

    def test_a_gate_over_an_unchanged_build_says_what_is_excluded(self):
        filters = ("--filter", f"{DELETE_AT_FLOOR}:{OVERTAKES}", "--no-explore", "--budget", "15s")
        text = self.gate("embedded", "embedded", *filters, expect=0)
        self.assertIn("NOT WORSE", text)
        self.assertIn("of each of 2 cases (95 % confidence)", text)
        self.assertIn("fails in 10 % of its attempts: found by", text)

    def test_a_gate_explores_the_head_with_the_base_as_control(self):
        words = ("--filter", OVERTAKES, "--budget", "3m", "--json", "--seed", "0x5")
        found = json.loads(self.gate("embedded", "embedded+filter-ignored", *words, expect=1))
        self.assertEqual(found["worse"], [])
        self.assertEqual(found["scripts"][0]["guarantee"], "Filtered")
        self.assertGreaterEqual(found["scripts"][0]["pairs"]["against"], 12)
        replay = found["scripts"][0]["replay"].split()[1:]
        self.decide(*replay, expect=1)

    def test_what_only_the_base_decides_needs_more(self):
        head = f"command:{self.watchproof} store --listen {{host}}:{{port}}"
        words = ("--filter", f"{KILLED}:{OVERTAKES}", "--no-explore", "--budget", "30s")
        text = self.gate("embedded", head, *words, expect=2)
        self.assertIn("NEEDS MORE", text)
        self.assertIn(f"{KILLED}: decided on the base, and in none of 4 attempts", text)

    def test_a_gate_says_what_it_expects(self):
        for words, expect, said in (
            (("--base", "embedded", "--head", "nonsense"), 4, "nonsense"),
            (("--base", "embedded", "--head", "embedded", "--budget", "soon"), 4, "soon"),
            (("--base", "embedded", "--head", "etcd@3.5.999"), 3, "3.5.999"),
            (("--base", "embedded", "--head", "embedded", "--filter", "No.Such"), 5, "none of"),
        ):
            self.assertIn(said, self.decide("gate", *words, expect=expect).stderr)
        words = ("--base", "embedded", "--head", LOST, "--dry-run", "--profile", "quick")
        plan = self.decide("gate", *words, expect=0)
        self.assertIn("fails in 100 % of its attempts: found by 100 of 100", plan.stdout)


if __name__ == "__main__":
    main()
