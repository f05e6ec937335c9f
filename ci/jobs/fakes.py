#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole suite on every dishonest server of ci/fakes but the rare ones (gates.py), one row each.

    ci/jobs/fakes.py [--behaviour NAME ...] [--folder DIR] [-- FLAGS OF watchproof run]

Exit code 0 when each of them ends with exit code 1, findings of every guarantee that it declares
to break, and no attempt that passed although something was broken in it; and when nothing of the
honest one fails. --folder keeps the runs and the logs of what was broken. Takes a few minutes per
server.
"""

import pathlib
import sys
import tempfile
from collections.abc import Iterator

import job
from outcome import Outcome, Tools, run_fake

VERDICTS = ("pass", "fail", "inconclusive", "unsupported", "harness_error")
HONEST = "honest"


def row(*cells: object) -> str:
    name, *numbers, rest = cells
    return f"{name:26} " + " ".join(f"{cell!s:>7}" for cell in numbers) + f"  {rest}"


def complaints(outcome: Outcome) -> Iterator[str]:
    """What is wrong with it, besides the cases that were deceived."""
    if outcome.behaviour == HONEST:
        # A fault of the process may miss the relay: that is inconclusive, and no other verdict.
        if outcome.exit_code not in (0, 2):
            yield f"exit {outcome.exit_code}, expected 0 or 2"
        return
    if outcome.exit_code != 1 and not outcome.only_noted:
        yield f"exit {outcome.exit_code}, expected 1"
    if outcome.only_noted and not outcome.noted:
        yield "no note in any attempt"
    if not outcome.tampered:
        yield "broke nothing in any attempt"
    if outcome.missing:
        yield f"no finding of {', '.join(outcome.missing)}"


def show(outcome: Outcome) -> bool:
    counts = [outcome.verdicts[verdict] for verdict in VERDICTS]
    wrong = list(complaints(outcome))
    print(
        row(
            outcome.behaviour,
            outcome.exit_code,
            *counts,
            len(outcome.tampered),
            "; ".join(wrong) or "-",
        )
    )
    for case in outcome.deceived:
        print(f"    passed although it {outcome.tampered[case]}: {case}")
    sys.stdout.flush()
    return not wrong and not outcome.deceived


def main() -> int:
    parser = job.parser(__doc__)
    parser.add_argument("--behaviour", action="append", default=[])
    parser.add_argument("--folder", type=pathlib.Path)
    options, flags = job.parse(parser)
    tools = Tools.of(job.build("watchproof", "dishonest_server"))
    known = tools.behaviours()
    chosen = options.behaviour or [HONEST] + [
        name
        for name, info in known.items()
        if name != HONEST and not info.rare and not info.parametrised
    ]
    for name in chosen:
        if name not in known:
            parser.error(f"no behaviour {name}; there are {', '.join(known)}")
    folder = (options.folder or pathlib.Path(tempfile.mkdtemp(prefix="wp-fakes-"))).absolute()
    print(
        row(
            "behaviour",
            "exit",
            "pass",
            "fail",
            "inconcl",
            "unsupp",
            "harness",
            "broken",
            "what is wrong",
        )
    )
    good = True
    for name in chosen:
        good &= show(run_fake(tools, known[name], folder / name, flags))
    print(f"runs and what each server broke: {folder}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
