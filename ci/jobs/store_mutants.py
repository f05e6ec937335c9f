#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many bugs of the embedded store are found: machine-made mutants of it, one after the other.

    store_mutants.py [--sample N] [--seed S] [--only ID,...] [--way NAME ...]
                     [--with NAME='COMMAND {binary} {id} {seed} {folder}'] [--limit NAME=SECONDS]
                     [--output FOLDER] [--resume] [--least PERCENT]

Builds a program with all mutants in it (ci/store_mutants), draws some of them, and runs each way of
finding bugs on each. Exit code 1 of a way means that it killed the mutant, 0 that the mutant
survived, 2 that nothing was decided, which counts as survived; a crash, another code and a run out
of time kill it, too; the table names each. Known ways: `tests`, the store's own unit
tests; `virtual`, 6000 scripts of `explore --virtual`; `live`, a minute of `explore` of the running
store; `suite`, all cases on it; --with adds others. `suite` is the one that runs if none is named.

Every way first runs without a mutant and must survive; that run also shows which mutants it reaches
at all. FOLDER gets results.jsonl, one row for each mutant and way, and table.md with the rates and
the survivors. --resume leaves out what is in results.jsonl already. Mutants that
ci/store_mutants/equivalent.toml shows to be equivalent are not drawn. --reached-only draws only
among those that some way reaches without a mutant. With --least the exit code is 1 if less of the
drawn mutants were killed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ci" / "store_mutants"))
import equivalent
import outcomes
import table
from outcomes import Row

PACKAGES = ("libclang-common-16-dev", "libclang1-16", "python3-clang-16")
TESTS = ("lease_test", "mvcc_test", "watch_test")
BUILD_FOLDER = ROOT / "build" / "release"
ALL_TESTS = " && ".join(
    f"{{build}}/{test}_mutants --gtest_brief=1 --gtest_fail_fast" for test in TESTS
)
WAYS = {
    "tests": ALL_TESTS,
    "virtual": "{binary} explore --virtual --fail-fast --scripts 6000 --seed 0x{seed}",
    "live": "{binary} explore --target embedded --fail-fast --time-budget 60s --seed 0x{seed} "
    "--run-dir {folder}/run",
    "suite": "{binary} run --target embedded --fail-fast --jobs 1 --keep none --progress off "
    "--seed {seed} --run-dir {folder}/run",
}
LIMITS = {"tests": 60, "live": 180, "suite": 600, "virtual": 120}
LIMIT = 60


def say(text: str) -> None:
    print(text, flush=True)


def build() -> float:
    """Returns the seconds that the woven sources and the programs took."""
    subprocess.run([ROOT / "ci/jobs/setup.sh", *PACKAGES], check=True)
    began = time.monotonic()
    for command in (
        ["cmake", "--preset", "ci", "-DWATCHPROOF_STORE_MUTANTS=ON"],
        [
            "cmake",
            "--build",
            "--preset",
            "ci",
            "--parallel",
            "2",
            "--target",
            "watchproof_mutants",
            *TESTS,
            *(f"{test}_mutants" for test in TESTS),
        ],
    ):
        subprocess.run(command, cwd=ROOT, check=True, stdout=sys.stderr)
    return time.monotonic() - began


def slowdown(folder: pathlib.Path) -> None:
    """How much longer the unit tests take with the mutants in them, and none chosen."""
    originals = {"lease_test": "lease", "mvcc_test": "mvcc", "watch_test": "watch"}
    for test, area in originals.items():
        times = []
        for program in (folder / "embedded_store" / area / test, folder / f"{test}_mutants"):
            runs = []
            for _ in range(3):
                began = os.times()
                subprocess.run(
                    [program, "--gtest_brief=1", "--gtest_repeat=10"],
                    check=True,
                    capture_output=True,
                )
                ended = os.times()
                runs.append(
                    ended.children_user
                    + ended.children_system
                    - began.children_user
                    - began.children_system
                )
            times.append(min(runs))
        say(
            f"{test}: {times[0]:.2f} s of processor time, with mutants {times[1]:.2f} s "
            f"({times[1] / times[0]:.2f})"
        )


class Runner:
    """Runs ways on mutants, and appends what came of it to results.jsonl."""

    def __init__(self, options: argparse.Namespace, mutants: dict[int, Row]) -> None:
        self.options = options
        self.mutants = mutants
        self.bytes = max(mutants) + 1
        self.results = outcomes.Results(options.output / "results.jsonl", options.resume)
        self.wasteful: dict[int, str] = {}  # by id: what those waste that change nothing else
        self.reached: dict[
            str, set[int]
        ] = {}  # by way: the mutants that the program without one reaches
        self.lock = threading.Lock()
        self.done = 0

    def run(self, way: str, id: int, folder: pathlib.Path) -> tuple[outcomes.Ended, bytes]:
        """One way on one mutant, or on the program without one if the id is 0."""
        noted = folder / "reached"
        noted.write_bytes(bytes(self.bytes))
        words = {
            "binary": self.options.build / "watchproof_mutants",
            "build": self.options.build,
            "id": id,
            "seed": f"{self.options.seed:x}",
            "folder": folder,
        }
        environment = dict(os.environ, WATCHPROOF_STORE_MUTANTS_REACHED=str(noted))
        if id:
            environment["WATCHPROOF_STORE_MUTANT"] = str(id)
        ended = outcomes.run(
            self.options.ways[way].format(**words),
            environment,
            folder,
            self.options.limits.get(way, LIMIT) * (1 if id else 3),
        )
        return ended, noted.read_bytes()

    def baseline(self, way: str) -> None:
        with tempfile.TemporaryDirectory(prefix="wp-mutants-") as folder:
            ended, noted = self.run(way, 0, pathlib.Path(folder))
        if ended.code not in (0, 2):
            sys.exit(f"{way}: without a mutant it ends with {ended.reason}\n{ended.tail}")
        self.reached[way] = {id for id in self.mutants if noted[id]}
        say(
            f"{way}: {ended.seconds:.1f} s without a mutant ({ended.reason}), reaches "
            f"{len(self.reached[way])} of {len(self.mutants)} mutants"
        )

    def one(self, way: str, id: int, count: int) -> None:
        if self.options.reached_only and id not in self.reached[way]:
            ended, reached = outcomes.Ended(0, False, 0, ""), False
        else:
            with tempfile.TemporaryDirectory(prefix="wp-mutants-") as folder:
                ended, noted = self.run(way, id, pathlib.Path(folder))
            reached = bool(noted[id])
        row = self.results.add(self.mutants[id], way, ended, reached)
        with self.lock:
            self.done += 1
            say(
                f"[{self.done}/{count}] {way} {id} {row['verdict']} ({row['reason']}), "
                f"{ended.seconds:.1f} s: {self.mutants[id]['file']}:{self.mutants[id]['line']} "
                f"{self.mutants[id]['operator']}"
            )

    def all(self, drawn: list[int]) -> None:
        work = [
            (way, id)
            for way in self.options.ways
            for id in drawn
            if not self.results.has(self.mutants[id], way)
        ]
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for job in [pool.submit(self.one, way, id, len(work)) for way, id in work]:
                job.result()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=pathlib.Path, default=BUILD_FOLDER)
    parser.add_argument("--no-build", action="store_true", help="the programs are there already")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("store-mutants"))
    parser.add_argument("--sample", type=int, metavar="N", help="draw N mutants (default: all)")
    parser.add_argument("--seed", type=lambda text: int(text, 16), default=1, metavar="HEX")
    parser.add_argument("--only", metavar="ID,...")
    parser.add_argument("--way", action="append", default=[], help=f"one of {', '.join(WAYS)}")
    parser.add_argument("--with", dest="extra", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--limit", action="append", default=[], metavar="NAME=SECONDS")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument(
        "--reached-only",
        action="store_true",
        help="draw only among those that a way reaches without a mutant",
    )
    parser.add_argument("--least", type=float, default=0, metavar="PERCENT")
    parser.add_argument("--slowdown", action="store_true", help="measure it")
    options = parser.parse_args()
    extra = dict(text.split("=", 1) for text in options.extra)
    for way in options.way:
        if way not in WAYS:
            parser.error(f"no way {way}; there are {', '.join(WAYS)}, and --with")
    named = options.way or ([] if extra else ["suite"])
    options.ways = {way: WAYS[way] for way in named} | extra
    options.limits = LIMITS | {
        name: float(seconds) for name, seconds in (text.split("=") for text in options.limit)
    }
    return options


def draw(options: argparse.Namespace, mutants: dict[int, Row], reached: set[int]) -> list[int]:
    if options.only:
        ids = [int(id) for id in options.only.split(",")]
        strange = [id for id in ids if id not in mutants]
        if strange:
            sys.exit(f"no mutants that compile: {strange}")
        return ids
    ids = sorted(reached if options.reached_only else mutants)
    if options.sample is None or options.sample >= len(ids):
        return ids
    return sorted(random.Random(options.seed).sample(ids, options.sample))


def main() -> None:
    options = parse()
    options.output.mkdir(parents=True, exist_ok=True)
    options.output = options.output.absolute()
    if not options.no_build:
        say(f"built in {build():.0f} s")
    every = table.load(options.build / "store_mutants" / "mutants.jsonl")
    compiling = {row["id"]: row for row in every if row["compiles"]}
    equivalents = equivalent.load(ROOT / "ci/store_mutants/equivalent.toml", compiling.values())
    say(table.census(every, equivalents))
    if options.slowdown:
        slowdown(options.build)
    judged = (
        compiling
        if options.only
        else {id: row for id, row in compiling.items() if id not in equivalents}
    )
    runner = Runner(options, judged)
    runner.wasteful = equivalent.load(
        ROOT / "ci/store_mutants/equivalent.toml", compiling.values(), "resources"
    )
    for way in options.ways:
        runner.baseline(way)
    drawn = draw(options, judged, set().union(*runner.reached.values()))
    runner.all(drawn)
    text = table.report(ROOT, runner, drawn)
    (options.output / "table.md").write_text(text, encoding="utf-8")
    say(text.split("\n## ")[0])
    say(f"survivors: {options.output / 'table.md'}")
    if 100 * table.Survey(runner, drawn).any_killed() < options.least * len(drawn):
        sys.exit(f"less than {options.least} % were killed")


if __name__ == "__main__":
    main()
