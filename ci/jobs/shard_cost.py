#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run costs on many machines and how long it takes, simulated from the durations of a run.

    shard_cost.py RUN [RUN ...] [--repeat 20] [--shards 1,10,100,1000] [--output PAGE.md]

RUN is a folder of `watchproof run`, as large a part of the matrix as there is. Its attempts, each
--repeat times, go to shards as `--shard-by results.db` does it: the longest first, each to the
shard with the least to do. A shard makes as many attempts at a time as RUN did; an attempt takes
what one of the same case took, drawn, so that shards do not end together. Around it: the start of
a pod, pods that are lost and started again, and the merge, all of them flags. Prints one page.
"""

import argparse
import heapq
import pathlib
import random
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import job
from job import reader

Name = tuple[str, str]  # case and target
Durations = Mapping[Name, list[float]]

ROUNDS = 20


def measured(folders: list[pathlib.Path]) -> tuple[Durations, float]:
    """(case, target) -> seconds of its attempts; and how many attempts were made at a time."""
    durations = defaultdict(list)
    wall = 0
    for folder in folders:
        wall += reader.document_of(folder / "run.json")["seconds"]
        # Of an attempt with a consumer the second result, which names the consumer, too.
        attempts = {
            row.folder or number: row for number, row in enumerate(reader.results_of(folder))
        }
        for row in attempts.values():
            durations[row.case, row.target].append(row.seconds)
    at_a_time = sum(map(sum, durations.values())) / wall
    return durations, at_a_time


def balance(attempts: Sequence[tuple[Name, float]], shards: int) -> list[list[Name]]:
    """The longest first, each to the shard with the least to do."""
    heap = [(0.0, index) for index in range(shards)]
    parts: list[list[Name]] = [[] for _ in range(shards)]
    for name, seconds in sorted(attempts, key=lambda one: -one[1]):
        load, index = heapq.heappop(heap)
        parts[index].append(name)
        heapq.heappush(heap, (load + seconds, index))
    return parts


def length(seconds: Iterable[float], at_a_time: float) -> float:
    """Of attempts, so many at a time, in this order."""
    ends = [0.0] * max(1, round(at_a_time))
    for one in seconds:
        heapq.heapreplace(ends, ends[0] + one)
    return max(ends)


def simulate(
    parts: list[list[Name]],
    durations: Durations,
    at_a_time: float,
    options: argparse.Namespace,
    prng: random.Random,
) -> tuple[float, float]:
    """The seconds until the merge is done, and the pod seconds that were paid."""
    ends, paid = [], 0
    for part in parts:
        end = 0
        while True:
            start = options.pod_start * prng.lognormvariate(0, 0.5)
            took = length((prng.choice(durations[name]) for name in part), at_a_time)
            lost = prng.random() < options.lost * took / 3600
            took *= prng.random() if lost else 1
            end += start + took
            paid += start + took
            if not lost:
                break
        ends.append(end)
    if options.pods:  # no more at a time
        ends = [length(ends, options.pods)]
    merge = options.pod_start + options.merge * len(parts)
    return max(ends) + merge, paid + merge


def clock(seconds: float) -> str:
    if seconds < 3600:
        return f"{seconds / 60:.1f} min"
    return f"{seconds / 3600:.1f} h"


def row(
    shards: int,
    attempts: Sequence[tuple[Name, float]],
    durations: Durations,
    at_a_time: float,
    options: argparse.Namespace,
) -> str:
    prng = random.Random(shards)
    parts = balance(attempts, shards)
    walls, paid = zip(
        *(simulate(parts, durations, at_a_time, options, prng) for _ in range(ROUNDS)), strict=True
    )
    hours = statistics.median(paid) * options.processors / 3600
    return (
        f"| {shards} | {len(attempts) / shards:.0f} | {clock(statistics.median(walls))} | "
        f"{clock(max(walls))} | {hours:.0f} | {hours * options.price:.2f} | "
        f"{shards * options.megabytes / 1000:.1f} |"
    )


def page(durations: Durations, at_a_time: float, options: argparse.Namespace) -> str:
    attempts = [
        ((case, target), statistics.mean(seconds))
        for (case, target), seconds in durations.items()
        for _ in range(options.repeat)
    ]
    work = sum(seconds for _, seconds in attempts)
    rows = "\n".join(
        row(int(shards), attempts, durations, at_a_time, options)
        for shards in options.shards.split(",")
    )
    longest = max(max(seconds) for seconds in durations.values())
    cases = len({case for case, _ in durations})
    targets = len({target for _, target in durations})
    at_most = f"at most {options.pods}" if options.pods else "all"
    return f"""# {len(attempts):,} attempts on many machines

{cases} cases on {targets} targets, each {options.repeat} times: {clock(work)} of attempts one \
after the other, the longest {longest:.0f} s. Measured: {sum(map(len, durations.values())):,} \
attempts on {options.processors} processors, {at_a_time:.1f} at a time on average. Simulated, \
{ROUNDS} rounds each.

| shards | attempts each | done in (median) | at worst | processor hours | cost | GB |
|---|---|---|---|---|---|---|
{rows}

Assumed: a pod of {options.processors} processors starts in {options.pod_start:.0f} s (median); \
{100 * options.lost:.1f} % of pods are lost per hour and start again; a merge of \
{options.merge:.2f} s per shard; {options.price} per processor hour; {options.megabytes:.1f} MB \
kept per shard; {at_most} pods at a time.
"""


def main() -> None:
    parser = job.parser(__doc__)
    parser.add_argument("run", nargs="+", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--shards", default="1,10,100,1000")
    parser.add_argument("--pods", type=int, default=0, help="at a time; 0: all")
    parser.add_argument("--processors", type=int, default=2, help="of a pod, and of RUN's machine")
    parser.add_argument("--pod-start", type=float, default=20, help="seconds, with the image")
    parser.add_argument("--lost", type=float, default=0.01, help="share of pods lost per hour")
    parser.add_argument("--merge", type=float, default=0.03, help="seconds per shard")
    parser.add_argument("--megabytes", type=float, default=5, help="kept per shard")
    parser.add_argument("--price", type=float, default=0.04, help="of a processor hour")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    text = page(*measured(options.run), options)
    print(text)
    if options.output:
        options.output.write_text(text)


if __name__ == "__main__":
    main()
