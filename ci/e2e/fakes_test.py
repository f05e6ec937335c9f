#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A few of the dishonest servers of ci/fakes, with a few cases each: each must be detected.

    fakes_test.py WATCHPROOF DISHONEST_SERVER [unittest arguments]

All of them with the whole suite are a job, ci/jobs/fakes.py.
"""

import json
import os
import pathlib
import sys

from tool import OVERTAKES, RunTest, main

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fakes"))
from outcome import Outcome, Tools, run_fake

STARTS = "CompactionSurfaced.StartAroundFloor"
CANCEL = "Isolated.CancelledNeighbour"
DISHONEST_SERVER = ""


class Fakes(RunTest):
    def run_against(self, behaviour: str, *cases: str) -> Outcome:
        tools = Tools(self.watchproof, DISHONEST_SERVER)
        known = tools.behaviours()
        flags = ["--filter", ":".join(cases), "--jobs", "2"]
        # None of these cases kills the server, so its data may stay in memory.
        return run_fake(
            tools, known[behaviour], self.folder / behaviour, flags, limit=240, more=["--in-memory"]
        )

    def assert_detected(self, behaviour: str, *cases: str) -> None:
        outcome = self.run_against(behaviour, *cases)
        self.assertEqual(outcome.exit_code, 1, outcome.output)
        self.assertEqual(outcome.deceived, [], outcome.output)
        self.assertTrue(outcome.tampered, "it broke nothing, so nothing was tested")
        self.assertEqual(outcome.missing, [], outcome.output)

    def test_an_honest_relay_passes(self) -> None:
        outcome = self.run_against("honest", STARTS, CANCEL, OVERTAKES)
        self.assertEqual(outcome.exit_code, 0, outcome.output)
        self.assertEqual(outcome.passed, {STARTS, CANCEL, OVERTAKES})
        self.assertEqual(outcome.tampered, {})

    def test_a_refusal_without_cause(self) -> None:
        self.assert_detected("refuse-all", STARTS, CANCEL, OVERTAKES)

    def test_an_end_without_compact_revision(self) -> None:
        self.assert_detected("no-compact-revision", STARTS)

    def test_events_that_are_left_out(self) -> None:
        self.assert_detected("drops-events", OVERTAKES, CANCEL)

    def test_a_cancel_that_is_answered_twice(self) -> None:
        self.assert_detected("cancels-twice", CANCEL)

    def test_cancels_that_are_ignored(self) -> None:
        self.assert_detected("never-cancels", CANCEL)

    def test_a_script_that_is_not_carried_out_passes_nowhere(self) -> None:
        steps = [
            {"op": "explored create", "end": "*"},
            {"op": "explored put", "key": "a/1", "times": 3},
            {"op": "explored delete", "key": "a/1"},
            {"op": "explored txn", "then": ["put b"]},
            {"op": "explored compact"},
            {"op": "explored grant", "seconds": 60},
        ]
        first = {"case": "Explored.Ordered_1", "target": "embedded", "seed": "1", "attempt": 1}
        first |= {"steps": len(steps), "converge_us": 1, "shows": "Ordered"}
        plan = self.folder / "script.jsonl"
        plan.write_text("".join(json.dumps(line) + "\n" for line in [first, *steps]))
        honest = f"command:{DISHONEST_SERVER} --in-memory --listen {{host}}:{{port}}"
        self.run_it("--plan", str(plan), "--target", honest, expect=0)
        for call in ("KV/Compact", "KV/Txn", "KV/DeleteRange", "Lease/LeaseGrant"):
            for code, verdict in ((12, "unsupported"), (14, "inconclusive")):
                with self.subTest(call=call, code=code):
                    target = f"{honest} --behaviour refuses --call {call} --code {code}"
                    self.run_it("--plan", str(plan), "--target", target, expect={0, 2})
                    self.assertEqual([one.verdict for one in self.results()], [verdict])


if __name__ == "__main__":
    if len(sys.argv) > 2:
        DISHONEST_SERVER = os.path.abspath(sys.argv.pop(2))
    main()
