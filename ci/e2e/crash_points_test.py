#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`explore --crash-points`: every call to its disk at which a server may be killed."""

import re
import unittest

from found_test import cached
from tool import BUSY, RunTest, called, main


class CrashPoints(RunTest):
    def of(self, *words: str, expect: int | set[int]) -> str:
        codes = expect if isinstance(expect, set) else {expect}
        done = called([self.watchproof, *words], cwd=self.folder, timeout=BUSY * 120)
        if "unsupported: " in done.stderr:
            self.skipTest(done.stderr)
        self.assertIn(done.returncode, codes, f"{words}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def test_a_store_that_keeps_its_promises(self) -> None:
        said = self.of(
            "explore", "--crash-points", "--target", "embedded", "--time-budget", "5s", expect=0
        )
        met = re.search(r"^(\d+) crash points", said, re.MULTILINE)
        assert met is not None, said
        self.assertGreater(int(met[1]), 10, said)
        self.assertRegex(said, r"\d+ at the (write|sync) of .*store\.mdb")
        self.assertEqual(list(self.folder.rglob("*.removed")), [])

    def test_a_store_that_answers_before_it_syncs_is_found_and_the_point_shrinks(self) -> None:
        target = "embedded+answered-before-sync"
        said = self.of(
            "explore",
            *("--crash-points", "--target", target, "--scripts", "24", "--keep", "found"),
            expect=1,
        )
        self.assertIn("looks like etcd #14370", said)
        kept = next(self.folder.glob("found/*.jsonl"))
        head, point, *rest = kept.read_text().splitlines()
        self.assertIn("crash_point", point)
        head = head.replace(f'"steps":{1 + len(rest)}', f'"steps":{2 + len(rest)}')
        longer = self.folder / "longer.jsonl"
        longer.write_text("\n".join([head, point, *rest, '{"op":"explored defragment"}', ""]))
        self.of("shrink", str(longer), expect=0)
        shrunk = (self.folder / "longer-shrunk.jsonl").read_text()
        self.assertIn("crash_point", shrunk)
        self.assertNotIn("defragment", shrunk)

    def test_a_kept_point_is_a_plan(self) -> None:
        """The embedded store passes it; a point that is never reached proves nothing."""
        for nth, verdict in (("3", "pass"), ("100000", "inconclusive")):
            plan = self.folder / "plan.jsonl"
            plan.write_text(
                '{"case":"Explored.Durable_000001","target":"embedded","seed":"0x1","attempt":1,'
                '"steps":3,"converge_us":10000000,"shows":"Durable"}\n'
                '{"op":"explored crash_point","nth":' + nth + ',"how":"power"}\n'
                '{"op":"explored put","key":"a/1","times":3}\n'
                '{"op":"explored defragment"}\n'
            )
            code = 0 if verdict == "pass" else 2
            self.of("run", "--plan", str(plan), "--run-dir", "runs", "--tries", "1", expect=code)
            self.assertEqual([result.verdict for result in self.results()], [verdict])

    def test_a_point_that_is_met_while_the_server_starts_again(self) -> None:
        """One of these numbers is the first write after the restart of the script."""
        for nth in range(20, 29):
            plan = self.folder / "plan.jsonl"
            plan.write_text(
                '{"case":"Explored.Available_000001","target":"embedded","seed":"0x1","attempt":1,'
                '"steps":4,"converge_us":10000000,"shows":"Available"}\n'
                f'{{"op":"explored crash_point","nth":{nth},"how":"torn"}}\n'
                '{"op":"explored put","key":"a/1","times":5}\n'
                '{"op":"explored crash"}\n'
                '{"op":"explored put","key":"a/1","times":2}\n'
            )
            self.of("run", "--plan", str(plan), "--run-dir", "runs", "--tries", "1", expect=0)
            self.assertEqual([result.verdict for result in self.results()], ["pass"], nth)

    @unittest.skipUnless(cached("3.5.0"), "needs etcd 3.5.0 cached")
    def test_a_release_that_answers_before_it_has_synced(self) -> None:
        said = self.of(
            "explore",
            *("--crash-points", "--target", "etcd@3.5.0", "--scripts", "24", "--seed", "0x1"),
            expect={0, 1},
        )
        self.assertIn("etcd #14370", said)

    def test_wrong_use_is_refused(self) -> None:
        for words, says in (
            (("--virtual",), "--crash-points is for --target"),
            (("--target", "embedded", "--exhaustive", "2"), "--crash-points is for --target"),
        ):
            done = called([self.watchproof, "explore", "--crash-points", *words], cwd=self.folder)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(says, done.stderr)


if __name__ == "__main__":
    main()
