#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What runs wrote, as the jobs see it."""

import json
import pathlib
import tempfile
import unittest

from reader import FILE, Entry, Finding, Receipt, all_findings, results_of

FOUND = {"guarantee": "Ordered", "expected": "a", "observed": "b", "watch": "w", "evidence": [1]}


class Reader(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, *results: object) -> None:
        (self.folder / FILE).write_text("".join(json.dumps(one) + "\n" for one in results))

    def test_a_run_without_results_has_none(self) -> None:
        self.assertEqual(results_of(self.folder), [])

    def test_a_name_may_have_no_facts(self) -> None:
        entry = Entry.of({"kind": "fault", "name": "ring", "explain": "each"})
        self.assertEqual(entry.facts, {})

    def test_what_is_missing_has_a_default_and_what_is_unknown_is_skipped(self) -> None:
        receipts = [{"fault": "stall", "fired": True, "required": True, "text": "so"}]
        counts = [{"layer": "wire", "counted": {"creates": 2}}]
        self.write(
            {"case": "A.B", "verdict": "pass", "new": 1},
            {"case": "C.D", "verdict": "fail", "findings": [FOUND], "receipts": receipts}
            | {"counts": counts, "seconds": 1.5},
        )
        first, second = results_of(self.folder)
        self.assertEqual((first.case, first.verdict, first.findings), ("A.B", "pass", []))
        self.assertEqual(second.findings, [Finding("Ordered", "a", "b", "w", level="must")])
        self.assertEqual(second.receipts, [Receipt("stall", fired=True, required=True)])
        self.assertEqual((second.counts, second.seconds), ({"wire": {"creates": 2}}, 1.5))

    def test_findings_that_a_line_has_no_room_for_are_in_a_file(self) -> None:
        self.write(
            {"case": "A.B", "verdict": "fail", "findings": [FOUND], "folder": "f"}
            | {"more_findings": 1}
        )
        (self.folder / "f").mkdir()
        (self.folder / "f" / "findings.json").write_text(json.dumps([FOUND, FOUND]))
        (result,) = results_of(self.folder)
        self.assertEqual(len(all_findings(self.folder, result)), 2)


if __name__ == "__main__":
    unittest.main()
