#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the plans that two builds of the command make: every case, over many seeds.

    ci/jobs/plans.py BASE NEW [--seeds 50] [--filter 'Resumable.*']

BASE and NEW are executables. Prints the first difference of each case. Exit code 1 if there is
one. Nothing is started: the target is one that no build knows, and a plan is written before that is
noticed.
"""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import job
from job import reader


def cases_of(command: str | pathlib.Path) -> list[str]:
    return [case.name for case in reader.listed(command, "list", "cases")]


def plan_of(command: str | pathlib.Path, case: str, seed: int) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        plan = pathlib.Path(folder) / "plan"
        spec = {
            "case": case,
            "target": "none",
            "seed": hex(seed),
            "folder": folder,
            "plan": str(plan),
            "result_descriptor": 1,
        }
        # Its name in builds before 0.2.0 comes second.
        for name in ("attempt", "case"):
            words = [command, name, "--spec", json.dumps(spec)]
            ended = subprocess.run(words, capture_output=True, check=False)
            if plan.is_file():
                break
        else:
            sys.exit(f"{command}: no plan of {case} with seed {seed}: {ended.stderr.decode()}")
        # With --force what is not compressed is passed on.
        read = subprocess.run(
            ["zstd", "--decompress", "--stdout", "--force", "--quiet", plan],
            check=True,
            capture_output=True,
        )
        return read.stdout.decode().splitlines()


def first_difference(base: list[str], new: list[str]) -> str | None:
    for line in range(max(len(base), len(new))):
        left, right = (lines[line] if line < len(lines) else "" for lines in (base, new))
        if left != right:
            return f"line {line + 1}\n  - {left}\n  + {right}"
    return None


def compare(flags: argparse.Namespace, case: str) -> str | None:
    for seed in range(1, flags.seeds + 1):
        found = first_difference(*(plan_of(build, case, seed) for build in (flags.base, flags.new)))
        if found:
            return f"{case}, seed {hex(seed)}, {found}"
    return None


def main() -> int:
    parser = job.parser(__doc__)
    parser.add_argument("base", type=os.path.abspath)
    parser.add_argument("new", type=os.path.abspath)
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--filter", default="*")
    flags = parser.parse_args()
    base, new = (
        set(fnmatch.filter(cases_of(build), flags.filter)) for build in (flags.base, flags.new)
    )
    for name in sorted(base ^ new):
        print(f"{name} is only in {flags.base if name in base else flags.new}")
    both = sorted(base & new)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [text for text in pool.map(lambda case: compare(flags, case), both) if text]
    for text in found:
        print(text)
    print(f"{len(both)} cases, {flags.seeds} seeds: {len(found)} cases with other plans")
    sys.exit(1 if found or base ^ new or not both else 0)


if __name__ == "__main__":
    main()
