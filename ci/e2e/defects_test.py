#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Planted defects: each is caught by the guarantees that it declares, or reported as missed."""

import pathlib
import sys
from typing import Any

from tool import SEED, RunTest, listed, main

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "jobs"))

import damage


class Defects(RunTest):
    def mutation(self) -> Any:
        return self.run_json()["mutation"]

    def test_each_is_caught_by_every_guarantee_that_it_declares_and_the_clean_store_is_clean(
        self,
    ) -> None:
        names = {defect.name for defect in listed(self.watchproof, "list", "defects")}
        flags = ["--defects", "all", "--fail-fast", "--keep", "all", *SEED]
        done = self.run_it(*flags, expect={0, 2}, limit=1500)
        table = self.mutation()
        self.assertEqual({row["defect"] for row in table["defects"]}, names)
        for row in table["defects"]:
            self.assertEqual(row["verdict"], "caught", row)
        self.assertEqual(table["clean"], {})
        self.assertIn(f"All of {len(names)} planted defects caught", done.stdout)
        # Every finding follows from the recording: judged again, each recording gives the same.
        counts, problems = damage.check_whole(self.watchproof, self.latest())
        self.assertEqual(problems, [])
        self.assertGreater(counts["same as before"], 5 * len(names))

    def test_a_defect_that_no_chosen_case_can_show_is_reported_as_missed(self) -> None:
        one = "compaction-notice-lost"
        done = self.run_it("--defects", one, "--filter", "Filtered.PutAndDeleteFilters", expect=1)
        self.assertEqual([row["verdict"] for row in self.mutation()["defects"]], ["missed"])
        self.assertIn("Only 0 of 1 planted defect caught", done.stdout)
        self.assertIn("| missed |", (self.latest() / "summary.md").read_text())


if __name__ == "__main__":
    main()
