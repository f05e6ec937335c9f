#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damages recordings in many ways and lets `watchproof check` judge the result.

    ci/jobs/damage.py [PATH...] [--cuts 20] [--flips 200] [--seed 1] [--jobs N]

PATH is a recording or a folder with recordings, such as that of a run with --keep all; without one
every case is recorded with every planted defect. First each path is judged as it is, beside the
verdicts of its run. Then each recording is cut at 20 places and has one bit flipped at 200 places,
each change in a copy of its own. Every copy must be called inconclusive, by name, and be exit code
2; or 1 where the whole recording has findings. Prints the counts; exit code 1 when a copy, or a
recording as it is, was judged otherwise.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import job
from reader import called

BATCH = 44  # copies that one command judges: few, so that large recordings do not fill the disk
GREEN = re.compile(r"\bclean\b|same as before|\bpass\b")
JUDGED = re.compile(r"^  judged up to line \d+ of (.*); what follows is unknown$")


def recordings_in(path: str | pathlib.Path) -> list[pathlib.Path]:
    path = pathlib.Path(path)
    return sorted(path.rglob("*.wire.zst")) if path.is_dir() else [path]


def check(watchproof: str, *paths: str | pathlib.Path) -> subprocess.CompletedProcess[str]:
    return called(
        [watchproof, "check", *map(str, paths)], errors="replace", stdin=subprocess.DEVNULL
    )


def damaged(contents: bytes, cuts: int, flips: int, seed: str) -> Iterator[tuple[str, bytes]]:
    """Yields (what was done, bytes). The first and the last byte are always among the cuts."""
    draw = random.Random(seed)
    size = len(contents)
    places = {0, size - 1}
    while len(places) < min(cuts, size):
        places.add(draw.randrange(size))
    for length in sorted(places):
        yield f"cut-{length}", contents[:length]
    for bit in draw.sample(range(8 * size), min(flips, 8 * size)):
        flipped = bytearray(contents)
        flipped[bit // 8] ^= 1 << bit % 8
        yield f"flip-{bit}", bytes(flipped)


def problems_of(
    done: subprocess.CompletedProcess[str], copies: list[pathlib.Path], codes: tuple[int, ...]
) -> Iterator[str]:
    """Problems in the judgement of these copies, all of which are damaged."""
    if done.returncode not in codes:
        yield f"exit code {done.returncode}, not among {codes}; {done.stderr.strip()}"
    headings = [line for line in done.stdout.splitlines() if not line.startswith(" ")]
    if len(headings) != len(copies):
        yield f"{len(headings)} judgements of {len(copies)} copies; {done.stderr.strip()}"
    for line in headings:
        if GREEN.search(line) or ": inconclusive: " not in line:
            yield f"not called inconclusive: {line}"
    named = {match[1] for match in map(JUDGED.match, done.stdout.splitlines()) if match}
    for copy in copies:
        if str(copy) not in named:
            yield f"not said to be damaged: {copy.name}"


def damage(
    watchproof: str, recording: pathlib.Path, cuts: int = 20, flips: int = 200, seed: int = 1
) -> tuple[collections.Counter[str], list[str]]:
    """Returns the counts of exit codes and copies, and the problems."""
    counts: collections.Counter[str] = collections.Counter()
    problems: list[str] = []
    contents = recording.read_bytes()
    with tempfile.TemporaryDirectory(prefix="wp-damage-") as folder:
        copies: list[pathlib.Path] = []
        # In a folder without a verdict every finding is new.
        whole = pathlib.Path(folder) / "whole.wire.zst"
        whole.write_bytes(contents)
        codes = (1, 2) if check(watchproof, whole).returncode == 1 else (2,)

        def judge() -> None:
            if not copies:
                return
            done = check(watchproof, *copies)
            counts["copies"] += len(copies)
            counts[f"exit {done.returncode}"] += 1
            problems.extend(f"{recording}: {text}" for text in problems_of(done, copies, codes))
            for copy in copies:
                copy.unlink()
            copies.clear()

        whole.unlink()
        for what, changed in damaged(contents, cuts, flips, f"{seed} {recording.name}"):
            copy = pathlib.Path(folder) / f"{what}.wire.zst"
            copy.write_bytes(changed)
            copies.append(copy)
            if len(copies) == BATCH:
                judge()
        judge()
    return counts, problems


def check_whole(
    watchproof: str, path: str | pathlib.Path
) -> tuple[collections.Counter[str], list[str]]:
    """Judges a path as it is. Returns counts and what differs from the verdicts beside it."""
    done = check(watchproof, path)
    headings = [line for line in done.stdout.splitlines() if not line.startswith(" ")]
    counts: collections.Counter[str] = collections.Counter()
    problems = [f"{path}: {done.stderr.strip()}"] if done.stderr.strip() else []
    for line in headings:
        words = ("same as before", "in other words", "changed", "inconclusive:", "clean")
        said = next((word for word in words if word in line), "found")
        counts[said.rstrip(":")] += 1
        unproven = said == "inconclusive:" and "was unsupported" not in line
        if unproven or said in ("changed", "in other words"):
            problems.append(line)
    return counts, problems


def main() -> int:
    parser = job.parser(__doc__)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--cuts", type=int, default=20)
    parser.add_argument("--flips", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    watchproof = str(job.build("watchproof") / "watchproof")
    with tempfile.TemporaryDirectory(prefix="wp-damage-") as runs:
        if not options.paths:
            # Exit code 1 only means that a defect was not caught, which is not the question here.
            subprocess.run(
                [
                    watchproof,
                    "run",
                    "--defects",
                    "all",
                    "--keep",
                    "all",
                    "--run-dir",
                    runs,
                    "--progress",
                    "off",
                ],
                stdout=sys.stderr,
                stdin=subprocess.DEVNULL,
                check=False,
            )
            options.paths = [os.path.join(runs, "latest")]
        problems = judge_all(watchproof, options)
    sys.exit(1 if problems else 0)


def judge_all(watchproof: str, options: argparse.Namespace) -> list[str]:
    """Prints the counts; returns the problems."""
    whole: collections.Counter[str] = collections.Counter()
    counts: collections.Counter[str] = collections.Counter()
    problems: list[str] = []
    recordings = []
    for path in options.paths:
        seen, wrong = check_whole(watchproof, path)
        whole.update(seen)
        problems += wrong
        recordings += recordings_in(path)
    print(f"{len(recordings)} recordings as they are: {dict(whole)}")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        todo = [
            pool.submit(damage, watchproof, path, options.cuts, options.flips, options.seed)
            for path in recordings
        ]
        for task in todo:
            seen, wrong = task.result()
            counts.update(seen)
            problems += wrong
    copies = counts.pop("copies", 0)
    print(f"{copies} damaged copies, in batches of at most {BATCH}: {dict(counts)}")
    for problem in problems[:50]:
        print(f"  wrong: {problem}")
    print(f"{len(problems)} judged otherwise than they must be")
    return problems if recordings else ["no recordings"]


if __name__ == "__main__":
    main()
