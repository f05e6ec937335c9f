#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Groups the failures of a run by cause, the gravest first.

    causes.py RUN

One cause is one guarantee and one expectation, without the details of a case (revisions, keys,
lines). A case counts under the gravest of its findings, which come first in results.jsonl. Exits
with 1 if there was a harness error.
"""

import collections
import pathlib
import re
import sys
from collections.abc import Iterator, Sequence

import job
from job import reader

LEVELS = ("must", "should", "may")
GRAVITIES = ("death", "data", "order", "silence", "fields")


def guarantees() -> list[str]:
    """By weight, as the reports of the command order them."""
    found = reader.listed(job.build("watchproof") / "watchproof", "list", "guarantees")
    # Of the same gravity in the order of the list.
    weighed = sorted(found, key=lambda one: GRAVITIES.index(one.facts["gravity"]))
    return [one.name for one in weighed]


def shape(text: str) -> str:
    text = re.sub(r'"(?:[^"\\]|\\.)*"', '"..."', text)
    text = re.sub(r"\b(?:0x)?\d[\d.]*\b", "N", text)
    return re.sub(r"\s+", " ", text)


def causes(
    results: Sequence[reader.Result], weight: Sequence[str]
) -> Iterator[tuple[str, str, list[str], reader.Finding]]:
    """Yields (guarantee, level, cases, finding of the first of them), the gravest first."""
    grouped = collections.defaultdict(list)
    for result in results:
        for finding in result.findings[:1]:
            key = (finding.level, finding.guarantee, shape(finding.expected))
            grouped[key].append((result.case, finding))
    for key in sorted(grouped, key=lambda k: (LEVELS.index(k[0]), weight.index(k[1]), k[2])):
        cases = sorted({case for case, _ in grouped[key]})
        yield key[1], key[0], cases, grouped[key][0][1]


def undecided(results: Sequence[reader.Result]) -> Iterator[tuple[str, str, list[str]]]:
    """Yields (verdict, reason, cases) of those that neither passed nor failed."""
    for verdict in ("harness_error", "inconclusive", "unsupported"):
        reasons = collections.defaultdict(set)
        for result in results:
            if result.verdict == verdict:
                reasons[shape(result.reason)].add(result.case)
        for reason, cases in sorted(reasons.items()):
            yield verdict, reason, sorted(cases)


def number(cases: Sequence[str]) -> str:
    return f"{len(cases)} case" + ("" if len(cases) == 1 else "s")


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit("usage: causes.py RUN")
    results = reader.results_of(pathlib.Path(sys.argv[1]))
    verdicts = collections.Counter(result.verdict for result in results)
    print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    for guarantee, level, cases, finding in causes(results, guarantees()):
        print(f"\n{guarantee} ({level}), {number(cases)}: {', '.join(cases)}")
        print(f"  expected  {finding.expected}\n  observed  {finding.observed}")
    for verdict, reason, cases in undecided(results):
        print(f"\n{verdict}, {number(cases)}: {reason}\n  {', '.join(cases)}")
    sys.exit(1 if verdicts["harness_error"] else 0)


if __name__ == "__main__":
    main()
