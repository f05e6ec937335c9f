# SPDX-License-Identifier: Apache-2.0
"""Runs the suite on one dishonest server and compares the verdicts with what the server broke.

outcome = run_fake(Tools(watchproof, dishonest_server), "drops-events", folder, ["--jobs", "2"])
outcome.exit_code, outcome.verdicts["pass"], outcome.deceived, outcome.missing
"""

import json
import os
import pathlib
import shlex
import subprocess
from collections import Counter
from dataclasses import dataclass

# A dishonest server must offer what etcd offers, or it could avoid cases by offering less.
PROFILE = ["--target-profile", "etcd"]
# Prefix of the keys that watchproof uses to detect capabilities, before a recording begins.
PROBE_KEYS = "wp-probe/"


@dataclass(frozen=True)
class Tools:
    watchproof: str
    dishonest_server: str

    def behaviours(self):
        """name -> {"name", "explain", "guarantees"} of every behaviour."""
        done = subprocess.run(
            [self.dishonest_server, "--list"], capture_output=True, text=True, check=True
        )
        return {one["name"]: one for one in map(json.loads, done.stdout.splitlines())}


@dataclass
class Outcome:
    behaviour: str
    only_noted: bool  # it breaks nothing that fails an attempt
    exit_code: int
    verdicts: Counter  # of every attempt, by name
    passed: set  # cases
    tampered: dict  # case -> what was broken in one of its attempts
    noted: int  # attempts with a note
    deceived: list  # cases with an attempt that passed although something was broken in it; none
    #                 where a note is enough
    missing: list  # declared guarantees of which there is no finding
    output: str


def tampered_attempts(log):
    """Folder of an attempt, from cases/ on -> what was broken in it, first thing first."""
    broken = {}
    if not log.exists():
        return broken
    for line in log.read_text().splitlines():
        entry = json.loads(line)
        parts = pathlib.PurePath(entry["data"]).parts
        if entry["key"].startswith(PROBE_KEYS) or "cases" not in parts:
            continue
        begin = len(parts) - 1 - parts[::-1].index("cases")
        broken.setdefault("/".join(parts[begin : begin + 4]), entry["what"])
    return broken


def template(tools, behaviour, log, more):
    words = [tools.dishonest_server, "--behaviour", behaviour, "--log", str(log), *more]
    return f"command:{shlex.join(words)} --listen {{host}}:{{port}} --data {{data}}"


def run_suite(tools, target, folder, flags, limit):
    """(exit code, results, what was printed) of the suite on one target."""
    runs = folder / "runs"
    done = subprocess.run(
        [tools.watchproof, "run", "--target", target, "--run-dir", str(runs), "--progress", "off"]
        + ["--color", "never", *(() if "--keep" in flags else ("--keep", "none")), *flags],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=limit,
        check=False,
        env={**os.environ, "WATCHPROOF_SEED": ""},
    )
    results = runs / "latest" / "results.jsonl"
    lines = results.read_text().splitlines() if results.exists() else []
    return done.returncode, [json.loads(line) for line in lines], done.stdout


def run_fake(tools, behaviour, folder, flags, limit=7200, more=()):
    """`more` are words for the dishonest server."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "tampered.jsonl"
    target = template(tools, behaviour["name"], log, more)
    code, results, output = run_suite(tools, target, folder, [*PROFILE, *flags], limit)
    (folder / "output.txt").write_text(output)
    broken = tampered_attempts(log)
    by_case = {
        result["case"]: broken[result["folder"]] for result in results if result["folder"] in broken
    }
    deceived = [
        result["case"]
        for result in results
        if result["verdict"] == "pass"
        and result["folder"] in broken
        and not result.get("standing")
        and not behaviour["only_noted"]
    ]
    found = {
        finding["guarantee"]
        for result in results
        for finding in result["findings"] + result["notes"]
    }
    return Outcome(
        behaviour=behaviour["name"],
        only_noted=behaviour["only_noted"],
        exit_code=code,
        verdicts=Counter(result["verdict"] for result in results),
        passed={result["case"] for result in results if result["verdict"] == "pass"},
        tampered=by_case,
        noted=sum(bool(result["notes"]) for result in results),
        deceived=sorted(set(deceived)),
        missing=sorted(set(behaviour["guarantees"]) - found),
        output=output,
    )
