#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the known bugs of releases of etcd look like: the cases of each, once per seed.

    ci/jobs/known.py RELEASE[,TOPOLOGY] ... [--seeds 11,5eed,7] [--bug NAME ...] [--output FOLDER]

Prints, for each bug of the answer key that a release has and each case that shows it, the findings
of every seed: with a signature of the bug, with that of another bug, and without any. Those of the
last kind are new: a known bug explains no finding that does not look like it. Exit code 1 if an
attempt ended as a new failure. Cases of consumers are left out.
"""

import argparse
import collections
import dataclasses
import os
import pathlib
import subprocess
import sys
import tomllib
from typing import Any

import job
from reader import Result, all_findings, listed, results_of

Row = dict[str, Any]

ROOT = job.JOBS.parents[1]


def name_of(bug: Row) -> str:
    return bug.get("name") or f"#{bug['upstream'][0]}"


def read_key(only: list[str]) -> list[Row]:
    with open(ROOT / "fixtures" / "bugs" / "etcd.toml", "rb") as key:
        bugs = [bug for bug in tomllib.load(key)["bug"] if bug.get("shown")]
    return [bug for bug in bugs if not only or name_of(bug) in only]


def affected(watchproof: pathlib.Path, release: str) -> set[str]:
    """The names of the bugs that it has, as watchproof understands the ranges of the key."""
    version, _, topology = release.partition(",")
    bugs = listed(watchproof, "bugs", version)
    return {bug.name for bug in bugs if bug.facts["topology"] in ("", topology)}


def run(
    options: argparse.Namespace, release: str, cases: list[str], seed: str
) -> dict[str, Result]:
    """The attempts, by case."""
    folder = options.output / release.replace(",", "+") / seed
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [
            options.watchproof,
            "run",
            "--target",
            f"etcd@{release}",
            "--filter",
            ":".join(cases),
            "--seed",
            f"0x{seed}",
            "--jobs",
            str(options.jobs),
            "--progress",
            "off",
            "--quiet",
            "--run-dir",
            folder,
        ],
        check=False,
        stdout=subprocess.DEVNULL,
    )
    latest = folder / "latest"
    found = {result.case: result for result in results_of(latest)}
    return {
        case: dataclasses.replace(result, findings=all_findings(latest, result))
        for case, result in found.items()
    }


def counts(bug: Row, result: Result) -> str:
    """As shown in a cell: findings with a signature of the bug, with another one, without any."""
    if result.verdict != "fail":
        return result.verdict
    looks = collections.Counter(
        "own"
        if finding.resembles in bug.get("signatures", [])
        else "other"
        if finding.resembles
        else "none"
        for finding in result.findings
    )
    return f"{looks['own']}/{looks['other']}/{looks['none']}{'' if result.known else ' NEW'}"


def main() -> int:
    parser = job.parser(__doc__)
    parser.add_argument("releases", nargs="+", metavar="RELEASE[,TOPOLOGY]")
    parser.add_argument("--seeds", default="11,5eed,7", metavar="HEX,...")
    parser.add_argument("--bug", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2 * (os.cpu_count() or 1))
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("known"))
    parser.add_argument("--watchproof", type=pathlib.Path)
    options = parser.parse_args()
    options.watchproof = options.watchproof or job.build("watchproof") / "watchproof"
    options.output = options.output.resolve()
    seeds = options.seeds.split(",")
    print("findings with a signature of the bug / with that of another / without any")
    print(f"{'release':18} {'bug':28} {'case':42} " + " ".join(f"{seed:>14}" for seed in seeds))
    good = True
    for release in options.releases:
        has = affected(options.watchproof, release)
        bugs = [bug for bug in read_key(options.bug) if name_of(bug) in has]
        cases = sorted(
            {
                shown["case"]
                for bug in bugs
                for shown in bug["shown"]
                if not shown["case"].startswith("Consumers.")
            }
        )
        if not cases:
            continue
        runs = [run(options, release, cases, seed) for seed in seeds]
        good &= all(
            result.known or result.verdict != "fail"
            for results in runs
            for result in results.values()
        )
        for bug in bugs:
            for shown in bug["shown"]:
                if shown["case"] not in cases:
                    continue
                cells = [
                    counts(bug, results[shown["case"]]) if shown["case"] in results else "-"
                    for results in runs
                ]
                print(
                    f"{release:18} {name_of(bug)[:28]:28} {shown['case']:42} "
                    + " ".join(f"{cell:>14}" for cell in cells)
                )
        sys.stdout.flush()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
