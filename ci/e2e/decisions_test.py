#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands that decide between builds: compare."""

import json
import subprocess

from tool import DELETE_AT_FLOOR, OVERTAKES, RunTest, main

LOST = "embedded+delete-at-floor-lost"


class Decisions(RunTest):
    def decide(self, *words, expect):
        done = subprocess.run(
            [self.watchproof, *words], capture_output=True, text=True, timeout=300, check=False
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


if __name__ == "__main__":
    main()
