#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the house rules a machine can check. Prints `file:line: what is wrong; do this instead`.

    ci/checks/style.py layering words terms shape twins picture   the checks named, or all six
    ci/checks/style.py build --commands build/release/compile_commands.json
    ci/checks/style.py locks --commands build/release/compile_commands.json      needs clang 16
    ci/checks/style.py format                          needs clang-format 14
    ci/checks/style.py python          ruff and mypy, which ci/jobs/setup.sh --checks installs

Exit code: 0 clean, 1 problems, 77 not possible here (without what a check needs).
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence

import layering
import locks
import picture
import shape
import source
import terms
import twins
import words
from source import File, Problem

SKIPPED = 77
FORMAT_VERSION = "14"
INCLUDED = re.compile(r'(?m)^#include "(.+)"')
# What setup.sh makes.
PYTHON_TOOLS = pathlib.Path(__file__).resolve().parents[2] / "build" / "python-checks"
PYTHON_CHECKS = (
    ("ruff", "check", "--output-format=concise"),
    ("ruff", "format", "--check", "--output-format=concise"),
    ("mypy", "--no-error-summary"),
)
PYTHON_PROBLEM = re.compile(r"(?m)^(.+?):(\d+):(?:\d+:)? (?!note: )(.+)$")
UNFORMATTED = re.compile(r"(?m)^(.+?):(\d+):\d+: (?:warning|error): .*-Wclang-format")


def check_layering(files: list[File], _: object) -> Iterator[Problem]:
    for cycle in layering.check_table():
        text = f"cycle {' > '.join(cycle)}; take one of its steps out of the table"
        yield Problem("ci/checks/layering.py", 1, text)
    for file in files:
        yield from layering.check(file)
    yield from layering.check_reach(files)


def check_words(files: list[File], _: object) -> Iterator[Problem]:
    for file in files:
        yield from words.check(file)


def check_shape(files: list[File], _: object) -> Iterator[Problem]:
    for file in files:
        yield from shape.check(file)


def check_terms(files: list[File], options: argparse.Namespace) -> Iterator[Problem]:
    for file in files + source.load(options.root, terms.PROSE):
        yield from terms.check(file)


def check_twins(files: list[File], _: object) -> Iterator[Problem]:
    yield from twins.check(files)


def check_picture(files: list[File], options: argparse.Namespace) -> Iterator[Problem]:
    yield from picture.check(files, options.root)


def check_build(files: list[File], options: argparse.Namespace) -> Iterator[Problem]:
    """Every source file must be compiled; one that no target lists is dead or untested."""
    with open(options.commands, encoding="utf-8") as stream:
        entries = json.load(stream)
    compiled = {os.path.realpath(os.path.join(e["directory"], e["file"])) for e in entries}
    for together in [file for file in compiled if "/Unity/" in file]:
        with open(together, encoding="utf-8") as stream:
            compiled.update(os.path.realpath(name) for name in INCLUDED.findall(stream.read()))
    for file in files:
        full = os.path.realpath(os.path.join(options.root, file.path))
        if file.path.endswith(".cc") and full not in compiled:
            kind = "wp_test" if file.is_test else "wp_library"
            text = f"no target compiles it; list it in {kind}() of its CMakeLists.txt, or delete it"
            yield Problem(file.path, 1, text)


def find_clang_format() -> str | None:
    for name in (f"clang-format-{FORMAT_VERSION}", "clang-format"):
        path = shutil.which(name)
        if path:
            done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
            if re.search(rf"version {FORMAT_VERSION}\.", done.stdout):
                return path
    return None


def check_format(files: list[File], options: argparse.Namespace) -> Iterator[Problem]:
    paths = [file.path for file in files if file.is_cpp]
    command = [options.clang_format, "--dry-run", "--ferror-limit=1", *paths]
    if not paths:
        return
    done = subprocess.run(command, cwd=options.root, capture_output=True, text=True, check=False)
    for match in UNFORMATTED.finditer(done.stderr):
        path, line = match.group(1), int(match.group(2))
        yield Problem(path, line, f"not formatted; run clang-format -i {path}")


def check_locks(files: list[File], options: argparse.Namespace) -> Iterator[Problem]:
    yield from locks.check(files, options.root, options.commands, options.clang)


def check_python(_: object, options: argparse.Namespace) -> Iterator[Problem]:
    environment = os.environ | {"PYTHONPATH": os.fspath(PYTHON_TOOLS)}
    for tool, *flags in PYTHON_CHECKS:
        done = subprocess.run(
            [sys.executable, "-m", tool, *flags],
            cwd=options.root,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        found = PYTHON_PROBLEM.findall(done.stdout)
        if done.returncode != 0 and not found:
            yield Problem(".", 1, f"{tool} failed: {done.stdout}{done.stderr}")
        for path, line, text in found:
            yield Problem(path, int(line), text)


CHECKS = {
    "layering": check_layering,
    "words": check_words,
    "terms": check_terms,
    "shape": check_shape,
    "twins": check_twins,
    "picture": check_picture,
    "build": check_build,
    "format": check_format,
    "locks": check_locks,
    "python": check_python,
}


def run(names: Sequence[str], options: argparse.Namespace) -> int:
    files = source.load(options.root)
    problems = sorted({p for name in names for p in CHECKS[name](files, options)})
    for problem in problems:
        print(problem)
    wrong = sum(not p.warning for p in problems)
    print(f"style: {len(files)} files, {', '.join(names)}: {wrong} problems")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("checks", nargs="*", metavar="check", help=", ".join(CHECKS))
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(here)))
    parser.add_argument("--commands", help="the compile database of a configured build")
    options = parser.parse_args()
    names = options.checks or ["layering", "words", "terms", "shape", "twins", "picture"]
    for name in names:
        if name not in CHECKS:
            parser.error(f"no check {name}; there are {', '.join(CHECKS)}")
    for name in ("build", "locks"):
        if name in names and not options.commands:
            parser.error(f"{name} needs --commands")
    if "locks" in names:
        options.clang = locks.find_clang()
        if not options.clang:
            print("SKIP: no clang here; ci/jobs/setup.sh --checks installs it")
            return SKIPPED
    if "format" in names:
        options.clang_format = find_clang_format()
        if not options.clang_format:
            print(f"SKIP: no clang-format {FORMAT_VERSION} here; apt-get install clang-format")
            return SKIPPED
    if "python" in names and not PYTHON_TOOLS.is_dir():
        print("SKIP: no ruff and mypy here; ci/jobs/setup.sh --checks installs them")
        return SKIPPED
    return run(names, options)


if __name__ == "__main__":
    sys.exit(main())
