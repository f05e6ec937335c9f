#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes mutants of the embedded store and weaves them into copies of its sources.

    mutate.py --root SOURCES --commands compile_commands.json --output FOLDER
    mutate.py --root SOURCES --list | --seeing

FOLDER gets the woven sources at the same paths as the originals, so that it can stand before the
originals among the include folders, and mutants.jsonl with one row for each mutant. --list prints
the sources that have mutants; --seeing prints all that see a mutant, in their own text or in that
of a header.
"""

import argparse
import concurrent.futures
import json
import os
import re
import sys
import time
from collections.abc import Iterator

from mutant import Mutant
from weave import Weaver

FOLDERS = ("embedded_store/lease", "embedded_store/mvcc", "embedded_store/watch")
LEFT_OUT = re.compile(r"_(?:test|bench|fuzz|fixture)\.(?:cc|h)$")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
SYSTEM_HEADER = re.compile(r"^#include <([^>]+)>", re.MULTILINE)
TABLE = "mutants.jsonl"


def sources(root: str) -> Iterator[str]:
    """Of all mutants, relative to the root."""
    for folder in FOLDERS:
        for name in sorted(os.listdir(os.path.join(root, folder))):
            if name.endswith((".cc", ".h")) and not LEFT_OUT.search(name):
                yield f"{folder}/{name}"


class Includes:
    """Which files see one of the mutated ones."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.seen = dict.fromkeys(sources(root), True)

    def sees(self, path: str) -> bool:
        if path not in self.seen:
            self.seen[path] = False  # in a circle
            try:
                with open(os.path.join(self.root, path), encoding="utf-8") as file:
                    text = file.read()
            except OSError:  # generated
                return False
            self.seen[path] = any(self.sees(name) for name in INCLUDE.findall(text))
        return self.seen[path]


def seeing(root: str) -> Iterator[str]:
    """Of the whole project, relative to the root."""
    includes = Includes(root)
    for top in sorted(os.listdir(root)):
        if top == "build" or top.startswith("."):
            continue
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                path = os.path.relpath(os.path.join(folder, name), root)
                if name.endswith(".cc") and includes.sees(path):
                    yield path


def find_in(job: tuple[str, str, list[str], list[str]]) -> tuple[str, str, list[Mutant]]:
    root, name, flags, precompiled = job
    import operators
    import source_tree

    path = os.path.join(root, name)
    try:
        file = source_tree.parse(path, flags + precompiled)
    except source_tree.Unreadable:  # clang cannot read every header of gcc back
        file = source_tree.parse(path, flags)
    return name, file.text, operators.find(file, name)


def write(folder: str, name: str, text: str) -> None:
    """Leaves what did not change alone, so that nothing is compiled again for it."""
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    except OSError:
        pass
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def report(text: str) -> None:
    print(f"store mutants: {text}", file=sys.stderr, flush=True)


def find_all(options: argparse.Namespace, flags: list[str]) -> tuple[dict[str, str], list[Mutant]]:
    import source_tree

    headers = set()
    for name in sources(options.root):
        with open(os.path.join(options.root, name), encoding="utf-8") as file:
            headers.update(SYSTEM_HEADER.findall(file.read()))
    os.makedirs(options.output, exist_ok=True)
    with_headers = os.path.join(options.output, "headers.pch")
    precompiled = source_tree.precompile(sorted(headers), flags, with_headers)
    jobs = [(options.root, name, flags, precompiled) for name in sources(options.root)]
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        found = list(pool.map(find_in, jobs))
    return {name: text for name, text, _ in found}, [one for *_, some in found for one in some]


def make(options: argparse.Namespace) -> None:
    import compiling
    import mutant
    import weave

    began = time.monotonic()
    with_code = [
        os.path.join(options.root, name) for name in sources(options.root) if name.endswith(".cc")
    ]
    known = compiling.commands(options.commands, with_code)
    texts, mutants = find_all(options, compiling.flags_of(known[with_code[0]][0]))
    mutants = mutant.number(mutants)
    report(f"{len(mutants)} found in {time.monotonic() - began:.0f} s")
    mirror = os.path.join(options.output, "try")

    def weave_into(folder: str, chosen: list[Mutant]) -> dict[str, Weaver]:
        weavers = {}
        for name, text in texts.items():
            weavers[name] = weave.Weaver(text, [one for one in chosen if one.file == name])
            write(folder, name, weavers[name].text)
        return weavers

    compiler = compiling.Compiler(options.root, mirror, known, options.jobs)
    compiling.Dropping(mutants, lambda chosen: weave_into(mirror, chosen), compiler, report).run()
    left = [one for one in mutants if one.compiles]
    weave_into(options.output, left)
    write(options.output, TABLE, "".join(json.dumps(one.row()) + "\n" for one in mutants))
    report(f"{len(left)} of {len(mutants)} compile, {time.monotonic() - began:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--root", required=True, type=os.path.abspath)
    parser.add_argument("--commands")
    parser.add_argument("--output", type=os.path.abspath)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seeing", action="store_true")
    options = parser.parse_args()
    if options.list:
        print("\n".join(sources(options.root)))
    elif options.seeing:
        print("\n".join(seeing(options.root)))
    else:
        make(options)


if __name__ == "__main__":
    main()
