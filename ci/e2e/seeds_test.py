#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run makes of its seed; what it decides of each case: cases/support/plans_test.cc."""

from tool import RunTest, main


class Seeds(RunTest):
    def plan(self, seed: str) -> list[str]:
        """What a busy machine leaves undecided has its plan all the same."""
        some = ("--filter", "Filtered.*:Unique.*", "--tries", "1")
        self.run_it(*some, "--seed", seed, expect={0, 2})
        lines = self.plan_lines()[1:]
        self.assertTrue(lines)
        return sorted(lines)

    def test_a_seed_plans_the_same_to_the_byte_and_another_one_does_not(self) -> None:
        first = self.plan("0xabc")
        self.assertEqual(first, self.plan("0xABC"))
        self.assertNotEqual(first, self.plan("0xabd"))


if __name__ == "__main__":
    main()
