#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What runs write, read by programs of others and held against public schemas and our own.

    formats_test.py FOLDER WATCHPROOF     # FOLDER keeps the packages between runs

CTRF: the validator of its project; SARIF: its schema, from a package of its authors; JUnit: a
parser from PyPI; our JSON: harness/report/schemas. Exit code: 0 all holds, 1 not, 77 no node or
npm, or no registry in reach.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / name) for name in ("interop", "reader")]

from npm import install
from reader import called, document_of, lines_of
from server import Skip, run

SCHEMAS = HERE.parent.parent / "harness" / "report" / "schemas"
SARIF_SCHEMA = "node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"
CASES = "CompactionSurfaced.DeleteAtFloor:CompactionSurfaced.FullQueue:Reliable.SlowMember"
DEFECT = "embedded+delete-at-floor-lost"
EXPLORE = ["explore", "--target", DEFECT, "--scripts", "100", "--seed", "5", "--json"]


def install_python(folder: pathlib.Path) -> None:
    """Into a folder of its own, so that nothing of the machine changes."""
    target, wanted = folder / "python", HERE / "requirements.txt"
    stamp = target / "installed.txt"
    if not stamp.exists() or stamp.read_bytes() != wanted.read_bytes():
        done = called(
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-deps",
                "--require-hashes",
                "--target",
                str(target),
                "-r",
                str(wanted),
            ]
        )
        if done.returncode != 0:
            raise Skip(f"pip cannot install junitparser: {done.stderr.splitlines()[-1:]}")
        shutil.copy(wanted, stamp)
    sys.path.insert(0, str(target))


class Checks:
    def __init__(self) -> None:
        self.wrong = 0
        self.held = 0

    def expect(self, fine: bool, text: str) -> None:
        self.held += 1 if fine else 0
        if not fine:
            self.wrong += 1
            print(f"WRONG: {text}")

    def schema(self, schema: dict[str, Any], document: Any, name: str) -> None:
        import jsonschema

        validator = jsonschema.validators.validator_for(schema)
        validator.check_schema(schema)
        errors = list(validator(schema).iter_errors(document))
        self.expect(not errors, f"{name}: {[(list(e.path), e.message[:200]) for e in errors[:3]]}")


def start(watchproof: str, folder: pathlib.Path, *words: str) -> subprocess.CompletedProcess[str]:
    return called([watchproof, *words], cwd=folder, timeout=300)


def own_schema(name: str) -> dict[str, Any]:
    return document_of(SCHEMAS / f"{name}.schema.json")


def interrupted(watchproof: str, folder: pathlib.Path) -> pathlib.Path:
    """A run that ended before all of its attempts were made."""
    process = subprocess.Popen(
        [watchproof, "run", "--filter", CASES, "--repeat", "50", "--jobs", "1", "--json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    return (folder / "watchproof-runs" / "latest").resolve()


def check_run(checks: Checks, path: pathlib.Path) -> dict[str, Any]:
    from junitparser import JUnitXml

    document = document_of(path / "run.json")
    checks.schema(own_schema("run"), document, "run.json")
    lines = lines_of((path / "results.jsonl").read_text())
    for line in lines:
        checks.schema(own_schema("result"), line, f"results.jsonl, {line['case']}")
    planned = sum(document["counts"].values())
    suites = JUnitXml.fromfile(str(path / "junit.xml"))
    checks.expect(suites.tests == planned, f"junit.xml: {suites.tests} tests of {planned}")
    failures = sum(
        1
        for suite in suites
        for case in suite
        for result in case.result
        if type(result).__name__ == "Failure"
    )
    failed = document["counts"]["fail"] + document["counts"]["regression"]
    checks.expect(failures == failed, f"junit.xml: {failures} failures of {failed}")
    sarif = document_of(path / "results.sarif")
    found = {result["properties"]["seed"] for result in sarif["runs"][0]["results"]}
    checks.expect(bool(found) == (failed > 0), f"results.sarif: {found}, {failed} failures")
    return sarif


def check(_: object, folder: str, watchproof: str) -> int:
    watchproof = os.path.abspath(watchproof)
    packages = install(pathlib.Path(folder) / "npm", HERE)
    install_python(pathlib.Path(folder).resolve())
    shutil.copy(HERE / "validate_ctrf.mjs", packages)
    checks = Checks()
    sarif_schema = document_of(packages / SARIF_SCHEMA)
    with tempfile.TemporaryDirectory(prefix="watchproof-formats-") as name:
        work = pathlib.Path(name)
        done = start(
            watchproof,
            work,
            "run",
            "--filter",
            CASES,
            "--target",
            "embedded",
            "--target",
            DEFECT,
            "--target",
            "etcd:/no/such/etcd",
            "--json",
        )
        *results, summary = lines_of(done.stdout)
        checks.expect(len(results) == 9, f"run --json: {len(results)} results of 9")
        checks.schema(own_schema("summary"), summary, "run --json, last line")
        first = (work / "watchproof-runs" / "latest").resolve()
        runs = [first, interrupted(watchproof, work)]
        for path in runs:
            checks.schema(sarif_schema, check_run(checks, path), f"results.sarif of {path.name}")
        ctrf = called(
            ["node", "validate_ctrf.mjs", *(str(r / "ctrf.json") for r in runs)],
            cwd=packages,
            env=os.environ,
        )
        checks.expect(ctrf.returncode == 0, f"ctrf.json: {ctrf.stderr}")
        for command, schema in (
            (["runs", "--json"], "runs"),
            (["doctor", "--json"], "doctor"),
            (["doctor", "--config", "--json"], "setting"),
            (["check", str(first), "--json"], "check"),
            (EXPLORE, "explore"),
            (["shrink", str(first), "--limit", "2s", "--json"], "shrink"),
        ):
            lines = start(watchproof, work, *command).stdout.splitlines()
            checks.expect(bool(lines), f"{command}: nothing")
            for line in lines:
                checks.schema(own_schema(schema), json.loads(line), " ".join(command))
        repeated = start(watchproof, work, "repeat", str(first), "--json").stdout.splitlines()
        checks.schema(own_schema("repeat"), json.loads(repeated[-1]), "repeat --json, last line")
    print(f"{checks.held} passed, {checks.wrong} failed")
    return 1 if checks.wrong else 0


if __name__ == "__main__":
    sys.exit(run(check, *sys.argv[1:]))
