# SPDX-License-Identifier: Apache-2.0
"""Words that do not belong here, the licence line, how comments begin, and commented-out code."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from source import File, Problem

LICENCE = "SPDX-License-Identifier: Apache-2.0"


@dataclass(frozen=True)
class Ban:
    pattern: re.Pattern[str]
    what: str
    instead: str
    where: Callable[[File], bool]


def _cpp(file: File) -> bool:
    return file.is_cpp


def _judged(file: File) -> bool:
    """Tests and cases: waiting for time instead of for a fact makes them slow and lucky."""
    return file.is_test or file.path.startswith("cases/")


BANS = (
    Ban(
        re.compile(r"\b(?:std::)?(?:this_thread::)?(?:sleep_for|sleep_until|usleep|nanosleep)\b"),
        "a sleep",
        "wait for the fact itself, with a deadline",
        lambda f: f.is_cpp and _judged(f),
    ),
    Ban(
        re.compile(r"\btime\.sleep\("),
        "a sleep",
        "wait for the fact itself, with a deadline",
        lambda f: f.path.endswith("_test.py"),
    ),
    Ban(
        re.compile(r"\bstd::(?:recursive_|shared_|timed_)*mutex\b"),
        "std::mutex",
        "use Mutex of harness/base/mutex.h, whose users the compiler can check",
        lambda f: f.is_cpp and f.path != "harness/base/mutex.h",
    ),
    Ban(re.compile(r"\brand\s*\("), "rand()", "draw from a Prng that is handed down", _cpp),
    Ban(
        re.compile(r"\busing\s+namespace\s+std\s*;"),
        "using namespace std",
        "name what is used",
        _cpp,
    ),
    Ban(
        re.compile(r"(?<![\w.>])(?:std::|::)?(?:quick_)?exit\s*\("),
        "exit()",
        "return a Status; only harness/cli ends the process",
        lambda f: f.is_cpp and not f.path.startswith("harness/cli/"),
    ),
    Ban(
        re.compile(r"(?<!\w)assert\s*\("),
        "assert()",
        "use WP_CHECK, which is on in every build",
        _cpp,
    ),
)
# Spelled so that this file passes its own check.
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
# A statement behind a comment mark: `// foo(x);`. Comments indented further are usage examples.
DEAD_CODE = re.compile(
    r"""^\s*//\s?
    (?: (?:[\w:<>,*&\[\]]+\s+)? [\w:.\->\[\]]+ (?:\([^`]*\) | \s*[-+|&]?=[^=`][^`]*)\s* [;{]
      | return\b[^`]*;
      | \}\s*;?
      | (?:if|for|while|switch)\s*\([^`]*\)[^`]*[{;]
    )\s*$""",
    re.VERBOSE,
)


def check_licence(file: File) -> Iterator[Problem]:
    first = 1 if file.lines[0].startswith("#!") else 0
    if len(file.lines) <= first or LICENCE not in file.lines[first]:
        mark = "//" if file.path.endswith((".cc", ".h", ".proto")) else "#"
        text = f"no licence line; write `{mark} {LICENCE}` as line {first + 1}"
        yield Problem(file.path, first + 1, text)


def check_bans(file: File) -> Iterator[Problem]:
    lines = file.code_lines if file.is_cpp else file.lines
    for ban in BANS:
        if not ban.where(file):
            continue
        for number, line in enumerate(lines, start=1):
            if ban.pattern.search(line):
                yield Problem(file.path, number, f"{ban.what}; {ban.instead}")


def check_unfinished(file: File) -> Iterator[Problem]:
    for number, line in enumerate(file.lines, start=1):
        match = UNFINISHED.search(line)
        if match:
            text = f"{match.group(0)}; finish it, or leave it out and say so in the closing note"
            yield Problem(file.path, number, text)


def check_dead_code(file: File) -> Iterator[Problem]:
    if not file.is_cpp:
        return
    for number, (line, code) in enumerate(zip(file.lines, file.code_lines, strict=True), start=1):
        if not code.strip() and DEAD_CODE.match(line):
            yield Problem(file.path, number, "commented-out code; delete it, git keeps it")


def check_beginnings(file: File) -> Iterator[Problem]:
    if not file.is_cpp:
        return
    for number, line in enumerate(file.lines, start=1):
        if line.lstrip().startswith("// Of "):
            text = "a comment that begins with 'Of' is read twice; begin with what it is about"
            yield Problem(file.path, number, text)


def check(file: File) -> Iterator[Problem]:
    yield from check_licence(file)
    yield from check_bans(file)
    yield from check_unfinished(file)
    yield from check_dead_code(file)
    yield from check_beginnings(file)
