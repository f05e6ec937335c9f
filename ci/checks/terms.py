# SPDX-License-Identifier: Apache-2.0
"""One word, one meaning, and the field's: words that a newcomer would have to learn first."""

import pathlib
import re
from collections.abc import Iterator

from source import File, Problem

ROOT = pathlib.Path(__file__).resolve().parents[2]


def read_glossary(text: str) -> dict[str, str]:
    """Of each row of the table: the words in its last column, and the term to use."""
    banned = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 3 and cells[0] != "term":
            banned.update({word: cells[0] for word in cells[2].split() if word.isalpha()})
    return banned


GLOSSARY = "harness/docs/glossary.md"
BANNED = read_glossary((ROOT / GLOSSARY).read_text(encoding="utf-8"))
OF_OTHERS = re.compile("--mark-compacted")  # a flag of etcdutl
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
PROSE = (".md", ".toml", ".js", ".mjs", "CMakeLists.txt")  # beside what all checks look at
SKIPPED = ("fixtures/protos/", "ci/checks/", GLOSSARY)


def check(file: File) -> Iterator[Problem]:
    if file.path.startswith(SKIPPED):
        return
    for number, line in enumerate(file.lines, start=1):
        for part in PARTS.findall(OF_OTHERS.sub("", line)):
            term = BANNED.get(part.lower())
            if term:
                yield Problem(file.path, number, f"the word {part}; write {term}")
