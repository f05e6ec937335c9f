# SPDX-License-Identifier: Apache-2.0
"""The picture of the folders in harness/docs/architecture.md, drawn from the #include lines.

python3 ci/checks/picture.py        draws it anew; the check `picture` says when that is due
"""

import os
import pathlib
from collections.abc import Iterator

import layering
import source
from source import File, Problem

Edges = dict[str, set[str]]

PAGE = "harness/docs/architecture.md"
BEGIN, END = "<!-- picture -->\n", "<!-- /picture -->\n"
GROUPS = ("harness", "cases", "proxies", "embedded_store", "fixtures")


def edges_of(files: list[File]) -> Edges:
    """Folder -> the folders that its files include, tests left out; cases are one folder."""
    edges: Edges = {}
    for file in files:
        if not file.is_cpp or file.serves_tests:
            continue
        folder = shown(layering.folder_of(file.path))
        if folder is None:
            continue
        seen = edges.setdefault(folder, set())
        for include in file.includes:
            below = shown(layering.folder_of(include.name)) if include.quoted else None
            if below not in (None, folder):
                seen.add(below)
                edges.setdefault(below, set())
    return edges


def shown(folder: str | None) -> str | None:
    if folder and folder.startswith("cases/") and folder != "cases/support":
        return "cases"
    return folder


def reduced(edges: Edges) -> Edges:
    """Without the arrows that others, one behind the other, say as well."""

    def reach(start: str) -> set[str]:
        found: set[str] = set()
        left = [start]
        while left:
            for below in edges[left.pop()] - found:
                found.add(below)
                left.append(below)
        return found

    reached = {folder: reach(folder) for folder in edges}
    return {
        folder: {b for b in below if not any(b in reached[o] for o in below if o != b)}
        for folder, below in edges.items()
    }


def draw(files: list[File]) -> str:
    arrows = reduced(edges_of(files))
    lines = ["```mermaid", "graph TD"]
    for group in GROUPS:
        members = sorted(f for f in arrows if f.split("/")[0] == group)
        lines.append(f"  subgraph of_{group}[{group}/]")
        lines += [f'    {name(f)}["{f.removeprefix(group + "/")}"]' for f in members]
        lines.append("  end")
    for folder in sorted(arrows):
        lines += [f"  {name(folder)} --> {name(below)}" for below in sorted(arrows[folder])]
    return "\n".join([*lines, "```", ""])


def name(folder: str) -> str:
    return folder.replace("/", "_")


def split(page: str) -> tuple[str, str, str]:
    before, _, rest = page.partition(BEGIN)
    drawn, _, after = rest.partition(END)
    return before, drawn, after


def check(files: list[File], root: str) -> Iterator[Problem]:
    page = pathlib.Path(root, PAGE).read_text(encoding="utf-8")
    if split(page)[1] != draw(files):
        line = page[: page.find(BEGIN)].count("\n") + 1
        text = "the picture is not that of the folders; run ci/checks/picture.py"
        yield Problem(PAGE, line, text)


def main() -> None:
    root = pathlib.Path(__file__).resolve().parents[2]
    page = root / PAGE
    before, _, after = split(page.read_text(encoding="utf-8"))
    text = before + BEGIN + draw(source.load(os.fspath(root))) + END + after
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
