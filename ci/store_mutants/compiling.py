# SPDX-License-Identifier: Apache-2.0
"""Leaves out the mutants that do not compile.

All are compiled together, the compiler says where it found errors, and the mutants at those places
go; again, until there are no errors. Where several share a place, each then gets a second chance.
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable, Iterator

from mutant import Mutant
from weave import Weaver

PLACE = re.compile(r"(\S[^:]*):(\d+):(\d+):\s+(error|fatal error|note|required from)")
MOST_ROUNDS = 40


def commands(database: str, sources: list[str]) -> dict[str, tuple[list[str], str]]:
    """Of each source, the words of its compilation, without those about output and warnings."""
    with open(database, encoding="utf-8") as file:
        entries = {entry["file"]: entry for entry in json.load(file)}
    result = {}
    for source in sources:
        words = shlex.split(entries[source]["command"])
        kept, skip = [], False
        compiler = next(
            i
            for i, word in enumerate(words)
            if re.search(r"(?:^|/)(?:c\+\+|g\+\+|clang\+\+)[-\d]*$", word)
        )
        for word in words[compiler:]:
            if skip or word in ("-o", "-c", "-Werror", "-Winvalid-pch", source):
                skip = word == "-o" and not skip
                continue
            kept.append(word)
        result[source] = (kept, entries[source]["directory"])
    return result


def flags_of(words: list[str]) -> list[str]:
    """What a reader of the source has to know: definitions, folders and the language."""
    kept = [word for word in words if re.match(r"-(?:D|I|std=)", word)]
    folders = [words[i + 1] for i, word in enumerate(words) if word == "-isystem"]
    return ["-x", "c++", *kept, *(word for folder in folders for word in ("-isystem", folder))]


class Compiler:
    """Compiles the woven sources in a folder that shadows the originals."""

    def __init__(
        self, root: str, woven: str, known: dict[str, tuple[list[str], str]], jobs: int
    ) -> None:
        self.root = root
        self.woven = woven
        self.known = known
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)

    def messages(self, source: str) -> tuple[int, str]:
        words, folder = self.known[source]
        path = os.path.join(self.woven, os.path.relpath(source, self.root))
        command = [
            words[0],
            f"-I{self.woven}",
            *words[1:],
            "-w",
            "-Wno-narrowing",
            "-fmax-errors=0",
            "-fsyntax-only",
            "-fdiagnostics-color=never",
            path,
        ]
        run = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
        return (run.returncode, run.stderr)

    def errors(self, sources: list[str]) -> Iterator[tuple[str, str]]:
        """Yields (source, messages) of those that do not compile."""
        for source, (code, text) in zip(
            sources, self.pool.map(self.messages, sources), strict=True
        ):
            if code != 0:
                yield source, text


def blamed(text: str, woven: str, weavers: dict[str, Weaver]) -> set[tuple[int, ...]]:
    """The ids of the mutants in which the compiler found errors, in groups of one place. Where an
    error is in other code, the way there leads through a mutant: a template that is made for it, or
    a macro that it is in."""
    groups: set[tuple[int, ...]] = set()
    before: list[tuple[int, ...]] = []  # places that lead to an error
    after: bool | None = None  # whether an error has yet no mutant
    for line in text.splitlines():
        found = PLACE.match(line)
        if not found:
            continue
        path, row, column, what = found.groups()
        name = os.path.relpath(path, woven)
        ids: tuple[int, ...] = ()
        if name in weavers:
            ids = tuple(
                weavers[name].blamed(int(row), int(column))
                or weavers[name].on_line(int(row)) * (what == "note")
            )
        if what == "required from":
            before.append(ids)
        elif what == "note":
            if after and ids:
                groups.add(ids)
                after = False
        else:
            ids = ids or next((one for one in before if one), ())
            groups.update([ids] if ids else [])
            before, after = [], not ids
    return groups


class Dropping:
    """Finds out which mutants compile. `weave` writes those that it is given, and returns the
    weaver of each file by its name."""

    def __init__(
        self,
        mutants: list[Mutant],
        weave: Callable[[list[Mutant]], dict[str, Weaver]],
        compiler: Compiler,
        report: Callable[[str], None],
    ) -> None:
        self.mutants = {mutant.id: mutant for mutant in mutants}
        self.weave = weave
        self.compiler = compiler
        self.report = report
        self.shared: list[list[int]] = []  # groups that were left out together

    def run(self) -> None:
        self.settle(set(self.mutants))
        # One of each group at a time.
        groups = list(self.shared)
        for place in range(max((len(group) for group in groups), default=0)):
            again = {group[place] for group in groups if place < len(group)}
            for id in again:
                self.mutants[id].compiles = True
            self.settle(again)

    def settle(self, suspects: set[int]) -> None:
        """Leaves out suspects until everything compiles."""
        sources = list(self.compiler.known)
        for _ in range(MOST_ROUNDS):
            weavers = self.weave([one for one in self.mutants.values() if one.compiles])
            failing = list(self.compiler.errors(sources))
            self.report(f"{len(failing)} sources with errors")
            if not failing:
                return
            out = set()
            for source, text in failing:
                out |= self.accused(source, text, suspects, weavers)
            for id in out:
                self.mutants[id].compiles = False
            # A header is compiled with every source.
            headers = any(self.mutants[id].file.endswith(".h") for id in out)
            sources = list(self.compiler.known) if headers else [source for source, _ in failing]
        raise ValueError("the mutants do not compile")

    def accused(
        self, source: str, text: str, suspects: set[int], weavers: dict[str, Weaver]
    ) -> set[int]:
        out: set[int] = set()
        for ids in blamed(text, self.compiler.woven, weavers):
            group = [id for id in ids if id in suspects]
            if len(group) > 1:
                self.shared.append(group)
            out.update(group)
        if not out:
            out = {
                id
                for id in suspects
                if self.mutants[id].compiles and source.endswith(self.mutants[id].file)
            }
            self.report(f"{source}: no place of its errors is that of a mutant, {len(out)} out")
        if not out:
            raise ValueError(f"{source}: errors that no mutant explains:\n{text[:3000]}")
        return out
