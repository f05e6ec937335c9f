#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports for other tools: unique names, paths that exist in the repository, short lines."""

import json
import pathlib
import xml.etree.ElementTree

from tool import DELETE_AT_FLOOR, OVERTAKES, RunTest, called, document_of, listed, main

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Reports(RunTest):
    def assert_in_repository(self, path: str) -> None:
        self.assertTrue(path.startswith("cases/"), path)
        self.assertTrue((ROOT / path).is_file(), path)

    def test_every_test_of_junit_has_a_unique_name_and_a_file_of_the_repository(self) -> None:
        targets = ["embedded", "embedded+delete-at-floor-lost"]
        self.run_it(
            *(word for target in targets for word in ("--target", target)),
            "--filter",
            f"{DELETE_AT_FLOOR}:{OVERTAKES}",
            "--repeat",
            "2",
            expect=1,
        )
        root = xml.etree.ElementTree.parse(self.latest() / "junit.xml").getroot()
        tests = [
            tuple(test.get(what, "") for what in ("classname", "name", "file"))
            for test in root.iter("testcase")
        ]
        self.assertEqual(len(tests), 2 * 2 * len(targets))
        self.assertEqual(len(set(tests)), len(tests), tests)
        for target in targets:
            self.assertEqual(len([name for _, name, _ in tests if f"[{target}]" in name]), 4)
        for _, _, file in tests:
            self.assert_in_repository(file)
        ctrf = document_of(self.latest() / "ctrf.json")["results"]["tests"]
        for test in ctrf:
            self.assert_in_repository(test["filePath"])

    def test_list_and_explain_name_files_of_the_repository(self) -> None:
        sources = [case.facts["source"] for case in listed(self.watchproof, "list", "cases")]
        self.assertGreater(len(sources), 50)
        for source in sources:
            self.assert_in_repository(source.rsplit(":", 1)[0])
        command = [self.watchproof, "explain", DELETE_AT_FLOOR]
        explained = called(command, check=True)
        self.assertRegex(explained.stdout, r"source +cases/compaction/\w+\.cc:\d+")

    def test_lines_of_results_stay_short_while_findings_have_everything(self) -> None:
        self.run_it(
            "--target",
            "embedded+events-crossed",
            "--filter",
            "Isolated.*:Reliable.*",
            "--keep",
            "all",
            expect=1,
        )
        for line in (self.latest() / "results.jsonl").read_text().splitlines():
            self.assertLess(len(line.encode()), 64 << 10)
            result = json.loads(line)
            findings = self.latest() / result["folder"] / "findings.json"
            found = len(json.loads(findings.read_text()))
            self.assertEqual(len(result["findings"]) + result.get("more_findings", 0), found)

    def test_the_score_of_a_run_names_the_clause_that_each_finding_breaks(self) -> None:
        self.run_it(
            "--target",
            "embedded+delete-at-floor-lost",
            "--filter",
            f"{DELETE_AT_FLOOR}:{OVERTAKES}",
            expect=1,
        )
        badge = self.latest() / "badge.json"
        words = [self.watchproof, "score", str(self.latest())]
        score = json.loads(called([*words, "--json", "--badge", str(badge)], check=True).stdout)
        broken = {one["clause"] for one in score["clauses"] if one["is"] == "broken"}
        results = map(json.loads, (self.latest() / "results.jsonl").read_text().splitlines())
        named = {finding["clause"] for one in results for finding in one["findings"]}
        self.assertEqual(broken, named)
        self.assertTrue(0 < score["points"] < 100, score["points"])
        missing = {one["name"]: set(one["missing"]) for one in score["levels"]}
        self.assertTrue(broken <= missing["Full etcd"], broken)
        self.assertIn("no level", document_of(badge)["message"])
        explained = called([self.watchproof, "explain", broken.pop()], check=True).stdout
        self.assertIn("(clause)", explained)
        text = called(words, check=True).stdout
        self.assertIn("Watch-safe: not reached", text)
        refused = called([self.watchproof, "score"])
        self.assertEqual(refused.returncode, 4)
        self.assertIn("expected a run, or --target", refused.stderr)

    def test_a_published_score_holds_or_is_refuted_by_another_run(self) -> None:
        published = self.folder / "score.json"
        for target, expect in ("embedded", 0), ("embedded+delete-at-floor-lost", 1):
            self.run_it("--target", target, "--filter", DELETE_AT_FLOOR, expect=expect)
            words = [self.watchproof, "score", str(self.latest())]
            if target == "embedded":
                published.write_text(called([*words, "--json"], check=True).stdout)
            done = called([*words, "--verify", str(published)])
            self.assertEqual(done.returncode, expect, done.stdout)
            self.assertIn("It holds." if expect == 0 else "It does not hold", done.stdout)
        document = json.loads(published.read_text())
        self.assertIn("watchproof score --target embedded --seed ", document["replay"])
        published.write_text(json.dumps({**document, "points": 99}))
        refused = called([self.watchproof, "score", "--verify", str(published)])
        self.assertEqual(refused.returncode, 4)
        self.assertIn("points: 99, and ", refused.stderr)

    def test_a_run_without_a_verdict_has_no_score(self) -> None:
        self.run_it("--target", "embedded", "--filter", "Exclusive.Lock", expect=2)
        done = called([self.watchproof, "score", str(self.latest())])
        self.assertEqual(done.returncode, 2)
        self.assertIn("no attempt came to a verdict", done.stderr)


if __name__ == "__main__":
    main()
