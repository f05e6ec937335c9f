# SPDX-License-Identifier: Apache-2.0
"""Runs the suite on one dishonest server and compares the verdicts with what the server broke.

outcome = run_fake(Tools(watchproof, dishonest_server), "drops-events", folder, ["--jobs", "2"])
outcome.exit_code, outcome.verdicts["pass"], outcome.deceived, outcome.missing
"""

import os
import pathlib
import shlex
import subprocess
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from reader import Fields, Result, called, lines_of, results_of

# A dishonest server must offer what etcd offers, or it could avoid cases by offering less.
PROFILE = ["--target-profile", "etcd"]
# Prefix of the keys that watchproof uses to detect capabilities, before a recording begins.
PROBE_KEYS = "wp-probe/"


@dataclass(frozen=True)
class Behaviour(Fields):
    """Of the dishonest server, as it lists itself."""

    name: str
    explain: str
    guarantees: list[str]
    only_noted: bool
    rare: bool
    parametrised: bool


@dataclass(frozen=True)
class Tools:
    watchproof: str
    dishonest_server: str

    @classmethod
    def of(cls, build: pathlib.Path) -> Self:
        return cls(str(build / "watchproof"), str(build / "dishonest_server"))

    def behaviours(self) -> dict[str, Behaviour]:
        """By name."""
        done = called([self.dishonest_server, "--list"], check=True)
        return {one["name"]: Behaviour.of(one) for one in lines_of(done.stdout)}


@dataclass
class Outcome:
    behaviour: str
    only_noted: bool  # it breaks nothing that fails an attempt
    exit_code: int
    verdicts: Counter[str]  # of every attempt, by name
    passed: set[str]  # cases
    tampered: dict[str, str]  # case -> what was broken in one of its attempts
    noted: int  # attempts with a note
    deceived: list[
        str
    ]  # cases with an attempt that passed although something was broken in it; none
    #                 where a note is enough
    missing: list[str]  # declared guarantees of which there is no finding
    output: str


def tampered_attempts(log: pathlib.Path) -> dict[str, str]:
    """Folder of an attempt, from cases/ on -> what was broken in it, first thing first."""
    broken: dict[str, str] = {}
    for entry in lines_of(log.read_text() if log.exists() else ""):
        parts = pathlib.PurePath(entry["data"]).parts
        if entry["key"].startswith(PROBE_KEYS) or "cases" not in parts:
            continue
        begin = len(parts) - 1 - parts[::-1].index("cases")
        broken.setdefault("/".join(parts[begin : begin + 4]), entry["what"])
    return broken


def template(tools: Tools, behaviour: str, log: pathlib.Path, more: Sequence[str]) -> str:
    words = [tools.dishonest_server, "--behaviour", behaviour, "--log", str(log), *more]
    return f"command:{shlex.join(words)} --listen {{host}}:{{port}} --data {{data}}"


def run_suite(
    tools: Tools, target: str, folder: pathlib.Path, flags: Sequence[str], limit: int
) -> tuple[int, list[Result], str]:
    """(exit code, results, what was printed) of the suite on one target."""
    runs = folder / "runs"
    done = subprocess.run(
        [
            tools.watchproof,
            "run",
            "--target",
            target,
            "--run-dir",
            str(runs),
            "--progress",
            "off",
            "--color",
            "never",
            *(() if "--keep" in flags else ("--keep", "none")),
            *flags,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=limit,
        check=False,
        env={**os.environ, "WATCHPROOF_SEED": ""},
    )
    return done.returncode, results_of(runs / "latest"), done.stdout


def run_fake(
    tools: Tools,
    behaviour: Behaviour,
    folder: pathlib.Path,
    flags: Sequence[str],
    limit: int = 7200,
    more: Sequence[str] = (),
) -> Outcome:
    """`more` are words for the dishonest server."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "tampered.jsonl"
    target = template(tools, behaviour.name, log, more)
    code, results, output = run_suite(tools, target, folder, [*PROFILE, *flags], limit)
    (folder / "output.txt").write_text(output)
    broken = tampered_attempts(log)
    by_case = {result.case: broken[result.folder] for result in results if result.folder in broken}
    deceived = [
        result.case
        for result in results
        if result.verdict == "pass"
        and result.folder in broken
        and not result.standing
        and not behaviour.only_noted
    ]
    found = {finding.guarantee for result in results for finding in result.findings + result.notes}
    return Outcome(
        behaviour=behaviour.name,
        only_noted=behaviour.only_noted,
        exit_code=code,
        verdicts=Counter(result.verdict for result in results),
        passed={result.case for result in results if result.verdict == "pass"},
        tampered=by_case,
        noted=sum(bool(result.notes) for result in results),
        deceived=sorted(set(deceived)),
        missing=sorted(set(behaviour.guarantees) - found),
        output=output,
    )
