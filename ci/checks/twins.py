# SPDX-License-Identifier: Apache-2.0
"""One class or enum, one name: two headers that define different ones of one name make a program
that is undefined once both are linked into it, and neither compiler nor linker says so.
"""

import re
from collections.abc import Iterator

from source import File, Problem

OPENS = re.compile(r"namespace\s*([\w:]*)\s*\{")
CLOSES = re.compile(r"\}\s*$")
DEFINES = re.compile(
    r"(?:enum\s+class|enum|class|struct)\s+(?:[A-Z_]+\([^)]*\)\s+|SCOPED_CAPABILITY\s+)?"
    r"(\w+)(?:\s+final)?\s*(?:[:{]|$)"
)


def classes(file: File) -> Iterator[tuple[int, str]]:
    """Yields (line, qualified name) of the classes that stand in a named namespace."""
    names = []
    for line, text in enumerate(file.code.split("\n"), start=1):
        opened = OPENS.match(text)
        if opened:
            names.append(opened.group(1))
        elif names and text.startswith("}") and CLOSES.match(text):
            names.pop()
        elif names and all(names):
            defined = DEFINES.match(text)
            if defined:
                yield line, "::".join([*names, defined.group(1)])


def check(files: list[File]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for file in files:
        if not file.path.endswith(".h"):
            continue
        for line, name in classes(file):
            other = first.setdefault(name, file.path)
            if other != file.path:
                yield Problem(file.path, line, f"{name} is also in {other}; give one another name")
