#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the seed decides and what it does not."""

import json
from typing import Any

from tool import RunTest, main


class Seeds(RunTest):
    def run_once(self, seed: str) -> None:
        """What a busy machine leaves undecided has its plan all the same."""
        self.run_it("--target", "embedded", "--seed", seed, "--tries", "1", expect={0, 2})

    def plan(self, seed: str) -> list[Any]:
        self.run_once(seed)
        lines = [json.loads(line) for line in self.plan_lines()]
        steps = [line for line in lines if "op" in line]
        # The writes of a transaction count like any other write.
        inner = [
            {**write, "case": s["case"], "step": s["step"]}
            for s in steps
            for write in s.get("writes", [])
        ]
        return steps + inner

    @staticmethod
    def ordered(steps: list[Any], *wanted: str) -> dict[str, list[Any]]:
        """The values of the wanted fields of all steps, in the order of the plan, per case."""
        return {
            case: [
                step[name]
                for step in steps
                if step["case"] == case
                for name in wanted
                if name in step
            ]
            for case in {step["case"] for step in steps}
        }

    def test_ten_seeds_agree_and_decide_everything_differently(self) -> None:
        plans = [self.plan(f"0x{seed:x}") for seed in range(100, 110)]
        verdicts = self.verdicts()
        # Only etcd can be a cluster.
        self.assertEqual(set(verdicts.values()) - {"unsupported", "inconclusive"}, {"pass"})
        for i, one in enumerate(plans):
            for other in plans[:i]:
                for aspect in (["key"], ["value", "load_seed"], ["op"]):
                    left, right = self.ordered(one, *aspect), self.ordered(other, *aspect)
                    same = [case for case in left if left[case] == right[case]]
                    if aspect != ["op"]:
                        self.assertEqual(same, [], f"{aspect} do not differ")
                    else:
                        self.assertNotEqual(left, right, "the order does not differ")
                faults = [self.fault_times(plan) for plan in (one, other)]
                self.assertNotEqual(faults[0], faults[1], "fault times do not differ")

    @staticmethod
    def fault_times(steps: list[Any]) -> list[Any]:
        return [
            (step["case"], step["step"], step.get("fault"), step.get("us"), step.get("parameters"))
            for step in sorted(steps, key=lambda s: (s["case"], s["step"]))
            if step["op"] in ("inject", "heal", "hold")
        ]

    def test_the_same_seed_plans_the_same_to_the_byte(self) -> None:
        self.run_once("0xabc")
        first = sorted(self.plan_lines()[1:])
        self.run_once("0xABC")
        self.assertEqual(first, sorted(self.plan_lines()[1:]))


if __name__ == "__main__":
    main()
