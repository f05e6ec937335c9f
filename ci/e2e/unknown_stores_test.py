#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stores of which nothing is known, and programs that are no store: what they answer is judged, and
is never an error of watchproof.

    unknown_stores_test.py WATCHPROOF DISHONEST_SERVER [unittest arguments]

Every call with every status is a job, ci/jobs/unknown_stores.py.
"""

import os
import pathlib
import shlex
import sys
from collections.abc import Sequence

from tool import Result, RunTest, main

FAKES = pathlib.Path(__file__).resolve().parents[1] / "fakes"
FLOOR = "CompactionSurfaced.StartAroundFloor"
CANCEL = "Isolated.CancelledNeighbour"
INTERNAL = "13"
PROMISE = "StandingPromises."
DISHONEST_SERVER = ""


class UnknownStores(RunTest):
    def fake(self, behaviour: str, *words: str) -> str:
        command = shlex.join([DISHONEST_SERVER, "--behaviour", behaviour, *words, "--in-memory"])
        return f"command:{command} --listen {{host}}:{{port}}"

    def run_on(
        self,
        targets: list[str],
        *flags: str,
        expect: int | set[int],
        cases: Sequence[str] = (FLOOR, CANCEL),
    ) -> tuple[str, list[Result]]:
        named = [word for target in targets for word in ("--target", target)]
        done = self.run_it(*named, "--filter", ":".join(cases), *flags, expect=expect)
        return done.stdout, self.results()

    def test_a_compaction_that_is_refused_is_not_offered(self) -> None:
        _, results = self.run_on(
            [self.fake("refuses", "--call", "KV/Compact", "--code", INTERNAL)], expect=0
        )
        self.assertEqual(self.verdicts(results), {FLOOR: "unsupported", CANCEL: "pass"})
        reason = next(one.reason for one in results if one.case == FLOOR)
        self.assertIn("does not offer a compaction: ", reason)
        self.assertIn("not of this store (internal)", reason)

    def test_a_compaction_that_is_promised_and_refused_is_a_finding(self) -> None:
        _, results = self.run_on(
            [self.fake("refuses", "--call", "KV/Compact", "--code", INTERNAL)],
            "--target-profile",
            "etcd",
            expect=1,
        )
        self.assertEqual(self.verdicts(results), {FLOOR: "fail", CANCEL: "pass"})

    def test_a_store_without_writes_or_readable_answers_offers_nothing_to_judge(self) -> None:
        targets = [
            self.fake("refuses", "--call", call, "--code", INTERNAL)
            for call in ("KV/Put", "KV/Range")
        ]
        targets.append(self.fake("garbles", "--call", "KV/Range"))
        _, results = self.run_on(targets, expect=2, cases=(CANCEL,))
        self.assertEqual([one.verdict for one in results], 3 * ["unsupported"], results)

    def test_a_broken_promise_about_no_watch_is_one_failure(self) -> None:
        out, results = self.run_on(
            [self.fake("leaves-out", "--field", "count")], "--target-profile", "etcd", expect=1
        )
        own = {
            name: verdict
            for name, verdict in self.verdicts(results).items()
            if not name.startswith(PROMISE)
        }
        self.assertEqual(own, {FLOOR: "pass", CANCEL: "pass"})
        self.assertEqual(self.verdicts(results)[PROMISE + "read-of-every-key"], "fail")
        self.assertIn("standing promise: a read of every key", out)
        self.assertIn("in 2 of 2 cases", out)

    def test_what_is_no_store_is_no_target(self) -> None:
        echo = shlex.join([sys.executable, str(FAKES / "echo_server.py")])
        targets = [
            f"command:{echo} {{host}} {{port}}",
            f"command:{sys.executable} -m http.server --bind {{host}} {{port}}",
        ]
        out, _ = self.run_on(targets, expect=3, cases=(CANCEL,))
        self.assertEqual(out.count("but answered no gRPC"), 2, out)

    def test_a_target_that_never_starts_is_given_up(self) -> None:
        out, results = self.run_on(
            [self.fake("refuses")], "--repeat", "20", "--jobs", "2", expect=3, cases=(CANCEL,)
        )
        self.assertLess(len(results), 12)
        self.assertIn("is no store: it has neither", results[0].reason)
        self.assertIn(f"{20 - len(results)} not run", out)


if __name__ == "__main__":
    if len(sys.argv) > 2:
        DISHONEST_SERVER = os.path.abspath(sys.argv.pop(2))
    main()
