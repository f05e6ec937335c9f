#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much of etcd's watch path the suite and exploration reach.

    etcd_coverage.py [--version 3.6.16] [--explore 5m] [--seed 1]

Builds that release from its Go modules with counters in it, runs every case on it, then explores
it, and prints the share of the statements of each file of the watch path that was executed: by the
suite, by exploration and by both; then the lines that neither executed. The counters of a process
are written several times a second, since many are killed; what it did after the last time is
missing. For measuring ourselves: no verdict rests on such a build. Exit code 77 without Go.
"""

import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import job
from reader import called

# By file and lines: the statements there, and whether they were executed.
Blocks = dict[tuple[str, int, int], tuple[int, bool]]

SERVER = "go.etcd.io/etcd/server/v3"
PACKAGES = ("{server}/storage/mvcc", "{server}/etcdserver/api/v3rpc")
OLD_PACKAGES = ("{server}/mvcc", "{server}/etcdserver/api/v3rpc")  # before 3.6
FILES = re.compile(r"mvcc/(watchable_store|watcher|watcher_group)\.go|v3rpc/watch\.go")
# Lines: "FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS COUNT".
BLOCK = re.compile(r"(.*):(\d+)\.\d+,(\d+)\.\d+ (\d+) (\d+)")
PROGRAM = """package main

import (
	"os"
	"path/filepath"
	"runtime/coverage"
	"strconv"
	"time"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

// write leaves one file of counters of this process, the newest.
func write(folder string) {
	own := "covcounters.*." + strconv.Itoa(os.Getpid()) + ".*"
	before, _ := filepath.Glob(filepath.Join(folder, own))
	if err := coverage.WriteCountersDir(folder); err != nil {
		panic(err)
	}
	for _, file := range before {
		os.Remove(file)
	}
}

func main() {
	folder := os.Getenv("GOCOVERDIR")
	if err := coverage.WriteMetaDir(folder); err != nil {
		panic(err)
	}
	go func() {
		for range time.Tick(200 * time.Millisecond) {
			write(folder)
		}
	}()
	etcdmain.Main(os.Args)
}
"""


def build(version: str, folder: pathlib.Path) -> pathlib.Path:
    """The program with counters in it."""
    (folder / "main.go").write_text(PROGRAM)
    packages = OLD_PACKAGES if version.startswith("3.5") else PACKAGES
    # The counters are only there if those of the program itself are.
    covered = ",".join(["covered", *(package.format(server=SERVER) for package in packages)])
    make = ["go", "build", "-cover", "-covermode=atomic", f"-coverpkg={covered}", "-o", "etcd", "."]
    for command in (
        ["go", "mod", "init", "covered"],
        ["go", "get", f"{SERVER}@v{version}"],
        ["go", "mod", "tidy"],
        make,
    ):
        subprocess.run(command, cwd=folder, check=True, stdout=sys.stderr)
    return folder / "etcd"


def blocks(counters: list[pathlib.Path], folder: pathlib.Path) -> Blocks:
    """By file and lines: the statements there, and whether they were executed."""
    text = folder / "text"
    inputs = ",".join(map(str, counters))
    subprocess.run(
        ["go", "tool", "covdata", "textfmt", f"-i={inputs}", f"-o={text}"], cwd=folder, check=True
    )
    found: Blocks = {}
    for line in text.read_text().splitlines():
        block = BLOCK.fullmatch(line)
        if block and FILES.search(block[1]):
            key = (block[1].removeprefix(SERVER + "/"), int(block[2]), int(block[3]))
            statements, executed = found.get(key, (0, False))
            found[key] = (max(statements, int(block[4])), executed or int(block[5]) > 0)
    return found


def share(found: Blocks, file: str | None = None) -> str:
    all_of = [one for (name, _, _), one in found.items() if file in (None, name)]
    executed = sum(statements for statements, done in all_of if done)
    return f"{100 * executed / max(1, sum(statements for statements, _ in all_of)):.1f} %"


def main() -> int:
    options = job.parser(__doc__)
    options.add_argument("--version", default="3.6.16")
    options.add_argument("--explore", default="5m")
    options.add_argument("--seed", default="1")
    wanted = options.parse_args()
    job.needs("go")
    watchproof = job.build("watchproof") / "watchproof"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        target = f"etcd:{build(wanted.version, folder)}"
        ways = {
            "suite": ["run", "--progress", "off", "--keep", "none"],
            "explore": ["explore", "--time-budget", wanted.explore],
        }
        counters = {}
        for way, command in ways.items():
            counters[way] = folder / way
            counters[way].mkdir()
            done = called(
                [
                    watchproof,
                    *command,
                    "--target",
                    target,
                    "--seed",
                    wanted.seed,
                    "--run-dir",
                    folder / "runs",
                ],
                env=os.environ | {"GOCOVERDIR": str(counters[way])},
            )
            print(f"{way}: exit code {done.returncode}", flush=True)
        reached = {way: blocks([place], folder) for way, place in counters.items()}
        reached["both"] = blocks(list(counters.values()), folder)
    files = sorted({name for name, _, _ in reached["both"]})
    for file in [*files, None]:
        print(
            f"{file or 'all of it':40}",
            *(f"{way} {share(found, file)}" for way, found in reached.items()),
        )
    left = collections.defaultdict(list)
    for (file, first, last), (_, executed) in sorted(reached["both"].items()):
        if not executed:
            left[file].append(f"{first}-{last}" if last > first else str(first))
    for file, lines in left.items():
        print(f"not executed in {file}: lines {', '.join(lines)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
