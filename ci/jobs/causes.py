#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Groups the failures of a run by cause, the gravest first.

    causes.py RUN

One cause is one guarantee and one expectation, without the details of a case (revisions, keys,
lines). Exits with 1 if there was a harness error.
"""

import collections
import json
import pathlib
import re
import sys

# As harness/checkers/gravity.h.
GRAVITY = (
    "Reliable Resumable CompactionSurfaced Filtered Fragmented Authorized Durable Linearizable "
    "Transactional Ordered Unique Atomic Serializable MonotonicReads Bookmarkable Isolated Settled "
    "PreviousValue Fields Headers"
).split()


def shape(text):
    text = re.sub(r'"(?:[^"\\]|\\.)*"', '"..."', text)
    text = re.sub(r"\b(?:0x)?\d[\d.]*\b", "N", text)
    return re.sub(r"\s+", " ", text)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: causes.py RUN")
    lines = (pathlib.Path(sys.argv[1]) / "results.jsonl").read_text().splitlines()
    results = [json.loads(line) for line in lines]
    verdicts = collections.Counter(result["verdict"] for result in results)
    print(", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()))
    causes = collections.defaultdict(list)
    for result in results:
        for finding in result["findings"][:1]:
            level = finding.get("level", "must")
            key = (level, finding["guarantee"], shape(finding["expected"]))
            causes[key].append((result["case"], finding))
    order = ("must", "should", "may")
    for key in sorted(causes, key=lambda k: (order.index(k[0]), GRAVITY.index(k[1]), k[2])):
        cases = sorted({case for case, _ in causes[key]})
        finding = causes[key][0][1]
        print(f"\n{key[1]} ({key[0]}), {len(cases)} cases: {', '.join(cases)}")
        print(f"  expected  {finding['expected']}\n  observed  {finding['observed']}")
    for verdict in ("harness_error", "inconclusive", "unsupported"):
        reasons = collections.defaultdict(set)
        for result in results:
            if result["verdict"] == verdict:
                reasons[shape(result["reason"])].add(result["case"])
        for reason, cases in sorted(reasons.items()):
            print(f"\n{verdict}, {len(cases)} cases: {reason}\n  {', '.join(sorted(cases))}")
    sys.exit(1 if verdicts["harness_error"] else 0)


if __name__ == "__main__":
    main()
