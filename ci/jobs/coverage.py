#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many cases use each kind of step, each of its options, and each pair of these.

    ci/jobs/coverage.py [--seeds 3] [--pairs 2] [--no-build]

An option is a field of a step that is not as in an empty step; of fields with a few values each
value counts (`watch.start=head`), of faults each kind. A pair is used by a case that uses both.
Prints the steps and options with their cases, those that no case uses, and the pairs that fewer
cases than --pairs use. Exit code 1 if a step or an option is used by no case.
"""

import collections
import concurrent.futures
import itertools
import json
import os
import re
import sys
from collections.abc import Iterator
from typing import Any

import job
import plans
from reader import listed

# Names, sizes and times: every use of the step has one, and its value says nothing.
PLAIN = {
    "case",
    "target",
    "seed",
    "attempt",
    "op",
    "step",
    "key",
    "group",
    "value",
    "as",
    "count",
    "us",
    "lease",
    "load",
    "fault",
    "writes",
    "parameters",
    "load_seed",
    "of",
    "revision",
    "ttl",
    "readers",
    "watchers",
    "passes",
    "clients",
    "calls",
    "keys",
    "write",
    "at",
    "user",
    "stream",
}
# Those of them that are options where the step may lack them.
NAMED_OPTIONS = {("put", "lease"), ("watch", "user")}


def is_option(op: str, name: str) -> bool:
    return name not in PLAIN or (op, name) in NAMED_OPTIONS


def known(command: str) -> set[str]:
    """Every kind of step and its options."""
    features = set()
    for step in listed(command, "list", "steps"):
        features.add(step.name)
        for name in filter(None, step.facts["options"].split(", ")):
            if is_option(step.name, name):
                features.add(f"{step.name}.{name}")
    return features


def base(value: object) -> str:
    """What kind of revision it is: now, head, head-3, write 4, 17."""
    return re.sub(r"[-+ ]?\d+$", "", str(value)).strip() or "absolute"


def features_of(step: dict[str, Any], inside: str = "") -> Iterator[str]:
    op = inside + step["op"]
    yield op
    for name, value in step.items():
        if name in ("start", "at"):
            yield f"{op}.{name}={base(value)}"
        elif name == "moment":
            yield f"{op}.{name}={value}"
        elif name == "fault" and op == "inject":
            yield f"{op} {value.split('/')[0]}"
        elif name == "writes" or (name == "write" and isinstance(value, dict)):
            for inner in value if name == "writes" else [value]:
                yield from features_of(inner, f"{op}>")
        elif value not in (False, "", 0) and is_option(step["op"], name):
            yield f"{op}.{name}"


def features_of_case(command: str, case: str, seeds: int) -> set[str]:
    used: set[str] = set()
    for seed in range(1, seeds + 1):
        for line in plans.plan_of(command, case, seed)[1:]:
            used.update(features_of(json.loads(line)))
    return used


def main() -> int:
    parser = job.parser(__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=1, help="print pairs with fewer cases")
    parser.add_argument("--no-build", action="store_true")
    flags = parser.parse_args()
    command = str((job.BUILD if flags.no_build else job.build("watchproof")) / "watchproof")
    cases = plans.cases_of(command)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        used = list(pool.map(lambda case: features_of_case(command, case, flags.seeds), cases))
    single = collections.Counter(feature for features in used for feature in features)
    pairs = collections.Counter(
        pair for features in used for pair in itertools.combinations(sorted(features), 2)
    )
    for feature, count in sorted(single.items()):
        print(f"{count:5}  {feature}")
    all_pairs = list(itertools.combinations(sorted(single), 2))
    rare = [pair for pair in all_pairs if pairs[pair] < flags.pairs]
    for pair in rare:
        print(f"{pairs[pair]:5}  {pair[0]}  with  {pair[1]}")
    met = sum(1 for pair in all_pairs if pairs[pair] > 0)
    unused = sorted(known(command) - set(single))
    print(
        f"{len(cases)} cases use {len(single)} steps and options; "
        f"{met} of {len(all_pairs)} pairs of them meet in a case"
    )
    for feature in unused:
        print(f"no case uses {feature}")
    sys.exit(1 if unused else 0)


if __name__ == "__main__":
    main()
