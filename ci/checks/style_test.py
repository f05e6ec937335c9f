#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checks on tiny trees: what is planted is reported, at its line; what is clean is not."""

import argparse
import contextlib
import io
import json
import os
import tempfile
import unittest
from collections.abc import Callable, Iterable

import layering
import locks
import shape
import source
import style
import twins
import words

C = "// SPDX-License-Identifier: Apache-2.0\n"
P = "# SPDX-License-Identifier: Apache-2.0\n"


def found(
    check: Callable[[source.File], Iterable[source.Problem]], path: str, text: str
) -> list[int]:
    """The lines reported for one file."""
    return [problem.line for problem in check(source.File(path, text))]


def included(path: str, *names: str) -> list[int]:
    return found(layering.check, path, C + "".join(f"#include {name}\n" for name in names))


class Twins(unittest.TestCase):
    @staticmethod
    def found(**headers: str) -> list[tuple[str, int]]:
        files = [source.File(f"{name}.h", text) for name, text in sorted(headers.items())]
        return [(problem.path, problem.line) for problem in twins.check(files)]

    def test_one_name_in_two_headers_is_found_at_the_second(self) -> None:
        a = C + "namespace wp {\nclass Stage : public Line {\n};\n}\n"
        b = C + "namespace wp {\nstruct Stage final {\n};\n}\n"
        self.assertEqual([("b.h", 3)], self.found(a=a, b=b))

    def test_enums_count(self) -> None:
        a = C + "namespace wp {\nenum class Outcome { kOpen };\n}\n"
        b = C + "namespace wp {\nenum class Outcome {\n  kAnswered,\n};\n}\n"
        self.assertEqual([("b.h", 3)], self.found(a=a, b=b))

    def test_other_namespaces_and_declarations_are_no_twins(self) -> None:
        a = C + "namespace wp {\nclass Stage {\n};\n}\nnamespace wp {\nclass Stage;\n}\n"
        b = C + "namespace wp {\nnamespace {\nclass Stage {\n};\n}\nclass Stage;\n}\n"
        c = C + "namespace other {\nclass Stage {\n};\n}\n"
        self.assertEqual([], self.found(a=a, b=b, c=c))


class Layering(unittest.TestCase):
    def test_the_table_has_no_cycle(self) -> None:
        self.assertEqual([], list(layering.check_table()))

    def test_a_cycle_is_named(self) -> None:
        table = {"harness/a": {"harness/b"}, "harness/b": {"harness/a"}}
        cycle = ["harness/a", "harness/b", "harness/a"]
        self.assertEqual([cycle], list(layering.check_table(table)))

    def test_downwards_is_allowed(self) -> None:
        self.assertEqual([], included("harness/model/x.cc", '"harness/base/status.h"', "<set>"))
        self.assertEqual([], included("harness/scenario/x.cc", '"proxies/control/host.h"'))
        self.assertEqual([], included("harness/base/x.cc", '"harness/base/status.h"'))

    def test_upwards_is_reported_at_its_line(self) -> None:
        self.assertEqual([3], included("harness/base/x.cc", "<map>", '"harness/history/entry.h"'))
        self.assertEqual([2], included("harness/client/x.cc", '"harness/checkers/judge.h"'))

    def test_an_include_in_a_comment_is_none(self) -> None:
        text = C + '// #include "harness/cli/run.h"\n/*\n#include "harness/cli/run.h"\n*/\n'
        self.assertEqual([], found(layering.check, "harness/base/x.cc", text))

    def test_paths_start_at_the_root(self) -> None:
        self.assertEqual([2], included("harness/base/x.cc", '"status.h"'))
        self.assertEqual([2], included("harness/base/x.cc", '"../base/status.h"'))

    def test_store_and_proxies_stand_alone(self) -> None:
        store = "embedded_store/watch/x.cc", "embedded_store/watch/x_test.cc"
        for path in (*store, "proxies/core/x.cc", "proxies/core/x_test.cc"):
            self.assertEqual([2], included(path, '"harness/history/entry.h"'), path)
            self.assertEqual([], included(path, '"harness/base/mutex.h"'), path)
        self.assertEqual([2], included("embedded_store/mvcc/x.cc", '"embedded_store/watch/hub.h"'))

    def test_the_oracle_shares_nothing_even_in_tests(self) -> None:
        checkers = "harness/checkers/x.cc", "harness/checkers/x_test.cc"
        for path in (*checkers, "harness/model/x.cc", "harness/model/x_test.cc"):
            self.assertEqual([2], included(path, '"embedded_store/mvcc/store.h"'), path)
            self.assertEqual([2], included(path, '"harness/client/stream.h"'), path)
            self.assertEqual([2], included(path, "<grpcpp/grpcpp.h>"), path)
            self.assertEqual([2], included(path, "<boost/asio.hpp>"), path)

    def test_what_tests_share_is_as_free_as_they_are(self) -> None:
        server = '"embedded_store/server/store_server.h"'
        for path in ("harness/drive/shared/x_test.cc", "harness/drive/shared/testing/x.h"):
            self.assertEqual([], included(path, server), path)
        self.assertEqual([2], included("harness/drive/shared/x.h", server))
        self.assertEqual([2], included("harness/checkers/testing/x.h", server))

    def test_cases_use_their_support_and_the_steps_only(self) -> None:
        self.assertEqual([], included("cases/resume/x.cc", '"cases/support/scenario.h"'))
        self.assertEqual([], included("cases/resume/x.cc", '"harness/scenario/steps/watch.h"'))
        self.assertEqual([2], included("cases/resume/x.cc", '"harness/scenario/plan.h"'))
        self.assertEqual([2], included("cases/resume/x.cc", '"harness/base/status.h"'))
        self.assertEqual([2], included("cases/resume/x.cc", '"cases/stream/other.h"'))

    def test_whoever_runs_a_plan_names_no_step(self) -> None:
        self.assertEqual([2], included("harness/scenario/x.cc", '"harness/scenario/steps/watch.h"'))
        self.assertEqual([], included("harness/scenario/steps/x.cc", '"harness/scenario/step.h"'))

    def test_only_virtual_time_sees_inside_the_store(self) -> None:
        core = '"embedded_store/mvcc/store.h"'
        self.assertEqual([], included("harness/explore/stepped/x.cc", core))
        self.assertEqual([2], included("harness/explore/x.cc", core))
        self.assertEqual([2], included("harness/targets/x.cc", core))
        self.assertEqual([2], included("harness/scenario/x.cc", '"embedded_store/server/server.h"'))

    def test_what_must_not_be_seen_is_found_behind_other_headers(self) -> None:
        between = source.File("harness/explore/stepped/y.h", '#include "embedded_store/mvcc/z.h"\n')
        over = source.File(
            "harness/explore/live/x.cc", C + '#include "harness/explore/stepped/y.h"\n'
        )
        found = [(one.path, one.line) for one in layering.check_reach([between, over])]
        self.assertEqual([("harness/explore/live/x.cc", 2)], found)


class Words(unittest.TestCase):
    def reported(self, path: str, line: str, lead: str = C) -> bool:
        return found(words.check, path, lead + line + "\n") == [lead.count("\n") + 1]

    def test_the_licence_line_comes_first_or_after_the_interpreter(self) -> None:
        self.assertEqual([], found(words.check, "a.sh", "#!/usr/bin/env bash\n" + P))
        self.assertEqual([1], found(words.check, "a.cc", "int x;\n" + C))
        self.assertEqual([2], found(words.check, "a.py", "#!/usr/bin/env python3\n\n" + P))
        self.assertEqual([1], found(words.check, "a.h", ""))

    def test_unfinished_business(self) -> None:
        for word in ("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"):
            self.assertTrue(self.reported("a/b/x.cc", f"// {word} later"), word)
            self.assertTrue(self.reported("x.sh", f"# {word} later", P), word)
        self.assertFalse(self.reported("a/b/x.cc", 'mkdtemp("/tmp/' + "X" * 6 + '");'))

    def test_sleeps_in_tests_and_cases_only(self) -> None:
        line = "std::this_thread::sleep_for(1s);"
        self.assertTrue(self.reported("harness/base/x_test.cc", line))
        self.assertTrue(self.reported("cases/resume/x.cc", "usleep(5);"))
        self.assertFalse(self.reported("harness/base/x.cc", line))
        self.assertTrue(self.reported("ci/interop/x_test.py", "time.sleep" + "(1)", P))

    def test_standard_mutexes_have_one_home(self) -> None:
        self.assertTrue(self.reported("harness/base/x.h", "std::mutex mu_;"))
        self.assertTrue(self.reported("harness/base/x.h", "std::shared_mutex mu_;"))
        self.assertFalse(self.reported("harness/base/mutex.h", "std::mutex mu_;"))
        self.assertFalse(self.reported("harness/base/x.h", "int mu_;  // not a std::mutex"))

    def test_only_the_command_exits(self) -> None:
        for call in ("exit(1);", "std::exit(1);", "::exit(1);", "std::quick_exit(1);"):
            self.assertTrue(self.reported("harness/scenario/x.cc", call), call)
        for call in ("_exit(1);", "::_exit(1);", "on_exit(1);", "loop.exit();", 'Log("exit(1)");'):
            self.assertFalse(self.reported("harness/scenario/x.cc", call), call)
        self.assertFalse(self.reported("harness/cli/main.cc", "exit(1);"))

    def test_other_banned_calls(self) -> None:
        for line in ("int x = rand() % 6;", "using namespace std;", "assert(x);"):
            self.assertTrue(self.reported("a/b/x.cc", line), line)
        for line in ("static_assert(x);", "int x = Grand();", "using namespace std::literals;"):
            self.assertFalse(self.reported("a/b/x.cc", line), line)

    def test_a_comment_begins_with_what_it_is_about(self) -> None:
        self.assertTrue(self.reported("a/b/x.cc", "  // " + "Of a cluster."))
        self.assertFalse(self.reported("a/b/x.cc", "// How many members of a cluster."))
        self.assertFalse(self.reported("a/b/x.cc", "// Often."))

    def test_commented_out_code(self) -> None:
        for line in ("// foo(x);", "  // int x = 5;", "//return x;", "// if (x) {", "// }"):
            self.assertTrue(self.reported("a/b/x.cc", line), line)
        for line in (
            "//   Bytes copy = Bytes::Copy(text);",
            "// Returns x; never throws.",
            "// Kept (see above);",
            "// x is 5",
            "int y;  // foo(x);",
        ):
            self.assertFalse(self.reported("a/b/x.cc", line), line)


def body(lines: int) -> str:
    return "  x();\n" * (lines - 2)


class Shape(unittest.TestCase):
    def test_a_line_of_more_than_100_columns(self) -> None:
        self.assertEqual([2], found(shape.check, "a.cc", C + "// " + "x" * 98 + "\n"))
        self.assertEqual([], found(shape.check, "a.cc", C + "// " + "x" * 97 + "\n"))
        self.assertEqual([], found(shape.check, "a.cc", C + "// " + "ä" * 97 + "\n"))

    def test_a_function_of_more_than_60_lines(self) -> None:
        heads = (
            "void F() {\n",
            "A::A(int x) : a_{x}, b_(1) {\n",
            "auto F() -> int {\n",
            "WATCH_CASE(A, B, {.needs = {Capability::kProxy}}) {\n",
            "template <typename T>\nT G(T x = {}) const noexcept {\n",
        )
        for head in heads:
            more = head.count("\n") - 1
            fits, long = body(60 - more), body(61 - more)
            text = C + "namespace a {\nclass B {\n" + head + "{}}\n}};\n"
            self.assertEqual([], found(shape.check, "a.cc", text.replace("{}}", fits + "}")), head)
            self.assertEqual([4], found(shape.check, "a.cc", text.replace("{}}", long + "}")), head)

    def test_a_long_class_or_table_is_no_function(self) -> None:
        self.assertEqual([], found(shape.check, "a.cc", C + "class A {\n" + body(80) + "};\n"))
        rows = "  {1, f(2)},\n" * 80
        self.assertEqual([], found(shape.check, "a.cc", C + "const R k[] = {\n" + rows + "};\n"))

    def test_a_long_lambda_in_a_table_is_one(self) -> None:
        text = C + "const R k{{\n.make = [](int x) {\n" + body(61) + "},\n}};\n"
        self.assertEqual([3], found(shape.check, "a.cc", text))

    def test_braces_in_literals_do_not_count(self) -> None:
        text = C + 'void F() {\n  x(\'{\', "{", R"({)");  // {\n}\n'
        text += "class A {\n" + body(80) + "};\n"
        self.assertEqual([], found(shape.check, "a.cc", text))

    def test_a_long_python_function(self) -> None:
        text = P + "def f():\n" + "    x()\n" * 60
        self.assertEqual([2], found(shape.check, "a.py", text))

    def test_a_long_file_is_a_warning(self) -> None:
        problems = list(shape.check(source.File("a.cc", C + "int x;\n" * 600)))
        self.assertEqual([True], [problem.warning for problem in problems])


class Trees(unittest.TestCase):
    """Through files on disk and the exit code."""

    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.options = argparse.Namespace(root=self.folder.name)

    def write(self, path: str, text: str) -> None:
        full = os.path.join(self.options.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as stream:
            stream.write(text)

    def run_checks(self, *names: str) -> tuple[int, list[str]]:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            code = style.run(names, self.options)
        return code, out.getvalue().splitlines()[:-1]

    def compile_database(self, *paths: str) -> None:
        entries = [{"directory": self.options.root, "file": path} for path in paths]
        self.options.commands = os.path.join(self.options.root, "compile_commands.json")
        with open(self.options.commands, "w", encoding="utf-8") as stream:
            json.dump(entries, stream)

    def test_a_clean_tree(self) -> None:
        self.write("harness/base/x.cc", C)
        self.write("build/release/generated.cc", "no licence, but not ours")
        self.assertEqual((0, []), self.run_checks("layering", "words", "shape"))

    def test_a_problem_says_where_what_and_what_to_do(self) -> None:
        self.write("harness/base/x.cc", C + "assert(x);\n")
        expected = "harness/base/x.cc:2: assert(); use WP_CHECK, which is on in every build"
        self.assertEqual((1, [expected]), self.run_checks("words"))

    def test_a_warning_does_not_fail(self) -> None:
        self.write("harness/base/x.cc", C + "int x;\n" * 600)
        code, lines = self.run_checks("shape")
        self.assertEqual((0, 1), (code, len(lines)))

    def test_scripts_without_a_suffix_are_seen(self) -> None:
        self.write(".ci/run", "#!/bin/sh\nset -e\n")
        self.write("LICENSE", "text")
        code, lines = self.run_checks("words")
        self.assertEqual((1, 1), (code, len(lines)))

    def test_a_file_that_nothing_compiles(self) -> None:
        self.write("harness/base/x.cc", C)
        self.write("harness/base/x_test.cc", C)
        self.compile_database("harness/base/x.cc")
        code, lines = self.run_checks("build")
        self.assertEqual(1, code)
        text = "harness/base/x_test.cc:1: no target compiles it; list it in wp_test()"
        self.assertTrue(lines[0].startswith(text), lines[0])
        self.compile_database("harness/base/x.cc", "harness/base/x_test.cc")
        self.assertEqual((0, []), self.run_checks("build"))
        together = os.path.join(self.options.root, "harness/base/x_test.cc")
        self.write("build/Unity/unity_0.cxx", f'/* together */\n#include "{together}"\n')
        self.compile_database("harness/base/x.cc", "build/Unity/unity_0.cxx")
        self.assertEqual((0, []), self.run_checks("build"))

    @unittest.skipUnless(style.PYTHON_TOOLS.is_dir(), "no ruff and mypy here")
    def test_python_that_is_not_formatted_linted_and_typed(self) -> None:
        root = style.PYTHON_TOOLS.parents[1]
        for name in (".mypy.ini", ".ruff.toml"):
            self.write(name, (root / name).read_text(encoding="utf-8"))
        self.write("fixtures/good.py", P + "\nX = 1\n")
        self.write("ci/bad.py", P + "\nimport os\n\n\ndef f(x):\n  return x\n")
        code, lines = self.run_checks("python")
        self.assertEqual(code, 1)
        for said in ("unformatted: ", "F401", "[no-untyped-def]"):
            self.assertTrue(any(said in line for line in lines), (said, lines))
        self.assertFalse(any("good.py" in line for line in lines), lines)

    def test_a_file_that_is_not_formatted(self) -> None:
        self.options.clang_format = style.find_clang_format()
        if not self.options.clang_format:
            self.skipTest("no clang-format 14")
        self.write(".clang-format", "BasedOnStyle: Google\n")
        self.write("harness/base/good.cc", C + "int x;\n")
        self.assertEqual((0, []), self.run_checks("format"))
        self.write("harness/base/bad.cc", C + "int  x;\n")
        text = "harness/base/bad.cc:2: not formatted; run clang-format -i harness/base/bad.cc"
        self.assertEqual((1, [text]), self.run_checks("format"))


@unittest.skipUnless(locks.find_clang(), "no clang here")
class Locks(unittest.TestCase):
    MUTEX = """#pragma once
struct __attribute__((capability("mutex"))) Mutex {
  void lock() __attribute__((acquire_capability()));
};
"""
    COUNTER = """#include "harness/base/mutex.h"
struct Counter {
  Mutex mu;
  int count __attribute__((guarded_by(mu))) = 0;
  int Get() { return count; }
};
"""

    def test_a_member_that_is_read_without_its_lock_is_named(self) -> None:
        with tempfile.TemporaryDirectory() as root:
            database = os.path.join(root, "compile_commands.json")
            texts = {
                locks.MUTEX: self.MUTEX,
                "harness/counter.cc": self.COUNTER,
                locks.PRECOMPILED: "#include <string>\n",
                database: json.dumps([{"command": f"c++ -O2 -I{root} -std=c++20 -c counter.cc"}]),
            }
            for path, text in texts.items():
                whole = os.path.join(root, path)
                os.makedirs(os.path.dirname(whole), exist_ok=True)
                with open(whole, "w", encoding="utf-8") as stream:
                    stream.write(text)
            files = [source.File("harness/counter.cc", self.COUNTER)]
            clang = locks.find_clang() or ""
            found = list(locks.check(files, root, database, clang))
        self.assertEqual([("harness/counter.cc", 5)], [(one.path, one.line) for one in found])
        self.assertIn("requires holding mutex 'mu'", found[0].text)


if __name__ == "__main__":
    unittest.main()
