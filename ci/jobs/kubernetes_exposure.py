#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which Kubernetes is exposed to which etcd: real API servers and informers on each, as matrices.

    ci/jobs/kubernetes_exposure.py [--kubernetes VERSION]... [--etcd VERSION]... [--case NAME]...
        [--repeat N] [--runs FOLDER]

Each version of Kubernetes runs twice: with Events as they are by default, without a watch cache,
and with one, as all other resources; 1.31 a third time, with the gate by which watches without a
resource version go past the cache. A cell says what became of the informer, from runs:

    exposed   it holds, or has passed on, what the store does not have; or the watch of another
              client, which goes past the cache, does not get what the store has
    heals     etcd left something out, or a previous value was missing; the API server or the layer
              above noticed, and listed again
    notified  etcd ended a watch with ErrCompacted, as promised, and the layer above listed again
    immune    none of these, although others are exposed on the same etcd
    clean     none of these, nor has this etcd left anything out
    unknown   no attempt was conclusive

and in how many attempts. Below each matrix stands what was seen, one line for each kind of cell.
--runs reads the runs of an earlier call there instead, and makes what is missing.

Exit code: 0 when every cell is known, 1 otherwise, 77 without go.
A first build of each version takes 4 minutes of two cores, an attempt 5 to 15 s. Needs go.
"""

import argparse
import collections
import contextlib
import dataclasses
import json
import pathlib
import re
import sys
import tempfile

import job
from reader import Result, called, lines_of, results_of

KUBERNETES = ["1.24.17", "1.26.15", "1.28.2", "1.31.0", "1.37.2"]
ETCD = ["3.4.23", "3.5.12", "3.5.16", "3.5.30", "3.7.3"]
CASES = ["FullQueue", "SlowLinkNewKeys", "SlowLinkOldKeys", "DeleteAtFloor"]
PATHS = {"kube-apiserver": "no cache", "kube-apiserver-cached": "cache"}
GATED = {"kube-apiserver-from-storage": "cache, gate on"}
WITH_GATE = {"1.31.0"}  # of those above
# In the order in which they decide: one attempt with a ghost is enough.
KINDS = ["exposed", "heals", "notified", "immune", "clean", "unknown"]
# Other watches share the stream, and their errors are in the log of the API server, too.
WITH_NEIGHBOURS = ["FullQueue"]
# Why such a case cannot begin: the watches of clients do not become watches of the store.
NO_NEIGHBOURS = "gauge to count 100 more watchers"
NO_PREVIOUS = re.compile(r"etcd event received with PrevKv=nil")


@dataclasses.dataclass
class Attempt:
    kind: str
    seen: str  # the mechanism, in one line


Cells = dict[tuple[str, str, str], list[Attempt]]  # by path, case and etcd


def missing_value(folder: pathlib.Path, errors: list[str], alone: bool) -> str | None:
    """Where an event without its previous value ended a watch, if one did."""
    found = NO_PREVIOUS.search("\n".join(errors))
    if found:
        return f"reflector: {found[0]}"
    with contextlib.suppress(FileNotFoundError):
        found = NO_PREVIOUS.search((folder / "consumer.log").read_text(errors="replace"))
    return f"watch cache: {found[0]}" if found and alone else None


def reports(watchproof: pathlib.Path, folder: pathlib.Path) -> tuple[list[str], bool]:
    """The errors of the layers, and whether a watch of the store ended with ErrCompacted."""
    dump = called([watchproof, "history", "dump", folder / "history.wire.zst"], check=True).stdout
    errors, notified = [], False
    for line in lines_of(dump):
        notified = notified or bool(line.get("canceled") and line.get("compact_revision"))
        if line["kind"] != "annotation" or '"type":"consumer"' not in line["text"]:
            continue
        report = json.loads(line["text"])
        if report["kind"] == "error":
            message = re.search(r"Message:(.*?),(Reason|Details):", report["error"])
            errors.append(f"{report['layer']}: {(message or [0, report['error']])[1]}")
    return errors, notified


def attempt_of(
    watchproof: pathlib.Path, run: pathlib.Path, target: Result, consumer: Result
) -> Attempt:
    """What one attempt shows, from its two results."""
    reason = consumer.reason
    if consumer.verdict == "fail":
        finding = consumer.findings[0]
        return Attempt(
            "exposed",
            f"{finding.watch.split(' of ')[0]}: expected "
            f"{finding.expected}, observed {finding.observed}",
        )
    if consumer.verdict != "pass":
        if NO_NEIGHBOURS in reason:
            return Attempt("immune", "100 watches of clients are no watches of the store")
        return Attempt("unknown", f"{consumer.verdict}: {reason}")
    errors, notified = reports(watchproof, run / consumer.folder)
    alone = consumer.case.removeprefix("Consumers.") not in WITH_NEIGHBOURS
    if target.verdict == "fail" and not alone:
        # Had the watch below the informer lost it, the informer would hold what is not there.
        finding = target.findings[0]
        return Attempt(
            "exposed",
            "the watch of another client, in the store: expected "
            f"{finding.expected}, observed {finding.observed}",
        )
    missing = missing_value(run / consumer.folder, errors, alone)
    if missing or target.verdict == "fail":
        return Attempt("heals", missing or f"etcd: {target.findings[0].observed}")
    if notified:
        return Attempt("notified", errors[-1] if errors else "the cache, below what is reported")
    return Attempt("clean", "no watch of the store fell below the floor")


def paths_of(version: str) -> dict[str, str]:
    return PATHS | (GATED if version in WITH_GATE else {})


def run_column(
    watchproof: pathlib.Path, folder: pathlib.Path, version: str, options: argparse.Namespace
) -> Cells:
    """One version on every etcd; the attempts by path, case and etcd."""
    if not (folder / "latest").exists():
        command = [
            str(watchproof),
            "run",
            "--run-dir",
            str(folder),
            "--keep",
            "all",
            "--quiet",
            "--repeat",
            str(options.repeat),
            "--filter",
            ":".join(f"Consumers.{case}" for case in options.case),
        ]
        for path in paths_of(version):
            command += ["--consumer", f"{path}@{version}"]
        for etcd in options.etcd:
            command += ["--target", f"etcd@{etcd}"]
        done = called(command)
        if not (folder / "latest").exists():
            print(
                f"Kubernetes {version}: {done.stdout[-2000:]}{done.stderr[-2000:]}", file=sys.stderr
            )
            return {}
    run = (folder / "latest").resolve()
    results = iter(results_of(run))
    cells = collections.defaultdict(list)
    for target, consumer in zip(results, results, strict=True):
        named = re.fullmatch(r"(.*)@.* on etcd[@ ](.*)", consumer.target)
        assert named, consumer
        path, etcd = named.groups()
        case = consumer.case.removeprefix("Consumers.")
        cells[path, case, etcd].append(attempt_of(watchproof, run, target, consumer))
    return cells


def decide(attempts: list[Attempt]) -> tuple[str, str, str]:
    """The kind of the cell, how often, and the attempt that shows it."""
    for kind in KINDS:
        of_kind = [attempt for attempt in attempts if attempt.kind == kind]
        if of_kind:
            return kind, f"{kind} {len(of_kind)}/{len(attempts)}", of_kind[0].seen
    return "unknown", "unknown", "no attempt"


def print_matrix(case: str, columns: dict[str, Cells], etcds: list[str]) -> int:
    """Returns how many cells are unknown."""
    print(f"\nConsumers.{case}")
    print(f"  {'Kubernetes':24}" + "".join(f"etcd {etcd:13}" for etcd in etcds))
    why: dict[tuple[str, str, str], str] = {}
    unknown = 0
    affected = {
        etcd
        for cells in columns.values()
        for (_, of_case, etcd), attempts in cells.items()
        if of_case == case and decide(attempts)[0] == "exposed"
    }
    for version, cells in columns.items():
        for path, title in paths_of(version).items():
            row = f"  {f'{version}, {title}':24}"
            for etcd in etcds:
                kind, text, seen = decide(cells.get((path, case, etcd), []))
                if kind == "clean" and etcd in affected:
                    kind, text = "immune", text.replace("clean", "immune")
                unknown += kind == "unknown"
                why.setdefault(
                    (title, kind, seen if kind == "unknown" else ""),
                    f"{kind} ({title}, {version} on {etcd}): {seen}",
                )
                row += f"{text:18}"
            print(row.rstrip())
    for line in why.values():
        print(f"    {line[:220]}")
    return unknown


def main() -> int:
    parser = job.parser(__doc__)
    parser.add_argument("--kubernetes", action="append", metavar="VERSION")
    parser.add_argument("--etcd", action="append", metavar="VERSION")
    parser.add_argument("--case", action="append", choices=CASES)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--runs", type=pathlib.Path)
    options = parser.parse_args()
    options.etcd = options.etcd or ETCD
    options.case = options.case or CASES
    job.needs("go")
    watchproof = job.build("watchproof") / "watchproof"
    with tempfile.TemporaryDirectory() as scratch:
        runs = options.runs or pathlib.Path(scratch)
        columns = {
            version: run_column(watchproof, runs / version, version, options)
            for version in options.kubernetes or KUBERNETES
        }
        unknown = sum(print_matrix(case, columns, options.etcd) for case in options.case)
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
