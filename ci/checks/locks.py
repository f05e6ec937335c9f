# SPDX-License-Identifier: Apache-2.0
"""Which member needs which lock, by Clang's thread-safety analysis of every file with a mutex.

The build is GCC's; from its commands come the include folders. Headers that everything includes
are compiled once.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator

from source import File, Problem

CLANG = ("clang++-16", "clang++")
MUTEX = "harness/base/mutex.h"
KEPT = ("-I", "-D", "-std=", "-pthread")
PRECOMPILED = "CMakeFiles/pch_grpc.dir/cmake_pch.hxx"
FOUND = re.compile(r"(?m)^(?:\./)?([^:\n]+):(\d+):\d+: (?:warning|error|fatal error): (.+)$")


def find_clang() -> str | None:
    return next((path for path in map(shutil.which, CLANG) if path), None)


def locked(files: list[File]) -> list[str]:
    """The sources that use a mutex, or a header that shows one."""
    includes = {file.path: {one.name for one in file.includes} for file in files}
    showing = {path for path, names in includes.items() if path.endswith(".h") and MUTEX in names}
    return [
        file.path
        for file in files
        if file.path.endswith(".cc")
        and not file.is_test
        and not file.path.startswith("ci/")
        and includes[file.path] & (showing | {MUTEX})
    ]


def flags_of(commands: str) -> list[str]:
    """What names folders and definitions, of all commands together."""
    flags: dict[str, None] = {}
    with open(commands, encoding="utf-8") as stream:
        entries = json.load(stream)
    for entry in entries:
        words = shlex.split(entry["command"])
        for word, following in zip(words, [*words[1:], ""], strict=True):
            if word == "-isystem":
                flags["-isystem" + following] = None
            elif word.startswith(KEPT):
                flags[word] = None
    return list(flags)


def check(files: list[File], root: str, commands: str, clang: str) -> Iterator[Problem]:
    command = [clang, "-Wno-everything", "-Wthread-safety", *flags_of(commands)]

    def run(*words: str) -> list[tuple[str, str, str]]:
        done = subprocess.run(
            [*command, *words], cwd=root, capture_output=True, text=True, check=False
        )
        found = FOUND.findall(done.stderr)
        return found or ([(words[-1], "1", done.stderr)] if done.returncode != 0 else [])

    with tempfile.TemporaryDirectory() as folder:
        header = os.path.join(folder, "all.pch")
        common = pathlib.Path(commands).parent / PRECOMPILED
        problems = run("-x", "c++-header", "-o", header, os.fspath(common))
        if not problems:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                for found in pool.map(
                    lambda path: run("-fsyntax-only", "-include-pch", header, path), locked(files)
                ):
                    problems += found
    for path, line, text in dict.fromkeys(problems):
        yield Problem(path, int(line), text)
