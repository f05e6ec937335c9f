#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the tool that makes mutants. Exit code 77 when libclang is not there."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
try:
    import source_tree
except ImportError:
    sys.exit(77)
try:
    source_tree.cindex.Index.create()
except source_tree.cindex.LibclangError:
    sys.exit(77)
import equivalent
import mutate
import table
from mutant import DROP, Edit, Mutant, number

SAMPLE = """// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
enum class Way { kUp, kDown, kStay };
struct Span {
  int low = 0;
  int high = 9;
};
constexpr int kTwice = 2;
int Count(int from, int to, Way way) {
  int count = 0;
  for (int i = from; i < to; ++i) {
    if (i == 3 || way == Way::kStay)
      continue;
    count += kTwice;
  }
  if (count > 100) return -1;
  return count;
}
template <typename T>
bool Less(const T& a, const T& b) {
  return a < b;
}
int Length(const Span& span) { return span.high - span.low; }
int main(int, char** words) {
  const Span span{.low = 1, .high = std::atoi(words[1])};
  if (!Less('a', 'b')) return 1;
  std::printf("%d\\n", Count(span.low, span.high, Way::kUp) + 0 * Length(span));
}
"""


class Made:
    """The sample with its mutants, as a program."""

    def __init__(self, folder: str) -> None:
        self.folder = pathlib.Path(folder)
        for name in mutate.FOLDERS:
            (self.folder / name).mkdir(parents=True)
        source = self.folder / "embedded_store/watch/sample.cc"
        source.write_text(SAMPLE, encoding="ascii")
        command = f"g++ -std=c++20 -I{ROOT} -Werror -o sample.o -c {source}"
        commands = self.folder / "commands.json"
        commands.write_text(
            json.dumps([{"file": str(source), "directory": folder, "command": command}]),
            encoding="ascii",
        )
        subprocess.run(
            [
                sys.executable,
                "-B",
                HERE / "mutate.py",
                "--root",
                folder,
                "--commands",
                commands,
                "--output",
                self.folder / "out",
            ],
            check=True,
            capture_output=True,
        )
        self.mutants = table.load(self.folder / "out" / mutate.TABLE)
        self.woven = self.folder / "out" / "embedded_store/watch/sample.cc"
        subprocess.run(
            [
                "g++",
                "-std=c++20",
                "-w",
                f"-I{ROOT}",
                self.woven,
                HERE / "mutant.cc",
                "-o",
                self.folder / "sample",
            ],
            check=True,
        )

    def run(self, argument: str, id: int = 0, reached: str | pathlib.Path = "") -> str:
        environment = dict(os.environ, WATCHPROOF_STORE_MUTANT=str(id))
        if reached:
            environment["WATCHPROOF_STORE_MUTANTS_REACHED"] = str(reached)
        # One that never ends is stopped.
        return subprocess.run(
            ["timeout", "2", self.folder / "sample", argument],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        ).stdout.strip()

    def mutant(self, operator: str, original: str, mutated: str) -> dict[str, Any]:
        found = [
            row
            for row in self.mutants
            if row["operator"] == operator
            and row["original"] == original
            and row["mutated"] == mutated
        ]
        assert len(found) == 1, (operator, original, mutated, found)
        return found[0]


class MutateTest(unittest.TestCase):
    made: Made

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.made = Made(temporary.name)

    def result(self, *what: str) -> str:
        return self.made.run("6", self.made.mutant(*what)["id"])

    def test_without_a_mutant_nothing_changes(self) -> None:
        self.assertEqual(self.made.run("6"), "8")
        self.assertEqual(self.made.run("70"), "-1")

    def test_each_operator_does_what_it_says(self) -> None:
        self.assertEqual(self.result("boundary", "i < to", "i <= to"), "10")
        self.assertEqual(
            self.result("negate", "i == 3 || way == Way::kStay", "!(i == 3 || way == Way::kStay)"),
            "2",
        )
        self.assertEqual(self.result("drop", "continue;", ";"), "10")
        self.assertEqual(self.result("constant", "3", "4"), "8")
        self.assertEqual(self.result("constant", "3", "2"), "8")
        self.assertEqual(self.result("drop", "count += kTwice;", ";"), "0")
        self.assertEqual(self.result("arithmetic", "count += kTwice", "count -= kTwice"), "-8")
        self.assertEqual(self.result("off-by-one", "span.high", "(span.high) + 1"), "10")
        self.assertEqual(self.result("swap", "span.low, span.high", "span.high, span.low"), "0")
        self.assertEqual(self.result("constant", "Way::kUp", "Way::kDown"), "8")
        self.assertEqual(self.result("drop-step", "++i", "i"), "")

    def test_no_constant_expression_is_touched(self) -> None:
        self.assertFalse([row for row in self.made.mutants if row["line"] == 9])

    def test_the_last_return_stays(self) -> None:
        self.assertFalse(
            [
                row
                for row in self.made.mutants
                if row["operator"] == "drop" and row["original"] == "return count;"
            ]
        )
        self.made.mutant("drop", "return -1;", ";")

    def test_lines_keep_their_numbers(self) -> None:
        woven = self.made.woven.read_text(encoding="ascii")
        self.assertEqual(woven.count("\n"), SAMPLE.count("\n"))

    def test_what_was_reached_is_noted(self) -> None:
        noted = self.made.folder / "reached"
        noted.write_bytes(bytes(len(self.made.mutants) + 1))
        self.made.run("6", reached=noted)
        reached = noted.read_bytes()
        self.assertEqual(reached[self.made.mutant("boundary", "i < to", "i <= to")["id"]], 1)
        self.assertEqual(reached[self.made.mutant("drop", "return -1;", ";")["id"]], 0)

    def test_equivalents_fit_or_are_stale(self) -> None:
        entry = {"file": "embedded_store/watch/sample.cc", "original": "continue;", "reason": "no"}
        self.assertEqual(
            list(equivalent.match([entry], self.made.mutants)),
            [self.made.mutant("drop", "continue;", ";")["id"]],
        )
        with self.assertRaises(equivalent.Stale):
            equivalent.match([entry | {"original": "break;"}], self.made.mutants)
        del entry["original"]
        several = entry | {"changes": ["drop: continue;", "drop: return -1;"]}
        self.assertEqual(len(equivalent.match([several], self.made.mutants)), 2)
        with self.assertRaises(equivalent.Stale):
            equivalent.match(
                [entry | {"changes": ["drop: continue;", "drop: break;"]}], self.made.mutants
            )

    def test_intervals(self) -> None:
        low, high = table.wilson(8, 10)
        self.assertAlmostEqual(low, 0.4902, 3)
        self.assertAlmostEqual(high, 0.9433, 3)


class NumberTest(unittest.TestCase):
    def test_macros_with_expressions_are_read(self) -> None:
        text = "int f() { WP_ASSIGN_OR_RETURN(const int a, g(b, 2));  WP_RETURN_IF_ERROR(h(a)); }"
        read = source_tree.readable(text)
        self.assertEqual(len(read), len(text))
        self.assertIn("const int a=*g(b, 2) ;", read)
        self.assertIn("wp_return_if_error(h(a));", read)

    def test_the_same_twice_in_a_function_has_two_keys(self) -> None:
        same = [
            Mutant("a.cc", "F", "drop", line, "G();", ";", [Edit(line, line + 4, DROP)])
            for line in (1, 2)
        ]
        self.assertEqual([one.occurrence for one in number(same)], [0, 1])


if __name__ == "__main__":
    unittest.main()
