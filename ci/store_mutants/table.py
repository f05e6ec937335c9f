# SPDX-License-Identifier: Apache-2.0
"""The tables of the job: what mutants there are, the rates of each way, and the survivors."""

import collections
import json
import math
import pathlib
from collections.abc import Iterable, Iterator
from typing import Any

from outcomes import KILLED, Row

Z = 1.959964  # 95 %


def load(path: pathlib.Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def wilson(hits: int, count: int) -> tuple[float, float]:
    """The interval in which the true share is with 95 % certainty."""
    if count == 0:
        return 0.0, 1.0
    share = hits / count
    middle = share + Z * Z / (2 * count)
    spread = Z * math.sqrt(share * (1 - share) / count + Z * Z / (4 * count * count))
    whole = 1 + Z * Z / count
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


def share(hits: int, count: int) -> str:
    low, high = wilson(hits, count)
    if count == 0:
        return "0 of 0"
    return f"{hits} of {count}, {100 * hits / count:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def census(mutants: list[Row], equivalents: dict[int, str]) -> str:
    """How many there are, by operator and by file."""
    lines = [
        f"{len(mutants)} mutants, {sum(row['compiles'] for row in mutants)} compile, "
        f"{len(equivalents)} of them shown to be equivalent"
    ]
    for field in ("operator", "file"):
        counts = collections.Counter(row[field] for row in mutants)
        compiled = collections.Counter(row[field] for row in mutants if row["compiles"])
        lines += ["", f"| {field} | mutants | compile |", "|---|---|---|"]
        lines += [f"| {name} | {counts[name]} | {compiled[name]} |" for name in sorted(counts)]
    return "\n".join(lines)


def row_of(cells: Iterable[object]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


class Survey:
    """The results of the drawn mutants."""

    def __init__(self, runner: Any, drawn: list[int]) -> None:
        self.ways = list(runner.options.ways)
        self.reached = runner.reached
        self.mutants = [runner.mutants[id] for id in drawn]
        self.results = runner.results
        self.wasteful = runner.wasteful

    def killed(self, mutant: Row, ways: Iterable[str]) -> bool:
        rows = [self.results.get(mutant, way) for way in ways]
        return any(row and row["verdict"] == KILLED for row in rows)

    def any_killed(self) -> int:
        return sum(self.killed(one, self.ways) for one in self.mutants)

    def rates(self) -> Iterator[str]:
        yield row_of(["way", "killed (95 %)", "how", "never reached"])
        yield "|---|---|---|---|"
        for way in self.ways:
            rows = [row for row in (self.results.get(one, way) for one in self.mutants) if row]
            dead = [row for row in rows if row["verdict"] == KILLED]
            how = collections.Counter(row["reason"] for row in dead)
            unreached = sum(row["verdict"] != KILLED and not row["reached"] for row in rows)
            yield row_of(
                [
                    way,
                    share(len(dead), len(rows)),
                    ", ".join(f"{count} {name}" for name, count in how.most_common()),
                    unreached,
                ]
            )
        if len(self.ways) > 1:
            yield row_of(["any of them", share(self.any_killed(), len(self.mutants)), "", ""])

    def by(self, field: str) -> Iterator[str]:
        groups = collections.defaultdict(list)
        for mutant in self.mutants:
            groups[mutant[field]].append(mutant)
        yield row_of([field, *self.ways])
        yield "|---" * (len(self.ways) + 1) + "|"
        for name in sorted(groups):
            cells = [
                f"{sum(self.killed(one, [way]) for one in groups[name])} of {len(groups[name])}"
                for way in self.ways
            ]
            yield row_of([name, *cells])

    def survivors(self, root: pathlib.Path) -> Iterator[str]:
        """Those that were reached one by one, the others by function."""
        alive = [one for one in self.mutants if not self.killed(one, self.ways)]
        reached = [
            one
            for one in alive
            if any(
                row and row["reached"] for row in (self.results.get(one, way) for way in self.ways)
            )
        ]
        yield f"\n## Survivors that were reached: {len(reached)}"
        wasteful = sum(one["id"] in self.wasteful for one in reached)
        if wasteful:
            yield f"\n{wasteful} of them only waste memory or processor time."
        for mutant in reached:
            yield from self.explained(root, mutant)
        yield f"\n## Survivors that no way reached: {len(alive) - len(reached)}\n"
        functions = collections.defaultdict(list)
        for mutant in alive:
            if mutant not in reached:
                functions[mutant["file"], mutant["function"]].append(mutant)
        for (file, function), mutants in functions.items():
            yield f"- {file} {function}, {len(mutants)}:"
            for one in mutants:
                yield (
                    f"  - {one['id']} line {one['line']}, {one['operator']}: "
                    f"`{one['original']}` to `{one['mutated']}`"
                )

    def explained(self, root: pathlib.Path, mutant: Row) -> Iterator[str]:
        lines = (root / mutant["file"]).read_text(encoding="utf-8").splitlines()
        yield (
            f"\n### {mutant['id']}: {mutant['file']}:{mutant['line']} {mutant['function']}, "
            f"{mutant['operator']}\n"
        )
        if mutant["id"] in self.wasteful:
            yield self.wasteful[mutant["id"]] + "\n"
        yield (
            f"```diff\n  {lines[mutant['line'] - 1].strip()}\n- {mutant['original']}\n"
            f"+ {mutant['mutated']}\n```"
        )
        for way in self.ways:
            row = self.results.get(mutant, way)
            if row:
                seen = "reached" if row["reached"] else "never reached"
                yield f"- {way}: {row['reason']}, {seen}, {row['seconds']:.1f} s"


def report(root: pathlib.Path, runner: Any, drawn: list[int]) -> str:
    survey = Survey(runner, drawn)
    lines = [
        "# Mutants of the embedded store",
        "",
        f"{len(drawn)} drawn, seed {runner.options.seed:x}",
        "",
        *survey.rates(),
    ]
    for field in ("operator", "file"):
        lines += ["", *survey.by(field)]
    lines += survey.survivors(root)
    return "\n".join(lines) + "\n"
