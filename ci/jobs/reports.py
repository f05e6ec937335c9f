#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the Go programs in the reports of an exploration show what they are about.

    watchproof explore --target etcd@3.4.23 --time-budget 1m --known --keep kept
    ci/jobs/reports.py kept etcd@3.4.23 [--times 1] [--logs FOLDER]

Builds the program of each report, runs it against a fresh server of that release with the flags
that the report names, kills and restarts the server where the program asks for it, and writes the
answer into the report ("The program shows it: yes"). With --times N each runs N times, and shows
its finding if one of them does. --logs keeps what they print. Prints a line for each
report. Exit code 1 if one does not show its finding, 77 without Go.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
from contextlib import ExitStack

import job
from reader import called
from server import READY_ETCD, Server, clean_environment, etcd_command, free_address

SECONDS = 600
NO_SYNC, INTERVAL = "--unsafe-no-fsync", "watch-progress-notify-interval"
CHECKED = "The program shows it: "


def field(text: str, start: str) -> str:
    """The rest of the first line that begins so."""
    for line in text.splitlines():
        if line.startswith(start):
            return line.removeprefix(start)
    return ""


def flags_of(text: str, known: str) -> list[str]:
    """Those that the report names, under the names that the release has for them."""
    named = field(text, "Start one member")
    flags = [NO_SYNC] if NO_SYNC in named and NO_SYNC in known else []
    interval = re.search(rf"--{INTERVAL}=(\w+)", named)
    if interval:
        old = f"--experimental-{INTERVAL}" in known
        flags.append(f"--{'experimental-' if old else ''}{INTERVAL}={interval[1]}")
    return flags


def build(reports: list[pathlib.Path], folder: pathlib.Path) -> dict[pathlib.Path, pathlib.Path]:
    """The executables, by report; those without a program are left out."""
    programs = {}
    for report in reports:
        code = re.search(r"```go\n(.*?)```", report.read_text(encoding="utf-8"), re.DOTALL)
        if code:
            package = folder / report.stem.lower()
            package.mkdir()
            (package / "main.go").write_text(code[1], encoding="utf-8")
            programs[report] = package / "program"
    for words in (["mod", "init", "reports"], ["mod", "tidy"]):
        subprocess.run(["go", *words], cwd=folder, check=True, capture_output=True)
    for program in programs.values():
        command = ["go", "build", "-o", str(program), "."]
        subprocess.run(command, cwd=program.parent, check=True)
    return programs


def run(program: pathlib.Path, command: list[str], address: str) -> list[str]:
    """What it prints, on a server that is fresh."""
    with ExitStack() as servers:
        servers.enter_context(Server("etcd", command, address, READY_ETCD))
        process = subprocess.Popen(
            [program, f"{address}:2379"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=clean_environment(),
        )
        assert process.stdin and process.stdout
        late = threading.Timer(SECONDS, process.kill)
        late.start()
        printed = []
        for line in process.stdout:
            printed.append(line.rstrip())
            if line.startswith("Kill the server"):
                servers.close()
                servers.enter_context(Server("etcd", command, address, READY_ETCD))
                process.stdin.write("\n")
                process.stdin.flush()
        process.wait()
        late.cancel()
    return printed


def check(
    options: argparse.Namespace, number: int, report: pathlib.Path, program: pathlib.Path
) -> str:
    """The last line of the first run that shows it, or of the last run."""
    text = report.read_text(encoding="utf-8")
    flags = flags_of(text, options.help)
    verdict = ""
    for one in range(options.times):
        with tempfile.TemporaryDirectory(prefix="watchproof-reports-") as folder:
            address = free_address(number * 50 + one)
            command = [*etcd_command(options.etcd, address, folder), *flags]
            printed = run(program, command, address)
        if options.logs:
            log = options.logs / f"{report.stem}-{one + 1}.txt"
            log.write_text("\n".join(printed) + "\n", encoding="utf-8")
        verdict = printed[-1] if printed else "it printed nothing"
        if verdict.startswith("SHOWN"):
            verdict = verdict.replace("SHOWN", f"SHOWN in run {one + 1}", 1)
            break
    answer = "yes" if verdict.startswith("SHOWN") else "no"
    stamped = re.sub(rf"^{CHECKED}.*$", f"{CHECKED}{answer}", text, count=1, flags=re.MULTILINE)
    report.write_text(stamped, encoding="utf-8")
    return verdict


def main() -> int:
    parser = job.parser(__doc__)
    parser.add_argument("kept", type=pathlib.Path)
    parser.add_argument("target", help="etcd@VERSION, or the path of a binary of etcd")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--logs", type=pathlib.Path)
    options = parser.parse_args()
    job.needs("go")
    product, _, version = options.target.partition("@")
    releases = pathlib.Path.home() / ".cache" / "watchproof" / "releases"
    options.etcd = releases / product / version / "etcd" if version else options.target
    if version and not options.etcd.exists():
        options.etcd = job.etcd(job.build("watchproof") / "watchproof", version)
    options.help = called([options.etcd, "--help"]).stdout
    if options.logs:
        options.logs.mkdir(parents=True, exist_ok=True)
    reports = sorted(options.kept.glob("*.md"))
    with tempfile.TemporaryDirectory(prefix="watchproof-programs-") as folder:
        programs = build(reports, pathlib.Path(folder))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            verdicts = dict(
                zip(
                    programs,
                    pool.map(
                        lambda one: check(options, one[0], *one[1]), enumerate(programs.items())
                    ),
                    strict=True,
                )
            )
    shown = 0
    for report in reports:
        text = report.read_text(encoding="utf-8")
        verdict = verdicts.get(report, "no program")
        shown += verdict.startswith("SHOWN")
        promise = field(text, "It showed when this was asked: ")
        print(f"{report.stem:26} {verdict}")
        print(f"{'':26} {field(text, '# ')}")
        print(f"{'':26} found {'when asked for: ' + promise if promise else 'by a step'}")
    print(f"{shown} of {len(reports)} reports show their finding")
    return 0 if reports and shown == len(reports) else 1


if __name__ == "__main__":
    sys.exit(main())
