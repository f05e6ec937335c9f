# SPDX-License-Identifier: Apache-2.0
"""Mutants that are shown to be equivalent: no client sees a difference.

The file has one [[equivalent]] table for each mutant or group of them, and [[resources]] tables for
those that only waste memory or processor time, which count as survivors. Any of file, function,
operator, original, mutated and occurrence chooses; what is left out fits everything. Instead of
operator and original, `changes` may list several: "operator: original". `file` and
`reason` are required. An entry that fits no mutant is an error: the code it was about has changed.
"""

import pathlib
import tomllib
from collections.abc import Iterable
from typing import Any

from outcomes import KEY, Row


class Stale(Exception):
    pass


def load(path: pathlib.Path, mutants: Iterable[Row], kind: str = "equivalent") -> dict[int, str]:
    """Returns the reason for each id. Of the mutants that compile."""
    with open(path, "rb") as file:
        entries = tomllib.load(file).get(kind, [])
    return match(entries, list(mutants))


def match(entries: list[dict[str, Any]], mutants: list[Row]) -> dict[int, str]:
    reasons = {}
    for entry in entries:
        unknown = set(entry) - set(KEY) - {"reason", "changes"}
        if unknown or not entry.get("reason") or "file" not in entry:
            raise Stale(f"an entry needs file and reason, and knows no {sorted(unknown)}: {entry}")
        wanted = {name: value for name, value in entry.items() if name in KEY}
        for change in entry.get("changes", [None]):
            if change is not None:
                wanted["operator"], wanted["original"] = change.split(": ", 1)
            fitting = [row["id"] for row in mutants if wanted.items() <= row.items()]
            if not fitting:
                raise Stale(f"fits no mutant that compiles: {wanted}")
            reasons.update(dict.fromkeys(fitting, entry["reason"]))
    return reasons
