# SPDX-License-Identifier: Apache-2.0
"""Writes one source that contains all mutants of a file; which one acts is decided at run time.

At most one mutant acts at a time. So the text of a mutant is made from the original, and only the
original branch contains further mutants. Every line keeps its number.
"""

import bisect
import dataclasses
from collections.abc import Iterable

from mutant import DROP, NEGATE, REPLACE, REQUIRE_NOT, Edit, Mutant

INCLUDE = '#include "ci/store_mutants/mutant.h"'


@dataclasses.dataclass
class Region:
    """A part of the woven text that belongs to some mutants."""

    begin: int
    end: int
    ids: list[int]


class Weaver:
    """The woven text, and for each mutant where it is in it."""

    def __init__(self, text: str, mutants: Iterable[Mutant]) -> None:
        self.source = text
        self.places: dict[
            tuple[int, int], list[tuple[Edit, int]]
        ] = {}  # (begin, end) to [(edit, id)]
        for mutant in mutants:
            for edit in mutant.edits:
                self.places.setdefault((edit.begin, edit.end), []).append((edit, mutant.id))
        self.order = sorted(self.places, key=lambda place: (place[0], -place[1]))
        self.regions: list[Region] = []
        self.at = 0
        self.parts: list[str] = []
        self.next = 0
        # The first line is the licence.
        first = text.index("\n")
        self.put(INCLUDE)
        self.weave(first, len(text))
        self.text = "".join(self.parts)
        self.starts = [0] + [at + 1 for at, char in enumerate(self.text) if char == "\n"]

    def put(self, text: str) -> None:
        self.parts.append(text)
        self.at += len(text)

    def weave(self, begin: int, end: int) -> None:
        """The source between two places, with the mutants in it."""
        while self.next < len(self.order) and self.order[self.next][0] < end:
            first, last = self.order[self.next]
            if first < begin or last > end:
                raise ValueError(f"places overlap: {self.source[first:last]!r}")
            self.next += 1
            self.put(self.source[begin:first])
            self.place(first, last)
            begin = last
        self.put(self.source[begin:end])

    def place(self, begin: int, end: int) -> None:
        edits = self.places[(begin, end)]
        start = self.at
        of = {
            form: [(edit, id) for edit, id in edits if edit.form == form]
            for form in (DROP, NEGATE, REPLACE, REQUIRE_NOT)
        }
        for _, id in of[DROP]:
            self.put(f"{{ if (!WP_MUTANT({id})) ")
        for _, id in of[NEGATE]:
            self.put(f"(WP_MUTANT({id}) != static_cast<bool>(")
        if of[REPLACE]:
            self.put("(")
        for edit, id in of[REPLACE]:
            from_here = self.at
            self.put(f"WP_MUTANT({id}) ? ({edit.text}) : ")
            self.regions.append(Region(from_here, self.at, [id]))
        if of[REPLACE]:
            self.put("(")
        self.weave(begin, end)
        self.put("))" * bool(of[REPLACE]) + "))" * len(of[NEGATE]) + " }" * len(of[DROP]))
        for edit, id in of[REQUIRE_NOT]:
            self.put(f"; (WP_MUTANT({id}) != static_cast<bool>({edit.text}))")
        self.regions.append(Region(start, self.at, [id for _, id in edits]))

    def blamed(self, line: int, column: int) -> list[int]:
        """The mutants of the smallest region that holds this place (both from 1 on)."""
        at = self.starts[line - 1] + column - 1
        holding = [one for one in self.regions if one.begin <= at < one.end]
        return min(holding, key=lambda one: one.end - one.begin).ids if holding else []

    def on_line(self, line: int) -> list[int]:
        """The mutants of the smallest region that ends on or behind a line and begins before."""
        begin = self.starts[line - 1]
        index = bisect.bisect_left(self.starts, begin) + 1
        end = self.starts[index] if index < len(self.starts) else len(self.text)
        return sorted(
            {id for one in self.regions if one.begin < end and one.end > begin for id in one.ids}
        )
