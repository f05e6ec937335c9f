# SPDX-License-Identifier: Apache-2.0
"""Runs a suite of tests in Go that others wrote, with each test on a store server of its own.

    SUITE = go_suite.Suite(name="kubernetes_storage", module="k8s.io/apiserver",
                           packages={"etcd3": "k8s.io/apiserver/pkg/storage/etcd3"},
                           files={"testserver/server.go": "pkg/storage/etcd3/testserver/x.go"})
    sys.exit(go_suite.main(SUITE, __doc__))

The suite's folder in ci/ has `go.mod` and `go.sum`, the files that stand in for the start of etcd,
and `known_failures.toml`, which gives the reason for each failure that a store shows by its nature.
The module under test is copied into watchproof's cache, and the files go into that copy.
"""

import argparse
import collections
import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from typing import Any

import job
from reader import called
from tools import cache

TEST_MINUTES = 8
RENAMED_FLAG = (3, 6)  # etcd's first release without "experimental" in front of it
LAUNCH = "watchproof.dev/launch"


@dataclasses.dataclass(frozen=True)
class Suite:
    name: str  # of its folder in ci/
    module: str  # under test
    packages: dict[str, str]  # of that module, by short name
    files: dict[str, str]  # of the folder: where they go in the copy of the module
    removed: tuple[str, ...] = ()  # files of the copy that they stand in for, under another name

    @property
    def folder(self) -> pathlib.Path:
        return job.JOBS.parent / self.name


def go(*arguments: str, cwd: pathlib.Path, **how: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["go", *arguments],
        cwd=cwd,
        text=True,
        env=os.environ | {"GOWORK": "off", "GOFLAGS": "-mod=mod"},
        **how,
    )


def prepare(suite: Suite, version: str | None) -> tuple[pathlib.Path, str]:
    """A module in the cache that uses a copy of the one under test, with our files in it."""
    folder = cache() / "suites" / f"{suite.name}-{version or 'pinned'}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("go.mod", "go.sum", "suite.go"):
        shutil.copy(suite.folder / name, folder)
    go("mod", "edit", "-replace", f"{LAUNCH}={job.JOBS.parent / 'launch'}", cwd=folder, check=True)
    if version:
        go("get", f"{suite.module}@v{version}", cwd=folder, check=True)
        go("mod", "tidy", cwd=folder, check=True)
    listed = go(
        "mod", "download", "-json", suite.module, cwd=folder, check=True, capture_output=True
    )
    module = json.loads(listed.stdout)
    copy = folder / "module"
    shutil.copytree(module["Dir"], copy)
    for name in [*suite.removed, *suite.files.values()]:
        (copy / name).parent.chmod(0o755)
        (copy / name).unlink(missing_ok=True)
    for ours, theirs in suite.files.items():
        shutil.copy(suite.folder / ours, copy / theirs)
    go("mod", "edit", "-replace", f"{suite.module}={copy}", cwd=folder, check=True)
    return folder, module["Version"]


def variables(store: str, watchproof: pathlib.Path) -> tuple[dict[str, str], str]:
    """How the tests start a server, and the store's name and version."""
    if store == "embedded":
        return {"WATCHPROOF_STORE": "embedded", "WATCHPROOF_BINARY": str(watchproof)}, "embedded"
    if store.startswith("etcd@"):
        version = store.removeprefix("etcd@")
        binary = job.etcd(watchproof, version)
    elif store.startswith("etcd:"):
        binary = pathlib.Path(store.removeprefix("etcd:")).absolute()
    else:
        raise SystemExit(f"--store {store}; expected embedded, etcd@VERSION or etcd:PATH")
    if not os.access(binary, os.X_OK):
        raise SystemExit(f"{binary} is no program")
    said = called([binary, "--version"], check=True).stdout
    version = next(line.split(": ")[1] for line in said.splitlines() if "etcd Version" in line)
    renamed = tuple(map(int, version.split(".")[:2])) >= RENAMED_FLAG
    flag = f"--{'' if renamed else 'experimental-'}watch-progress-notify-interval"
    return {
        "WATCHPROOF_STORE": "etcd",
        "WATCHPROOF_BINARY": str(binary),
        "WATCHPROOF_PROGRESS_FLAG": flag,
    }, f"etcd {version}"


def run(
    folder: pathlib.Path, packages: dict[str, str], pattern: str | None, environment: dict[str, str]
) -> Iterator[tuple[str, str, str, float, str]]:
    """Yields (package, test, outcome, seconds, output) of each test at its end, subtests, too."""
    command = [
        "go",
        "test",
        "-json",
        "-vet=off",
        "-count=1",
        f"-timeout={TEST_MINUTES}m",
        *(["-run", pattern] if pattern else []),
        *packages.values(),
    ]
    names = {path: name for name, path in packages.items()}
    # GOFLAGS: go.sum is complete, nothing is to be written.
    with subprocess.Popen(
        command,
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        env=os.environ | environment | {"GOWORK": "off", "GOFLAGS": ""},
    ) as tests:
        output = collections.defaultdict(list)
        assert tests.stdout
        for line in tests.stdout:
            event = json.loads(line)
            key = (names.get(event.get("Package"), ""), event.get("Test", ""))
            if event["Action"] in ("output", "build-output"):
                output[key].append(event["Output"])
            elif event["Action"] in ("pass", "fail", "skip"):
                yield *key, event["Action"], event.get("Elapsed", 0), "".join(output.pop(key, []))


def known_failures(suite: Suite, name: str) -> dict[str, str]:
    """The tests that fail on this store, each with the reason."""
    rows = tomllib.loads((suite.folder / "known_failures.toml").read_text()).get("known", [])
    return {
        row["test"]: row["reason"]
        for row in rows
        if any(
            name == store or name.startswith((store + " ", store + ".")) for store in row["stores"]
        )
    }


def leaves(failed: set[str]) -> set[str]:
    """Of the failed tests those that failed by themselves, not because of a subtest."""
    return {test for test in failed if not any(other.startswith(test + "/") for other in failed)}


def report(suite: Suite, name: str, ended: dict[str, str], outputs: dict[str, str]) -> bool:
    """Prints what became of the tests and returns whether it is what is known of the store."""
    known = known_failures(suite, name)
    used = set()
    failed = leaves({test for test, outcome in ended.items() if outcome == "fail"})
    for test in sorted(failed):
        row = next((row for row in known if (test + "/").startswith(row + "/")), None)
        used.add(row)
        if row is None:
            print(f"FAILED: {test}\n{outputs[test]}")
        else:
            print(f"known: {test}: {known[row]}")
    stale = sorted(row for row in known if ended.get(row) == "pass")
    for test in stale:
        print(f"passes, although known_failures.toml lists it: {test}")
    for package in sorted({test.partition(".")[0] for test in ended}):
        # Of the tests, as their authors count them, not of subtests.
        own = [
            outcome
            for test, outcome in ended.items()
            if test.startswith(package + ".") and "/" not in test
        ]
        print(
            f"{name}: {package}: {own.count('pass')} of {len(own)} pass"
            + (f", {own.count('skip')} are skipped" if "skip" in own else "")
        )
    return None not in used and not stale


def parse(suite: Suite, about: str) -> argparse.Namespace:
    options = job.parser(about)
    options.add_argument("--store", default="embedded", metavar="embedded|etcd@VERSION|etcd:PATH")
    options.add_argument("--proxy", action="store_true", help="put watchproof's proxy in between")
    options.add_argument(
        "--version", metavar="VERSION", help=f"of {suite.module} (default: that of go.mod)"
    )
    options.add_argument(
        "--package", choices=suite.packages, action="append", help="repeatable (default: all)"
    )
    options.add_argument("--run", metavar="PATTERN", help="only these tests, as for go test")
    options.add_argument("--verbose", action="store_true", help="one line per subtest, too")
    return options.parse_args()


def collect(
    suite: Suite, options: argparse.Namespace, folder: pathlib.Path, environment: dict[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """What became of each test, and its output; prints a line per test."""
    ended: dict[str, str] = {}
    outputs: dict[str, str] = {}
    packages = {
        name: path
        for name, path in suite.packages.items()
        if name in (options.package or suite.packages)
    }
    for package, test, outcome, seconds, output in run(folder, packages, options.run, environment):
        if not test:
            # A package that fails without a test that does: it did not build, or ran out of time.
            failing = any(
                known.startswith(package + ".") and one == "fail" for known, one in ended.items()
            )
            if outcome == "fail" and not failing:
                ended[f"{package}.(all)"], outputs[f"{package}.(all)"] = outcome, output
            continue
        ended[f"{package}.{test}"], outputs[f"{package}.{test}"] = outcome, output
        if options.verbose or "/" not in test:
            print(f"{outcome} {package}.{test} {seconds:.1f} s", flush=True)
    return ended, outputs


def main(suite: Suite, about: str) -> int:
    options = parse(suite, about)
    job.needs("go")
    watchproof = job.build("watchproof") / "watchproof"
    environment, name = variables(options.store, watchproof)
    environment["WATCHPROOF_PROXY"] = str(watchproof) if options.proxy else ""
    folder, version = prepare(suite, options.version)
    print(f"{suite.module} {version} on {name}{' through the proxy' if options.proxy else ''}")
    begun = time.monotonic()
    ended, outputs = collect(suite, options, folder, environment)
    if not ended:
        print(f"{suite.name}: no test was run", file=sys.stderr)
        return 1
    as_known = report(suite, name, ended, outputs)
    print(f"took {time.monotonic() - begun:.0f} s")
    return 0 if as_known else 1
