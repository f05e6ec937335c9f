#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The program of each report in fixtures/findings, run on a release of etcd, or on any binary.

    ci/jobs/findings.py [--version 3.7.3 | --etcd PATH] [--all] [NAME ...]

Prints a table: SHOWN, NOT SHOWN or an error, and if the answer key says that the release has the
bug; and the output of each program that did not end as that says. Without --all, clusters and
races that take minutes are left out. Exit code 1 if a bug that the release has is not shown.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import job
import known

FINDINGS = job.JOBS.parents[1] / "fixtures" / "findings"
SLOW = {"options-too-late"}  # beside all scripts
# Reports of what the answer key has by number.
NUMBERED = {"refused-for-its-read": "#18667", "snapshot-ahead-of-index": "#20426"}
RESULTS = {0: "SHOWN", 1: "NOT SHOWN"}


@dataclasses.dataclass(frozen=True)
class Outcome:
    result: str
    seconds: float
    output: str


def reports(only: list[str]) -> list[str]:
    names = sorted(file.stem for file in FINDINGS.glob("*.md") if file.stem != "README")
    unknown = set(only) - set(names)
    if unknown:
        sys.exit(f"there is no report called {', '.join(sorted(unknown))}")
    return [name for name in names if not only or name in only]


def is_script(name: str) -> bool:
    return (FINDINGS / f"{name}.sh").exists()


def command_for(name: str, programs: pathlib.Path, etcd: pathlib.Path) -> list[str]:
    if is_script(name):
        return ["sh", str(FINDINGS / f"{name}.sh"), str(etcd)]
    return [str(programs / name), str(etcd)]


def run(command: list[str], limit: float, folder: str) -> Outcome:
    """All that it starts ends with it, and what it leaves behind is in the folder."""
    begun = time.monotonic()
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        env={**os.environ, "TMPDIR": folder},
    ) as process:
        try:
            output, _ = process.communicate(timeout=limit)
            result = RESULTS.get(process.returncode, f"error {process.returncode}")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            result = f"error: no end within {limit:.0f} s"
    return Outcome(result, time.monotonic() - begun, output)


def version_of(etcd: pathlib.Path) -> str:
    said = subprocess.run([etcd, "--version"], check=True, stdout=subprocess.PIPE, text=True)
    found = re.search(r"etcd Version: (\S+)", said.stdout)
    if not found:
        sys.exit(f"{etcd} does not name its version")
    return found[1]


def main() -> int:
    parser = job.parser(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--version", default="3.7.3")
    which.add_argument("--etcd", type=pathlib.Path)
    parser.add_argument("--all", action="store_true", help="also those that take minutes")
    parser.add_argument("--watchproof", type=pathlib.Path)
    options: argparse.Namespace = parser.parse_args()
    job.needs("go")
    watchproof = options.watchproof or job.build("watchproof") / "watchproof"
    etcd = options.etcd.resolve() if options.etcd else job.etcd(watchproof, options.version)
    version = version_of(etcd)
    has = known.affected(watchproof, f"{version},grpc-proxy")
    good = True
    with tempfile.TemporaryDirectory(prefix="findings-") as folder:
        programs = pathlib.Path(folder, "programs")
        build = ["go", "build", "-o", f"{programs}/", "./..."]
        subprocess.run(build, cwd=FINDINGS, check=True)
        print(f"{'etcd ' + version:32} {'has it':8} {'seconds':>7}  result", flush=True)
        for name in reports(options.names):
            slow = is_script(name) or name in SLOW
            expected = NUMBERED.get(name, name) in has
            begun = f"{name:32} {'yes' if expected else 'no':8}"
            if slow and not (options.all or options.names):
                print(f"{begun} {'':7}  left out", flush=True)
                continue
            command = command_for(name, programs, etcd)
            outcome = run(command, 1200 if slow else 180, folder)
            print(f"{begun} {outcome.seconds:7.1f}  {outcome.result}", flush=True)
            if expected and outcome.result != "SHOWN":
                good = False
                print(outcome.output)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
