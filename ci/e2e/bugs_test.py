#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The answer key: it fits the cases, and verdicts follow from it."""

import re
import unittest

from tool import DELETE_AT_FLOOR, Entry, RunTest, listed, main, stock_etcd

KEY = """
[[signature]]
name = "delete-at-the-floor"
title = "a deletion is lost"

[[bug]]
upstream = [1]
title = "deletes are lost"
cost = "data"
impact = "objects are lost"
affected = ["3.4 {range}"]
signatures = ["delete-at-the-floor"]
source = "a test"
[[bug.shown]]
case = "{case}"
guarantees = ["Reliable", "Settled", "CompactionSurfaced", "Bookmarkable"]
"""


class Bugs(RunTest):
    def listed(self, *words: str) -> list[Entry]:
        return listed(self.watchproof, *words)

    def test_the_key_fits_cases_guarantees_and_defects(self) -> None:
        guarantees = {entry.name for entry in self.listed("list", "guarantees")}
        cases = self.listed("list", "cases")
        names = {entry.name for entry in cases}
        numbers = set()
        for bug in self.listed("bugs"):
            facts = bug.facts
            numbers |= set(re.findall(r"issues/(\d+)", facts["upstream"]))
            self.assertLessEqual(set(filter(None, facts["breaks"].split(", "))), guarantees)
            for shown in filter(None, facts["shown by"].split("; ")):
                self.assertIn(re.split("[ :]", shown)[0], names, bug.name)
        wanted = {
            number
            for entry in cases
            for number in re.findall(r"issues/(\d+)", entry.facts["upstream"])
        }
        wanted |= {
            number
            for entry in self.listed("list", "defects")
            for number in re.findall(r"#(\d+)", entry.facts["upstream"])
        }
        self.assertEqual(wanted - numbers, set(), "a case or a defect is about an unlisted bug")

    def run_with_key(self, bound: str, case: str, expect: int | set[int]) -> str:
        key = self.folder / "key.toml"
        key.write_text(KEY.format(range=bound, case=case))
        return self.run_it(
            "--target",
            f"etcd:{stock_etcd()}",
            "--filter",
            case,
            "--manifest",
            str(key),
            expect=expect,
        ).stdout

    @unittest.skipUnless(stock_etcd(), "needs a stock etcd 3.4.23")
    def test_the_verdict_depends_on_the_range(self) -> None:
        self.assertIn("known", self.run_with_key("< 3.4.24", DELETE_AT_FLOOR, 0))
        self.assertIn(
            "etcd #1 is back, which 3.4.23 has fixed: deletes are lost",
            self.run_with_key("< 3.4.23", DELETE_AT_FLOOR, 1),
        )
        self.assertIn("FAIL", self.run_with_key(">= 3.4.24", DELETE_AT_FLOOR, 1))
        self.assertIn(
            "passes, but 3.4.23 has the bug: deletes are lost",
            self.run_with_key("< 3.4.24", "Settled.RefusedCreate", 6),
        )


if __name__ == "__main__":
    main()
