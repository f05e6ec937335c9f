#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every release of etcd in one matrix: the full profile, once per seed.

    ci/jobs/matrix.py [RELEASE ...] [--seeds 11,5eed] [--jobs N] [--output FOLDER]

RELEASE: versions that `watchproof fetch` has placed; default: all of them. Prints for each known
bug of a server the releases in their order, red (F) or green (.) by the cases that show it, so that
a fix is where the letters change; x: red by another bug. FOLDER gets the runs, the report.html of
all of them, and screenshots of it where Chromium and npm are. Exit code 1 if a cell is not as the
answer key says, or proves nothing.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib
from typing import Any

import job
from npm import install
from reader import Result, results_of
from server import Skip
from tools import releases

ROOT = job.JOBS.parents[1]
RELEASES = releases() / "etcd"


def version_order(version: str) -> tuple[list[int], bool, str]:
    numbers, _, pre = version.partition("-")
    return [int(part) for part in numbers.split(".")], not pre, pre


def run(
    watchproof: pathlib.Path, options: argparse.Namespace, seed: str
) -> tuple[pathlib.Path, bool]:
    """The folder of the run, and whether everything was as expected."""
    folder = options.output / f"seed-{seed}"
    targets = [word for release in options.releases for word in ("--target", f"etcd@{release}")]
    done = subprocess.run(
        [
            watchproof,
            "run",
            "--profile",
            "full",
            *targets,
            "--target",
            "embedded",
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
    )
    return (folder / "latest").resolve(), done.returncode == 0


def by_cell(runs: list[pathlib.Path]) -> dict[tuple[str, str], list[Result]]:
    """By case and release: the results of all attempts."""
    found = collections.defaultdict(list)
    for folder in runs:
        for result in results_of(folder):
            if result.target.startswith("etcd@"):
                found[result.case, result.target.removeprefix("etcd@")].append(result)
    return found


def letter(bug: dict[str, Any], results: list[Result]) -> str:
    verdicts = {result.verdict for result in results}
    if "fail" not in verdicts:
        return "." if "pass" in verdicts else "-"
    named = {
        finding.resembles for result in results for finding in result.findings if finding.resembles
    }
    return "F" if named & set(bug["signatures"]) else "x"


def table(releases: list[str], found: dict[tuple[str, str], list[Result]]) -> str:
    with open(ROOT / "fixtures" / "bugs" / "etcd.toml", "rb") as key:
        bugs = tomllib.load(key)["bug"]
    lines = []
    for bug in bugs:
        if "topology" in bug:
            continue
        name = f"#{bug['upstream'][0]}" if bug.get("upstream") else bug.get("name", "")
        for shown in bug.get("shown", []):
            letters = "".join(
                letter(bug, found.get((shown["case"], release), [])) for release in releases
            )
            lines.append(
                f"{name[:24]:24} {shown['case'][:40]:40} {letters}  {', '.join(bug['affected'])}"
            )
    return "\n".join(["releases: " + " ".join(releases), *lines])


def take_pictures(output: pathlib.Path) -> None:
    chromium = shutil.which("chromium")
    if not chromium:
        raise Skip("no chromium here; install Debian's")
    packages = install(job.BUILD / "page", ROOT / "harness" / "report" / "web")
    shutil.copy(job.JOBS.parent / "page" / "screenshots.mjs", packages)
    subprocess.run(
        ["node", packages / "screenshots.mjs", output / "report.html", output],
        check=True,
        cwd=packages,
        env=os.environ | {"WP_CHROMIUM": chromium},
    )


def main() -> int:
    parser = job.parser(__doc__)
    parser.add_argument("releases", nargs="*", metavar="RELEASE")
    parser.add_argument("--seeds", default="11,5eed", metavar="HEX,...")
    parser.add_argument("--jobs", type=int, default=6 * (os.cpu_count() or 1))
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("matrix"))
    parser.add_argument(
        "--runs",
        type=pathlib.Path,
        nargs="*",
        help="runs that are there already: only the page and the table",
    )
    options = parser.parse_args()
    placed = [path.name for path in RELEASES.iterdir()] if RELEASES.is_dir() else []
    options.releases = sorted(options.releases or placed, key=version_order)
    if not options.releases:
        sys.exit(f"{RELEASES}: no releases; try `watchproof fetch --all`")
    strange = [name for name in options.releases if not re.fullmatch(r"\d+\.\d+\.\d+(-.+)?", name)]
    if strange:
        sys.exit(f"{strange[0]}: expected a version such as 3.5.16")
    options.output.mkdir(parents=True, exist_ok=True)
    options.output = options.output.resolve()
    watchproof = job.build("watchproof") / "watchproof"
    done = [(folder.resolve(), True) for folder in options.runs or []] or [
        run(watchproof, options, seed) for seed in options.seeds.split(",")
    ]
    runs = [folder for folder, _ in done]
    subprocess.run([watchproof, "report", *runs, "--output", options.output], check=True)
    print(table(options.releases, by_cell(runs)))
    try:
        take_pictures(options.output)
    except Skip as why:
        print(f"no screenshots: {why}")
    return 0 if all(expected for _, expected in done) else 1


if __name__ == "__main__":
    sys.exit(main())
