#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `watchproof gate` is worth: many gates with a known answer, and how often they give it.

    gates.py null [--target SPEC] [--count 400] [--budget 20s] [-- FLAGS OF watchproof gate]
    gates.py defects [--name NAME ...] [--budget 15m]
    gates.py releases 3.5.12:3.5.15:not-worse 3.5.15:3.5.12:worse ... [--budget 15m]
                      [--output FOLDER] [--parallel N] [--resume]

null: an unchanged build against itself; at most one gate in 200 may say worse. defects: the
embedded store with each planted defect against the store without, and the rare behaviours of
ci/fakes against the honest one; each must be worse. releases: pairs of etcd with what is expected
of them.

FOLDER gets gates.jsonl, a row for each gate, and what `watchproof gate` printed; --resume leaves
out what is there already. Exit code 1 if an answer is not the expected one.
"""

import argparse
import concurrent.futures
import json
import pathlib
import re
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import job
from outcome import Tools, template
from reader import called, lines_of, listed

Row = dict[str, Any]

ANSWERS = {0: "not worse", 1: "worse", 2: "needs more"}
MOST_FALSE = 1 / 200  # of gates over an unchanged build


@dataclass(frozen=True)
class Gate:
    name: str
    base: str
    head: str
    expected: str  # "" where each answer but worse is as good
    seed: int = 1


def null_gates(options: argparse.Namespace) -> list[Gate]:
    return [
        Gate(f"null-{number}", options.target, options.target, "", number)
        for number in range(1, options.count + 1)
    ]


def defect_gates(options: argparse.Namespace, build: pathlib.Path) -> list[Gate]:
    gates = [
        Gate(name, "embedded", f"embedded+{name}", "worse")
        for name in (one.name for one in listed(build / "watchproof", "list", "defects"))
    ]
    tools = Tools.of(build)

    def relayed(behaviour: str) -> str:
        return template(tools, behaviour, options.output / f"{behaviour}.log", ())

    gates += [
        Gate(name, relayed("honest"), relayed(name), "worse")
        for name, fake in tools.behaviours().items()
        if fake.rare
    ]
    return [gate for gate in gates if not options.name or gate.name in options.name]


def release_gates(options: argparse.Namespace) -> list[Gate]:
    gates = []
    for text in options.pair:
        base, head, expected = text.split(":")
        gates.append(
            Gate(f"{base}-{head}", f"etcd@{base}", f"etcd@{head}", expected.replace("-", " "))
        )
    return gates


def bugs_named(printed: str) -> list[str]:
    """The upstream numbers and advisories in it, in order."""
    return list(dict.fromkeys(re.findall(r"#\d{4,5}|GHSA-[0-9a-z-]+", printed)))


def run_gate(gate: Gate, options: argparse.Namespace, build: pathlib.Path, flags: list[str]) -> Row:
    folder = options.output / gate.name
    began = time.monotonic()
    done = called(
        [
            build / "watchproof",
            "gate",
            "--base",
            gate.base,
            "--head",
            gate.head,
            "--budget",
            options.budget,
            "--seed",
            hex(gate.seed),
            "--run-dir",
            folder,
            *flags,
        ],
        stdin=subprocess.DEVNULL,
    )
    (options.output / f"{gate.name}.txt").write_text(done.stdout + done.stderr)
    answer = ANSWERS.get(done.returncode, f"exit {done.returncode}")
    wrong = answer not in ANSWERS.values() or (
        answer != gate.expected if gate.expected else answer == "worse"
    )
    return {
        "gate": gate.name,
        "answer": answer,
        "expected": gate.expected or "not worse",
        "wrong": wrong,
        "seconds": round(time.monotonic() - began, 1),
        "named": bugs_named(done.stdout),
    }


def main() -> bool:
    parser = job.parser(__doc__)
    parser.add_argument("kind", choices=("null", "defects", "releases"))
    parser.add_argument("pair", nargs="*")
    parser.add_argument("--target", default="embedded")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--name", action="append", default=[])
    parser.add_argument("--budget")
    parser.add_argument("--parallel", type=int, default=1)
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--resume", action="store_true")
    options, flags = job.parse(parser)
    options.budget = options.budget or ("20s" if options.kind == "null" else "15m")
    options.output = (options.output or pathlib.Path(f"build/gates-{options.kind}")).absolute()
    options.output.mkdir(parents=True, exist_ok=True)
    build = job.build("watchproof", "dishonest_server")
    gates = {
        "null": null_gates,
        "releases": release_gates,
        "defects": lambda o: defect_gates(o, build),
    }[options.kind](options)

    kept = options.output / "gates.jsonl"
    rows = []
    if options.resume and kept.exists():
        rows = lines_of(kept.read_text())
    ended = {row["gate"] for row in rows}
    lock = threading.Lock()

    def one(gate: Gate) -> None:
        row = run_gate(gate, options, build, flags)
        with lock:
            rows.append(row)
            kept.write_text("".join(json.dumps(each) + "\n" for each in rows))
            print(
                f"{row['gate']:36} {row['answer']:12}{'!' if row['wrong'] else ' '} "
                f"{row['seconds']:6.0f} s  {', '.join(row['named'])}",
                flush=True,
            )

    with concurrent.futures.ThreadPoolExecutor(options.parallel) as pool:
        list(pool.map(one, [gate for gate in gates if gate.name not in ended]))
    wrong = [row["gate"] for row in rows if row["wrong"]]
    counts = ", ".join(
        f"{count} {answer}"
        for answer, count in Counter(row["answer"] for row in rows).most_common()
    )
    seconds = statistics.median(row["seconds"] for row in rows)
    print(
        f"{len(rows)} gates: {counts}; median {seconds:.0f} s; not as expected: "
        f"{', '.join(wrong) or 'none'}; {options.output}"
    )
    return len(wrong) > (MOST_FALSE * len(rows) if options.kind == "null" else 0)


if __name__ == "__main__":
    sys.exit(main())
