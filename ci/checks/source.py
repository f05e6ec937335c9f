# SPDX-License-Identifier: Apache-2.0
"""The files of the repository as the checks see them: listed once, read once.

    for file in source.load(root): ...
    file.code   the text with comments and literals blanked, line for line (C++ only)

A check is a function that takes what it needs and yields Problem; style.py prints them.
"""

import os
import re
from dataclasses import dataclass
from functools import cached_property

SKIPPED_FOLDERS = {"build", ".git", ".cache", "watchproof-runs", "node_modules", "__pycache__"}
SUFFIXES = (".cc", ".h", ".proto", ".py", ".sh")

# Folders below the second level that are units of layering by themselves.
NESTED = {
    "harness/drive/shared",
    "harness/explore/cluster",
    "harness/explore/live",
    "harness/explore/stepped",
    "harness/scenario/steps",
}

# Comments, raw strings, strings and character literals. A quote between digits (1'000) is none.
LITERAL = re.compile(
    r"""
    //[^\n]*
    | /\*.*?\*/
    | R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"
    | "(?:\\.|[^"\\\n])*"
    | (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'
    """,
    re.VERBOSE | re.DOTALL,
)
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")')


def unit_of(path: str) -> str:
    """The unit of layering that a file belongs to: harness/base, cases/stream, fixtures/protos."""
    folders = path.split("/")[:-1]
    nested = "/".join(folders[:3])
    return nested if nested in NESTED else "/".join(folders[:2])


@dataclass(frozen=True, order=True)
class Problem:
    path: str
    line: int
    text: str  # what is wrong; do this instead
    warning: bool = False

    def __str__(self) -> str:
        mark = "warning: " if self.warning else ""
        return f"{self.path}:{self.line}: {mark}{self.text}"


@dataclass(frozen=True)
class Include:
    line: int
    name: str
    quoted: bool


class File:
    def __init__(self, path: str, text: str) -> None:
        self.path = path  # relative to the root, with forward slashes
        self.text = text

    @property
    def is_cpp(self) -> bool:
        return self.path.endswith((".cc", ".h"))

    @property
    def is_test(self) -> bool:
        return self.path.endswith(("_test.cc", "_bench.cc", "_fuzz.cc", "_test.py"))

    @property
    def serves_tests(self) -> bool:
        """A test, or what several tests share."""
        return self.is_test or "/testing/" in self.path

    @property
    def folder(self) -> str:
        return unit_of(self.path)

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    @cached_property
    def code(self) -> str:
        return LITERAL.sub(_blank, self.text)

    @cached_property
    def code_lines(self) -> list[str]:
        return self.code.split("\n")

    @cached_property
    def includes(self) -> list[Include]:
        if not self.is_cpp:
            return []
        found = []
        # From the text, because quoted names are blank in the code; from the code, because an
        # include inside a comment is none.
        for number, (line, code) in enumerate(
            zip(self.lines, self.code_lines, strict=True), start=1
        ):
            match = INCLUDE.match(line) if code.lstrip().startswith("#") else None
            if match:
                quoted = match.group(2) is not None
                found.append(Include(number, match.group(1) or match.group(2), quoted))
        return found


def _blank(match: re.Match[str]) -> str:
    text = match.group(0)
    if text[0] in "\"'R":  # keeps the quotes, so that a literal still is an operand
        return '"' + re.sub(r"[^\n]", " ", text[1:-1]) + '"'
    return re.sub(r"[^\n]", " ", text)


def is_script(path: str, text: str) -> bool:
    return "." not in os.path.basename(path) and text.startswith("#!")


def load(root: str, suffixes: tuple[str, ...] = SUFFIXES) -> list[File]:
    """Also scripts without a suffix."""
    files = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
        for name in sorted(names):
            full = os.path.join(folder, name)
            if not name.endswith(suffixes) and "." in name:
                continue
            with open(full, encoding="utf-8", errors="replace") as stream:
                text = stream.read()
            path = os.path.relpath(full, root).replace(os.sep, "/")
            if name.endswith(suffixes) or is_script(path, text):
                files.append(File(path, text))
    return files
