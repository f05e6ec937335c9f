#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cases as GoogleTest tests: watchproof_gtest, and the example's own test program.

gtest_test.py WATCHPROOF WATCHPROOF_GTEST SCRIPTED_GTEST EXAMPLE [unittest arguments]
"""

import os
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

from tool import BUSY, DELETE_AT_FLOOR, FULL_QUEUE, OVERTAKES, RunTest, called, main, stock_etcd

GTEST = SCRIPTED = EXAMPLE = ""
SOURCES = pathlib.Path(__file__).resolve().parents[1] / "examples" / "gtest"


class GoogleTest(RunTest):
    def run_gtest(
        self,
        program: str,
        *arguments: str,
        expect: int | set[int],
        more: dict[str, str] | None = None,
    ) -> dict[str, tuple[str, list[str]]]:
        """The tests of the program: name -> (what became of it, all texts)."""
        xml = self.folder / "out.xml"
        done = called(
            [program, f"--gtest_output=xml:{xml}", *arguments],
            cwd=self.folder,
            env={**os.environ, **(more or {})},
            timeout=BUSY * 300,
        )
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        tests = {}
        for test in ElementTree.parse(xml).getroot().iter("testcase"):
            texts = [part.get("message", "") for part in test if part.tag in ("failure", "skipped")]
            what = "failed" if test.find("failure") is not None else test.get("result", "")
            tests[f"{test.get('classname')}.{test.get('name')}"] = (what, texts)
        return tests

    def test_a_pass_a_failure_per_finding_and_the_repeat_command(self) -> None:
        broken = "embedded+compaction-notice-lost"
        tests = self.run_gtest(
            GTEST,
            "--target",
            "embedded",
            "--target",
            broken,
            f"--gtest_filter=*/{FULL_QUEUE}",
            expect=1,
        )
        self.assertEqual(tests.pop(f"embedded/{FULL_QUEUE}"), ("completed", []))
        ((name, (what, texts)),) = tests.items()
        self.assertEqual(name, f"embedded_compaction_notice_lost/{FULL_QUEUE}")
        self.assertEqual(what, "failed")
        (result,) = [r for r in self.results() if r.verdict == "fail"]
        self.assertEqual(len(texts), len(result.findings))
        self.assertIn("cases/compaction/full_queue.cc", texts[0])
        self.assertIn(result.findings[0].observed, texts[0])
        again = texts[0].split("repeat: ")[1].split()
        self.assertEqual(
            subprocess.run(again, cwd=self.folder, capture_output=True, check=False).returncode, 1
        )

    def latest(self) -> pathlib.Path:
        return self.folder / "watchproof-runs" / "latest"

    def test_every_verdict(self) -> None:
        expected = {
            "Ends.Passes": "completed",
            "Ends.Fails": "failed",
            "Ends.Inconclusive": "skipped",
            "Ends.Unsupported": "skipped",
            "Ends.HarnessError": "failed",
            "Ends.WithoutTarget": "failed",
            "Breaks.Crashes": "failed",
        }
        flags = "--gtest_filter=" + ":".join("*/" + name for name in expected)
        tests = self.run_gtest(SCRIPTED, flags, expect=1)
        self.assertEqual({name.split("/")[1]: what for name, (what, _) in tests.items()}, expected)
        self.assertIn("inconclusive: as scripted", tests["embedded/Ends.Inconclusive"][1][0])
        self.assertIn("harness error", tests["embedded/Breaks.Crashes"][1][0])
        tests = self.run_gtest(
            SCRIPTED, "--gtest_filter=*.Inconclusive", "--inconclusive", "fail", expect=1
        )
        self.assertEqual(tests["embedded/Ends.Inconclusive"][0], "failed")

    def test_google_test_selects_and_shards(self) -> None:
        listed = called(
            [GTEST, "--gtest_list_tests", "--gtest_filter=*/Resumable.*"],
            cwd=self.folder,
            check=True,
        ).stdout
        # Nothing behind a name: CMake would take it for a part of the name.
        self.assertIn("embedded/Resumable.\n", listed)
        self.assertIn("\n  ConnectionReset\n", listed)
        # Nothing is run for a list, so nothing is written.
        self.assertEqual(list(self.folder.iterdir()), [])
        shards = []
        for index in (0, 1):
            shard = {
                "GTEST_TOTAL_SHARDS": "2",
                "GTEST_SHARD_INDEX": str(index),
                "GTEST_FILTER": "*/Ends.Pass*:*/Ends.Un*",
            }
            tests = self.run_gtest(SCRIPTED, expect=0, more=shard)
            shards.append({name for name, (what, _) in tests.items() if what != "suppressed"})
        self.assertFalse(shards[0] & shards[1])
        self.assertEqual(
            shards[0] | shards[1], {"embedded/Ends.Passes", "embedded/Ends.Unsupported"}
        )
        self.assertTrue(shards[0] and shards[1])

    def test_a_wrong_flag_is_4(self) -> None:
        done = called([GTEST, "--target", "nonsense"])
        self.assertEqual(done.returncode, 4)
        self.assertIn("nonsense", done.stderr)

    def test_the_example_judges_a_store_of_its_own(self) -> None:
        store = f"command:{self.watchproof} store --listen {{host}}:{{port}}"
        filters = f"--gtest_filter=MyStore.*:*/{DELETE_AT_FLOOR}:*/{OVERTAKES}"
        stores = [store, "embedded"] + ([f"etcd:{stock_etcd()}"] if stock_etcd() else [])
        for target in stores:
            with self.subTest(target=target):
                tests = self.run_gtest(EXAMPLE, filters, expect=0, more={"MYSTORE": target})
                ended = [what for what, _ in tests.values()]
                self.assertEqual(len(tests), 3)
                # Debian's etcd has two known failures there.
                skipped = 2 if target.startswith("etcd:") else 0
                self.assertEqual(ended.count("skipped"), skipped, tests)
                self.assertEqual(ended.count("completed"), 3 - skipped, tests)

    def test_the_example_is_a_project_of_its_own(self) -> None:
        build = self.folder / "build"
        subprocess.run(
            ["cmake", "-G", "Ninja", "-S", SOURCES, "-B", build], check=True, capture_output=True
        )
        # Its one source file; what it links is what the program above has linked.
        subprocess.run(
            ["ninja", "-C", build, "CMakeFiles/mystore_test.dir/main.cc.o"],
            check=True,
            capture_output=True,
        )
        commands = called(["ninja", "-C", build, "-t", "commands"], check=True).stdout
        self.assertIn("-o mystore_test", commands)
        self.assertNotIn("_test.cc", commands, "watchproof's own tests are left out")


if __name__ == "__main__":
    if len(sys.argv) > 4:
        GTEST, SCRIPTED, EXAMPLE = (os.path.abspath(sys.argv.pop(2)) for _ in range(3))
    main()
