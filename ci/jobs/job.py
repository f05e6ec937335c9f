# SPDX-License-Identifier: Apache-2.0
"""What the jobs share that are written in Python: their build, and figures with their spread.

folder = job.build("watchproof", "watch_bench")   # build/release, with these targets built
job.pairs([folder / "ci/bench/path_bench", ...])  # {"p50_us": 7.3}, or None after saying why
job.spread([1, 2, 3])                             # "2 [1..3]"
"""

import argparse
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

JOBS = pathlib.Path(__file__).resolve().parent
BUILD = JOBS.parents[1] / "build" / "release"
sys.path[:0] = [str(JOBS.parent / name) for name in ("interop", "fakes", "reader")]
import reader


def build(*targets: str) -> pathlib.Path:
    """WATCHPROOF_BUILT=1: they are there already."""
    if not os.environ.get("WATCHPROOF_BUILT"):
        subprocess.run([JOBS / "setup.sh"], check=True)
        subprocess.run([JOBS / "build.sh", *targets], check=True, stdout=sys.stderr)
    return BUILD


def parser(about: str) -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(description=about, formatter_class=raw)


def parse(parser: argparse.ArgumentParser) -> tuple[argparse.Namespace, list[str]]:
    """What stands behind "--" is for the command that the job runs."""
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    return parser.parse_args(words[:split]), words[split + 1 :]


def needs(*programs: str) -> None:
    for program in programs:
        if not shutil.which(program):
            print(f"{sys.argv[0]}: unsupported without {program}", file=sys.stderr)
            sys.exit(77)


def etcd(watchproof: pathlib.Path, version: str, product: str = "etcd") -> pathlib.Path:
    """The binary of a release, or the tool beside it; it is fetched."""
    command = (watchproof, "fetch", product, version)
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return pathlib.Path(done.stdout.splitlines()[-1])


def own_address() -> str:
    """A loopback address, drawn so that two jobs hardly ever share one."""
    return f"127.{random.randint(100, 199)}.{random.randint(1, 250)}.{random.randint(1, 250)}"


def pairs(command: Sequence[str | pathlib.Path], **how: Any) -> dict[str, float] | None:
    """The name=value pairs that it prints; None when the run was void."""
    run = subprocess.run(command, capture_output=True, text=True, check=False, **how)
    if run.returncode != 0:
        print(f"void: {' '.join(map(str, command))}: {run.stdout}{run.stderr}", file=sys.stderr)
        return None
    return {name: float(value) for name, value in (pair.split("=") for pair in run.stdout.split())}


def spread(values: Sequence[float]) -> str:
    if not values:
        return "none"
    return f"{statistics.median(values):.4g} [{min(values):.4g}..{max(values):.4g}]"
