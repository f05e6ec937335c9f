#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Client libraries on servers that misbehave and links that fail: which promises each one keeps.

    ci/jobs/client_matrix.py [--client NAME]... [--behaviour NAME]... [--runs FOLDER] [--jobs N]
        [--servers N] [--page FILE]

The rows are in ci/client_matrix/behaviours.toml; what each client promises, and how its users put
what became of them, in promises.toml beside it. A cell says what the client did, from one run:

    whole         its user saw nothing of it, and has every change once
    heals         its user got an error, listed again, and is whole
    reports       its user gets an error again and again
    loses         changes never came, and no error did
    repeats       a change was passed on twice
    returns       an older state came after a newer one
    misleads      progress was reported up to a revision of which events are missing
    stands still  nothing comes any more, and no error does
    dies          the process of the user ended
    -             the client has no such request, or the fault did not reach it

In bold: a documented promise is broken; each of these has a line with the reason, from [[known]].
The verdict on the server stands beside it: a red client on a green server, and the reverse.
--runs reads the runs of an earlier call there instead, and makes what is missing. --client may name
versions: etcd-go@3.5.7. So many --servers run side by side, with so many --jobs each.

Exit code: 0 when every broken promise is known, and every known one is broken, 1 otherwise. Without
the tools of a client its column is left out. The first builds take minutes, all runs half an hour.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import pathlib
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from typing import Any

import job
from outcome import Tools, template
from reader import Result, called, listed, results_of

Row = dict[str, Any]
# By client and case: the results on the server and on the client.
Found = dict[tuple[str, str], tuple[Result | None, Result]]

TABLES = job.JOBS.parent / "client_matrix"
FAKE = "fake:"
# Of a layer that followed to the end of the attempt.
NEVER = "it never came"
# The other findings in the order in which they decide.
BY_FINDING = [
    ("NoGhost", "loses"),
    ("ClaimKept", "loses"),
    ("NoDuplicate", "repeats"),
    ("BookmarkKept", "misleads"),
    ("NoTimeTravel", "returns"),
]
GOOD = {"whole", "heals", "reports"}


@dataclasses.dataclass
class Cell:
    outcome: str  # "-": it cannot be asked; "?": nothing is known
    server: str  # the verdict on it
    seen: str = ""
    counts: dict[str, int] = dataclasses.field(default_factory=dict)  # of its layer


Cells = dict[tuple[str, str], Cell]  # by behaviour and client


def load() -> tuple[Row, Row]:
    behaviours = tomllib.loads((TABLES / "behaviours.toml").read_text())
    promises = tomllib.loads((TABLES / "promises.toml").read_text())
    return behaviours, promises


def base(client: str) -> str:
    return client.split("@")[0]


def unplaced(tools: Tools, behaviours: Row) -> list[str]:
    """Defects and fakes that the tables say nothing of, and names that do not exist."""
    known = {defect.name for defect in listed(tools.watchproof, "list", "defects")}
    known |= set(tools.behaviours())
    placed = {name for left in behaviours["left_out"] for name in left["names"]}
    for row in behaviours["behaviour"]:
        placed.update(re.findall(r"(?:fake:|embedded\+)(.+)", row["server"]))
    return sorted(known ^ placed)


def target_of(server: str, tools: Tools, folder: pathlib.Path) -> str:
    if not server.startswith(FAKE):
        return server
    return template(tools, server.removeprefix(FAKE), folder / "tampered.jsonl", ["--in-memory"])


def run_server(
    server: str,
    rows: list[Row],
    clients: list[str],
    tools: Tools,
    folder: pathlib.Path,
    options: argparse.Namespace,
) -> Found:
    """The results by client and case: (on the server, on the client)."""
    if not (folder / "latest").exists():
        folder.mkdir(parents=True, exist_ok=True)
        command = [
            tools.watchproof,
            "run",
            "--run-dir",
            str(folder),
            "--keep",
            "all",
            "--quiet",
            "--progress",
            "off",
            "--jobs",
            str(options.jobs),
            "--case-timeout",
            "100s",
            "--target",
            target_of(server, tools, folder),
            "--filter",
            ":".join(f"Consumers.{row['case']}" for row in rows),
        ]
        for client in clients:
            command += ["--consumer", client]
        done = called(command)
        (folder / "output.txt").write_text(done.stdout + done.stderr)
        if not (folder / "latest").exists():
            print(f"{server}: {done.stdout[-1000:]}{done.stderr[-2000:]}", file=sys.stderr)
            return {}
    of_server: dict[str, Result] = {}
    found: Found = {}
    for result in results_of(folder / "latest"):
        client, on, _ = result.target.partition(" on ")
        if not on or client not in clients:
            of_server[result.folder] = result
        else:
            case = result.case.removeprefix("Consumers.")
            found[client, case] = (of_server.get(result.folder), result)
    return found


def first_finding(result: Result) -> tuple[str, str]:
    found = {finding.guarantee: finding for finding in result.findings}

    def seen(guarantee: str) -> str:
        finding = found[guarantee]
        return f"expected {finding.expected}, observed {finding.observed}"

    if "NoGap" in found and not found["NoGap"].observed.startswith(NEVER):
        return "loses", seen("NoGap")
    if "Converged" in found:
        return "stands-still", seen("Converged")
    if "NoGap" in found:
        return "dies", f"{seen('NoGap')}, and the consumer did not answer at the end"
    # Behind a report of progress what is missing comes late, or never.
    if "BookmarkKept" in found and "NoTimeTravel" not in found:
        return "loses", seen("BookmarkKept")
    for guarantee, outcome in BY_FINDING:
        if guarantee in found:
            return outcome, seen(guarantee)
    return "?", f"findings {sorted(found)}"


def cell_of(server: Result | None, result: Result) -> Cell:
    if result.verdict == "unsupported":
        return Cell("-", "", result.reason)
    layers = result.counts
    counts = layers.get("client", {})
    counts["fragments asked"] = layers.get("wire", {}).get("creates with fragments", 0)
    verdict = server.verdict if server else "?"
    seen = f"{counts.get('lists', 0)} lists, {counts.get('errors', 0)} errors"
    if "the consumer exited" in (result.reason or ""):
        return Cell("dies", verdict, result.reason, counts)
    if result.verdict == "inconclusive" and "took no effect" in result.reason:
        return Cell("-", verdict, result.reason, counts)
    if result.verdict == "pass":
        healed = counts.get("errors", 0) > 0 and counts.get("lists", 0) > 1
        return Cell("heals" if healed else "whole", verdict, seen, counts)
    if result.verdict != "fail":
        return Cell("?", verdict, f"{result.verdict}: {result.reason}", counts)
    outcome, seen = first_finding(result)
    # One that is refused again and again reports that.
    if outcome == "stands-still" and counts.get("errors", 0) > 3:
        outcome = "reports"
    return Cell(outcome, verdict, seen, counts)


class Judge:
    def __init__(self, promises: Row) -> None:
        self.asked = {one["name"]: one for one in promises["asked"]}
        self.clients = {one["name"]: one for one in promises["client"]}
        self.promises = {(one["client"], one["asked"]): one for one in promises["promise"]}
        self.known = {(one["client"], one["behaviour"]): one for one in promises.get("known", [])}

    def promise(self, row: Row, client: str) -> Row | None:
        return self.promises.get((base(client), row.get("asks")))

    @staticmethod
    def unasked(row: Row, cell: Cell) -> bool:
        return row.get("asks") == "fragments" and cell.counts.get("fragments asked") == 0

    def breaks(self, row: Row, client: str, cell: Cell) -> Row | None:
        """The promise that the cell breaks, or nothing."""
        promise = self.promise(row, client)
        if promise is None or cell.outcome in "-?":
            return None
        if self.unasked(row, cell):
            return promise
        return None if cell.outcome in self.asked[row["asks"]]["kept_by"] else promise

    def words(self, client: str, outcome: str) -> str:
        return self.clients.get(base(client), {}).get(outcome, text_of(outcome))


def text_of(outcome: str) -> str:
    return outcome.replace("-", " ") if len(outcome) > 1 else outcome


def matrix(rows: list[Row], clients: list[str], cells: Cells, judge: Judge) -> Iterator[str]:
    yield "| what happens | server | " + " | ".join(f"`{client}`" for client in clients) + " |"
    yield "|---" * (2 + len(clients)) + "|"
    for row in rows:
        of_row = [cells.get((row["name"], client)) for client in clients]
        verdicts = collections.Counter(cell.server for cell in of_row if cell and cell.server)
        server = row["server"].removeprefix(FAKE)
        words = [f"{row['name']} (`{server}`, {row['case']})", ", ".join(sorted(verdicts)) or "-"]
        for client, cell in zip(clients, of_row, strict=True):
            if cell is None:
                words.append("")
                continue
            text = text_of(cell.outcome)
            words.append(f"**{text}**" if judge.breaks(row, client, cell) else text)
        yield "| " + " | ".join(words) + " |"


def broken_lines(
    rows: list[Row], clients: list[str], cells: Cells, judge: Judge, problems: list[str]
) -> Iterator[str]:
    for row in rows:
        for client in clients:
            cell = cells.get((row["name"], client))
            if cell is None:
                continue
            known = judge.known.get((client, row["name"]))
            if cell.outcome == "?":
                problems.append(f"{client}, {row['name']}: unknown: {cell.seen}")
            promise = judge.breaks(row, client, cell)
            if promise is None:
                if known:
                    problems.append(
                        f"{client}, {row['name']}: {cell.outcome}, although listed as broken"
                    )
                continue
            if not known:
                problems.append(
                    f"{client}, {row['name']}: {cell.outcome}, and no reason is given: {cell.seen}"
                )
            why = known["why"] if known else "no reason is known"
            seen = "no create asks for fragments" if judge.unasked(row, cell) else cell.seen
            yield (
                f"- `{client}`, {row['name']}: {judge.words(client, cell.outcome)}. Promised: "
                f'"{promise["says"]}" ({promise["where"]}). Seen: {seen}. {why}'
            )


def silent_lines(rows: list[Row], clients: list[str], cells: Cells, judge: Judge) -> Iterator[str]:
    """What users lose without a broken promise, by client and outcome."""
    lost = collections.defaultdict(list)
    for row in rows:
        for client in clients:
            cell = cells.get((row["name"], client))
            if cell is None or cell.outcome in GOOD | {"-", "?"}:
                continue
            if not judge.breaks(row, client, cell):
                lost[client, cell.outcome].append(row["name"])
    for (client, outcome), names in lost.items():
        yield (
            f"- `{client}`, {text_of(outcome)}: {judge.words(client, outcome)}. When: "
            f"{'; '.join(names)}."
        )


def page(
    rows: list[Row], clients: list[str], cells: Cells, judge: Judge, problems: list[str]
) -> Iterator[str]:
    yield from (
        "# Client libraries on servers that misbehave",
        "",
        "Made by `ci/jobs/client_matrix.py`, which explains the words. Bold: a documented "
        "promise is broken.",
        "",
    )
    yield from matrix(rows, clients, cells, judge)
    yield from ("", "## Broken promises", "")
    yield from broken_lines(rows, clients, cells, judge, problems)
    yield from ("", "## What users lose where nothing was promised, or no client can notice", "")
    yield from silent_lines(rows, clients, cells, judge)


def without_tools(clients: list[str], cells: Cells) -> list[str]:
    """Those that this machine cannot build: each attempt says why."""
    lacking = [
        client
        for client in clients
        if {cell.outcome for (_, of), cell in cells.items() if of == client} == {"-"}
    ]
    for client in lacking:
        why = next(cell.seen for (_, of), cell in cells.items() if of == client)
        print(f"{client}: left out: {why}", file=sys.stderr)
    return lacking


def main() -> int:
    behaviours, promises = load()
    judge = Judge(promises)
    parser = job.parser(__doc__)
    parser.add_argument("--client", action="append", metavar="NAME")
    parser.add_argument(
        "--behaviour",
        action="append",
        metavar="NAME",
        choices=[row["name"] for row in behaviours["behaviour"]],
    )
    parser.add_argument("--runs", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--servers", type=int, default=3)
    parser.add_argument("--page", type=pathlib.Path)
    options = parser.parse_args()
    tools = Tools.of(job.build("watchproof", "dishonest_server"))
    problems = [
        f"{name}: in no row of behaviours.toml, or of no server"
        for name in unplaced(tools, behaviours)
    ]
    rows = [
        row
        for row in behaviours["behaviour"]
        if not options.behaviour or row["name"] in options.behaviour
    ]
    clients = options.client or list(judge.clients)
    by_server = collections.defaultdict(list)
    for row in rows:
        by_server[row["server"]].append(row)
    cells = {}
    with tempfile.TemporaryDirectory() as scratch:
        runs = (options.runs or pathlib.Path(scratch)).absolute()

        def of(server: str) -> Found:
            folder = runs / server.replace(":", "-")
            return run_server(server, by_server[server], clients, tools, folder, options)

        # Most of the time an attempt waits.
        with concurrent.futures.ThreadPoolExecutor(options.servers) as pool:
            results = dict(zip(by_server, pool.map(of, by_server), strict=True))
        for server, found in results.items():
            for row in by_server[server]:
                for client in clients:
                    pair = found.get((client, row["case"]))
                    cells[row["name"], client] = cell_of(*pair) if pair else Cell("?", "?")
    lacking = without_tools(clients, cells)
    clients = [client for client in clients if client not in lacking]
    text = "\n".join(page(rows, clients, cells, judge, problems)) + "\n"
    print(text)
    if options.page:
        options.page.write_text(text)
    for problem in problems:
        print(f"client_matrix: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
