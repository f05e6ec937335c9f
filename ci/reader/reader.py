# SPDX-License-Identifier: Apache-2.0
"""What the command lists, and what its runs wrote.

    for defect in listed(watchproof, "list", "defects"):
        defect.name, defect.facts["caught by"]
    for result in results_of(folder / "latest"):
        result.case, result.verdict, result.findings[0].expected

The fields are those of harness/report/schemas; those that no program here looks at are left out.
"""

import dataclasses
import json
import pathlib
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any, Self

FILE = "results.jsonl"


class Fields:
    """Made from a JSON object: what it lacks has its default, what is unknown is skipped."""

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        assert dataclasses.is_dataclass(cls)
        known = {field.name for field in dataclasses.fields(cls)}
        return cls(**{name: value for name, value in document.items() if name in known})


@dataclasses.dataclass(frozen=True)
class Finding(Fields):
    guarantee: str
    expected: str
    observed: str
    watch: str = ""
    level: str = "must"
    resembles: str = ""  # the signature of a known bug


@dataclasses.dataclass(frozen=True)
class Receipt(Fields):
    fault: str
    fired: bool  # it took effect
    required: bool = False

    @property
    def kind(self) -> str:
        """Without the number of one that is injected several times."""
        return self.fault.split("/")[0]


@dataclasses.dataclass(frozen=True)
class Result(Fields):
    case: str
    verdict: str
    target: str = ""
    target_version: str = ""
    seed: str = ""
    attempt: int = 1
    seconds: float = 0
    reason: str = ""
    folder: str = ""  # in that of the run
    known: bool = False
    declared: bool = False
    target_failed: bool = False
    findings: list[Finding] = dataclasses.field(default_factory=list)
    notes: list[Finding] = dataclasses.field(default_factory=list)
    standing: list[Finding] = dataclasses.field(default_factory=list)
    more_findings: int = 0  # which are in findings.json alone
    receipts: list[Receipt] = dataclasses.field(default_factory=list)
    counts: dict[str, dict[str, int]] = dataclasses.field(default_factory=dict)  # by layer

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        lists = {
            name: [Finding.of(one) for one in document.get(name, [])]
            for name in ("findings", "notes", "standing")
        }
        receipts = [Receipt.of(one) for one in document.get("receipts", [])]
        counts = {one["layer"]: one["counted"] for one in document.get("counts", [])}
        return super().of({**document, **lists, "receipts": receipts, "counts": counts})


@dataclasses.dataclass(frozen=True)
class Entry(Fields):
    """Something with a name."""

    kind: str
    name: str
    explain: str
    facts: dict[str, str] = dataclasses.field(default_factory=dict)


def lines_of(text: str | bytes) -> list[Any]:
    """Of a text with one JSON document per line."""
    return [json.loads(line) for line in text.splitlines()]


def document_of(file: pathlib.Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


def results_of(folder: pathlib.Path) -> list[Result]:
    """In the order in which they ended; empty before the first."""
    file = folder / FILE
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    return [Result.of(line) for line in lines_of(text)]


def all_findings(folder: pathlib.Path, result: Result) -> list[Finding]:
    """Also those for which a line has no room."""
    if not result.more_findings:
        return result.findings
    return [Finding.of(one) for one in document_of(folder / result.folder / "findings.json")]


def called(
    command: Sequence[str | pathlib.Path], check: bool = False, **how: Any
) -> subprocess.CompletedProcess[str]:
    """A program that has ended, and what it printed."""
    return subprocess.run(command, capture_output=True, text=True, check=check, **how)


def listed(watchproof: str | pathlib.Path, *words: str) -> list[Entry]:
    """Of `list` and `bugs`."""
    printed = called([watchproof, *words, "--json"], check=True).stdout
    return [Entry.of(line) for line in lines_of(printed)]
