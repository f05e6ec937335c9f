#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Truncated or damaged recordings are never judged as complete."""

import pathlib
import sys

from tool import DELETE_AT_FLOOR, RunTest, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ci" / "jobs"))

import damage


class Damage(RunTest):
    def assert_noticed(self, recordings: list[pathlib.Path]) -> None:
        copies = 0
        for recording in recordings:
            counts, problems = damage.damage(self.watchproof, recording)
            self.assertEqual(problems, [])
            copies += counts["copies"]
        self.assertEqual(copies, 220 * len(recordings))

    def test_recordings_of_the_repository(self) -> None:
        for folder, count in (("histories", 10), ("failures", 20)):
            found = damage.recordings_in(ROOT / "fixtures" / folder)
            self.assertGreaterEqual(len(found), count)
            self.assert_noticed(found)

    def test_new_recordings(self) -> None:
        one = "delete-at-floor-lost"
        self.run_it(
            "--defects", one, "--filter", DELETE_AT_FLOOR, "--keep", "all", "--seed", "1", expect=0
        )
        counts, problems = damage.check_whole(self.watchproof, self.latest())
        self.assertEqual(problems, [])
        self.assertEqual(dict(counts), {"same as before": 2})
        self.assert_noticed(damage.recordings_in(self.latest()))


if __name__ == "__main__":
    main()
