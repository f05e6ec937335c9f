#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recordings that are cut off or damaged are never judged as if they were whole."""

import pathlib
import sys

from tool import DELETE_AT_FLOOR, RunTest, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ci" / "jobs"))

import damage  # noqa: E402


class Damage(RunTest):
    def assert_noticed(self, recordings):
        copies = 0
        for recording in recordings:
            counts, problems = damage.damage(self.watchproof, recording)
            self.assertEqual(problems, [])
            copies += counts["copies"]
        self.assertEqual(copies, 220 * len(recordings))

    def test_of_the_recordings_of_good_and_bad_servers_that_are_kept_here(self):
        for folder, count in (("histories", 10), ("failures", 20)):
            found = damage.recordings_in(ROOT / "fixtures" / folder)
            self.assertGreaterEqual(len(found), count)
            self.assert_noticed(found)

    def test_of_recordings_made_now_which_are_judged_as_they_were_while_they_are_whole(self):
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
