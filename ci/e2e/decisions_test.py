#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands that decide between builds: compare, gate, bisect, power."""

import json
import os
import pathlib
import subprocess
import unittest

from tool import BUSY, DELETE_AT_FLOOR, OVERTAKES, RunTest, called, document_of, main

LOST = "embedded+delete-at-floor-lost"
KILLED = "Resumable.KillAndRestart"
CACHE = pathlib.Path(
    os.environ.get("WATCHPROOF_CACHE") or pathlib.Path.home() / ".cache" / "watchproof"
)
LOST_DELETE = ("3.5.15", "3.5.16")  # with and without etcd #18089


def cached(*versions: str) -> bool:
    return all((CACHE / "releases" / "etcd" / version / "etcd").is_file() for version in versions)


class Decisions(RunTest):
    def decide(self, *words: str, expect: int | set[int]) -> subprocess.CompletedProcess[str]:
        done = called([self.watchproof, *words], timeout=BUSY * 300, cwd=self.folder)
        expected = expect if isinstance(expect, set) else {expect}
        self.assertIn(done.returncode, expected, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def run_of(self, target: str, expect: int | set[int]) -> str:
        self.run_it(
            *("--target", target, "--filter", f"{DELETE_AT_FLOOR}:{OVERTAKES}", "--repeat", "3"),
            expect=expect,
        )
        return str(self.latest().resolve())

    def test_compare_names_what_is_new_and_what_is_gone(self) -> None:
        good, bad = self.run_of("embedded", 0), self.run_of(LOST, 1)
        worse = self.decide("compare", good, bad, expect=1).stdout
        self.assertRegex(worse, rf"new failure +{DELETE_AT_FLOOR} +3/3 \(29-100 %\) +0/3")
        self.assertIn(f"--target {LOST} --filter {DELETE_AT_FLOOR}", worse)
        self.assertNotIn(OVERTAKES, worse)
        better = self.decide("compare", bad, good, "--all", expect=0).stdout
        self.assertRegex(better, rf"gone +{DELETE_AT_FLOOR}")
        self.assertRegex(better, rf"as before +{OVERTAKES}")
        table = self.decide("compare", good, bad, "--markdown", expect=1).stdout
        self.assertIn(f"| new failure | {DELETE_AT_FLOOR} | 3/3 (29-100 %) |", table)
        document = json.loads(self.decide("compare", good, bad, "--json", expect=1).stdout)
        changes = {row["case"]: row["change"] for row in document["rows"]}
        self.assertEqual(changes, {DELETE_AT_FLOOR: "new failure", OVERTAKES: "as before"})

    def test_compare_says_what_it_expects(self) -> None:
        one = self.run_of("embedded", 0)
        self.assertIn("two runs", self.decide("compare", one, expect=4).stderr)
        self.assertIn("/nowhere", self.decide("compare", one, "/nowhere", expect=4).stderr)
        none = self.decide("compare", one, one, "--case", "No.Such", expect=5)
        self.assertIn("No.Such", none.stderr)

    def gate(self, base: str, head: str, *words: str, expect: int | set[int]) -> str:
        return self.decide("gate", "--base", base, "--head", head, *words, expect=expect).stdout

    def gate_within(self, budgets: tuple[str, ...], found: str, *words: str, expect: int) -> str:
        """The text of the first budget that was enough on this machine, however busy it is."""
        for budget in budgets[:-1]:
            text = self.gate(*words, "--budget", budget, expect={expect, 2})
            if found in text:
                return text
        return self.gate(*words, "--budget", budgets[-1], expect=expect)

    def test_a_gate_over_a_planted_defect_names_the_case_and_draws_it(self) -> None:
        # Drawn scripts would find it, too, and with luck before the case does.
        filters = ("--filter", f"{DELETE_AT_FLOOR}:{OVERTAKES}", "--no-explore")
        text = self.gate("embedded", LOST, *filters, "--budget", "2m", expect=1)
        self.assertIn("WORSE", text)
        failed = r"failed +in (\d+) of \1 on the head, in 0 of"
        self.assertRegex(text, rf"{DELETE_AT_FLOOR}\n +{failed}")
        self.assertIn(f"repeat     {self.watchproof} run --target {LOST} --filter", text)
        run = self.folder / "watchproof-runs" / "latest"
        self.assertTrue((run / "worse.svg").read_text().startswith("<svg"))
        found = document_of(run / "gate.json")
        self.assertEqual(found["verdict"], "worse")
        self.assertGreaterEqual(found["evidence"], 200)
        self.assertEqual([one["case"] for one in found["worse"]], [DELETE_AT_FLOOR])

    def test_a_gate_over_an_unchanged_build_says_what_is_excluded(self) -> None:
        filters = ("--filter", f"{DELETE_AT_FLOOR}:{OVERTAKES}", "--no-explore", "--verbose")
        text = self.gate_within(
            ("15s", "45s", "150s"), "NOT WORSE", "embedded", "embedded", *filters, expect=0
        )
        self.assertIn("NOT WORSE", text)
        self.assertIn("of each of 2 cases (95 % confidence)", text)
        self.assertIn("fails in 10 % of its attempts: found by", text)

    def test_a_gate_explores_the_head_with_the_base_as_control(self) -> None:
        words = ("--filter", OVERTAKES, "--budget", "3m", "--json", "--seed", "0x5")
        found = json.loads(self.gate("embedded", "embedded+filter-ignored", *words, expect=1))
        self.assertEqual(found["worse"], [])
        self.assertEqual(found["scripts"][0]["guarantee"], "Filtered")
        self.assertGreaterEqual(found["scripts"][0]["pairs"]["against"], 12)
        replay = found["scripts"][0]["replay"].split()[1:]
        self.decide(*replay, expect=1)

    def test_what_only_the_base_decides_needs_more(self) -> None:
        head = f"command:{self.watchproof} store --listen {{host}}:{{port}}"
        words = ("--filter", f"{KILLED}:{OVERTAKES}", "--no-explore")
        reason = f"{KILLED}: decided on the base, and in none of 4 attempts"
        text = self.gate_within(("30s", "150s"), reason, "embedded", head, *words, expect=2)
        self.assertIn("NEEDS MORE", text)
        self.assertIn(reason, text)

    def test_a_gate_says_what_it_expects(self) -> None:
        for words, expect, said in (
            (("--base", "embedded", "--head", "nonsense"), 4, "nonsense"),
            (("--base", "embedded", "--head", "embedded", "--budget", "soon"), 4, "soon"),
            (("--base", "embedded", "--head", "etcd@3.5.999"), 3, "3.5.999"),
            (("--base", "embedded", "--head", "embedded", "--filter", "No.Such"), 5, "none of"),
        ):
            self.assertIn(said, self.decide("gate", *words, expect=expect).stderr)
        quick = ("--base", "embedded", "--head", LOST, "--dry-run", "--profile", "quick")
        plan = self.decide("gate", *quick, expect=0)
        self.assertIn("fails in 100 % of its attempts: found by 100 of 100", plan.stdout)

    def test_bisect_finds_the_step_among_targets(self) -> None:
        among = ["embedded", "embedded+filter-ignored", LOST, f"{LOST}+filter-ignored"]
        done = self.decide("bisect", "--case", DELETE_AT_FLOOR, "--among", *among, expect=0)
        self.assertIn("last good  embedded+filter-ignored\n", done.stdout)
        self.assertIn(f"first bad  {LOST}\n", done.stdout)
        same = self.decide(
            "bisect", "--case", DELETE_AT_FLOOR, "--among", "embedded", among[1], expect=2
        )
        self.assertIn("does not show", same.stderr)

    def git(self, repository: pathlib.Path, *words: str) -> None:
        names = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", "-C", repository, *names, *words], check=True, capture_output=True)

    def test_bisect_builds_revisions_and_skips_those_that_do_not_build(self) -> None:
        repository = self.folder / "repository"
        repository.mkdir()
        self.git(repository, "init", "--quiet")
        broken = "--defect delete-at-floor-lost"
        for number, flags in enumerate(["", "", "exit", broken, broken]):
            (repository / "store").write_text(f"{number} {flags}")
            self.git(repository, "add", "store")
            self.git(repository, "commit", "--quiet", "--message", f"change {number}")
            self.git(repository, "tag", f"r{number}")
        built = self.folder / "store.sh"
        build = (
            f'read number flags < store; [ "$flags" != exit ] && '
            f'echo "exec {self.watchproof} store --listen \\$1 $flags" > {built}'
        )
        words = ("--good", "r0", "--bad", "r4", "--repository", str(repository), "--build", build)
        target = ("--target", f"command:sh {built} {{host}}:{{port}}")
        done = self.decide("bisect", "--case", DELETE_AT_FLOOR, *words, *target, "--json", expect=2)
        found = json.loads(done.stdout)
        states = [one["state"] for one in found["builds"]]
        self.assertEqual(states, ["good", "good", "skipped", "bad", "bad"])
        trees = called(["git", "-C", repository, "worktree", "list"], check=True)
        self.assertEqual(len(trees.stdout.splitlines()), 1)

    def test_bisect_says_what_it_expects(self) -> None:
        for words, said in (
            (("--bug", "17529"), "--good and --bad"),
            (("--bug", "1", "--good", "3.5.15", "--bad", "3.5.12"), "answer key"),
            (("--good", "a", "--bad", "b"), "--bug or --case"),
            (("--case", "No.Such", "--good", "3.5.15", "--bad", "3.5.12"), "No.Such"),
            (("--bug", "17529", "--good", "x", "--bad", "3.5.12"), "3.5.16"),
        ):
            self.assertIn(said, self.decide("bisect", *words, expect=4).stderr)

    @unittest.skipUnless(cached(*LOST_DELETE), "needs etcd 3.5.15 and 3.5.16 in the cache")
    def test_releases_of_etcd(self) -> None:
        bad, good = LOST_DELETE
        done = self.decide("bisect", "--bug", "18089", "--good", good, "--bad", bad, expect=0)
        self.assertIn(f"first bad  etcd {bad}\n", done.stdout)
        self.assertIn("as in the answer key", done.stdout)
        done = self.decide("power", "--bug", "18089", "--attempts", "3", expect=0)
        self.assertRegex(done.stdout, r"etcd #18089 .* 3 of 3 ")
        self.assertIn("0 of 3 attempts on fixed releases", done.stdout)


if __name__ == "__main__":
    main()
