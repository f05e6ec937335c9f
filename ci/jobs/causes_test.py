#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a maintainer reads of a run: one paragraph per cause, the gravest first."""

import unittest

import causes
from job import reader

WEIGHT = ("Available", "Ordered", "Reliable", "Fields", "Headers")


def failed(case: str, guarantee: str, expected: str, level: str = "must") -> reader.Result:
    finding = reader.Finding(guarantee, expected, "else", level=level)
    return reader.Result(case, "fail", findings=[finding])


class Causes(unittest.TestCase):
    def test_cases_that_differ_in_numbers_and_keys_have_one_cause(self) -> None:
        results = [
            failed("B.Two", "Fields", 'the put of "b" at revision 12'),
            failed("A.One", "Fields", 'the put of "a" at revision 3'),
            failed("C.Three", "Fields", 'the delete of "a" at revision 3'),
        ]
        found = [(guarantee, cases) for guarantee, _, cases, _ in causes.causes(results, WEIGHT)]
        self.assertEqual(found, [("Fields", ["C.Three"]), ("Fields", ["A.One", "B.Two"])])

    def test_what_must_be_comes_before_what_should_be_and_death_before_all(self) -> None:
        results = [
            failed("A.One", "Reliable", "x", "should"),
            failed("A.Two", "Headers", "x"),
            failed("A.Three", "Ordered", "x"),
            failed("A.Four", "Available", "x"),
        ]
        found = [guarantee for guarantee, _, _, _ in causes.causes(results, WEIGHT)]
        self.assertEqual(found, ["Available", "Ordered", "Headers", "Reliable"])

    def test_those_without_a_verdict_are_listed_with_their_reason(self) -> None:
        results = [
            reader.Result(c, "unsupported", reason=f"step {n} of the plan")
            for c, n in (("A.One", 1), ("A.Two", 22))
        ]
        found = list(causes.undecided(results))
        self.assertEqual(found, [("unsupported", "step N of the plan", ["A.One", "A.Two"])])


if __name__ == "__main__":
    unittest.main()
