# SPDX-License-Identifier: Apache-2.0
"""What a mutant is: a small change of a source, as replacements of some of its places."""

import dataclasses
import re

from outcomes import Row

LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|//[^\n]*|/\*.*?\*/', re.DOTALL)

# How an edit changes its place, and how the two versions of the place are put together.
REPLACE = "replace"  # an expression: (chosen ? text : original)
NEGATE = "negate"  # a condition: (chosen != bool(original))
DROP = "drop"  # a statement: { if (!chosen) original }
# Behind the declaration in a condition: if (auto a = f(); chosen != bool(a)).
REQUIRE_NOT = "require not"


@dataclasses.dataclass(frozen=True)
class Edit:
    begin: int
    end: int
    form: str
    text: str = ""


@dataclasses.dataclass
class Mutant:
    file: str  # as in an #include
    function: str  # with its classes
    operator: str
    line: int
    original: str
    mutated: str
    edits: list[Edit]
    id: int = 0
    occurrence: int = 0  # which one of those that are the same in all of the above but the line
    compiles: bool = True

    def key(self) -> tuple[str, str, str, str, str, int]:
        """What stays the same while other code changes."""
        return (
            self.file,
            self.function,
            self.operator,
            self.original,
            self.mutated,
            self.occurrence,
        )

    def row(self) -> Row:
        row = dataclasses.asdict(self)
        del row["edits"]
        return {"id": row.pop("id"), **row}


def on_one_line(text: str) -> str:
    """Code without its comments and line breaks."""
    text = LITERAL.sub(lambda match: "" if match.group().startswith("/") else match.group(), text)
    return re.sub(r"\s*\n\s*", " ", text).strip()


def number(mutants: list[Mutant]) -> list[Mutant]:
    """Gives ids in the order of the sources, and sets mutants of the same key apart."""
    mutants.sort(
        key=lambda one: (one.file, one.edits[0].begin, one.edits[0].end, one.operator, one.mutated)
    )
    seen: dict[object, int] = {}
    for place, mutant in enumerate(mutants, start=1):
        mutant.id = place
        same = mutant.key()[:-1]
        mutant.occurrence = seen[same] = seen.get(same, -1) + 1
    return mutants
