# SPDX-License-Identifier: Apache-2.0
"""What is known without a run: the contract, the answer keys, the cases, and Kubernetes' etcd."""

import dataclasses
import fnmatch
import pathlib
import re
import tomllib
from typing import Any

from reader import Entry, called, lines_of, listed

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRODUCTS = ("etcd", "kine", "t4")
COSTS = {
    "data": "data: lost, invented or wrong",
    "security": "security",
    "outage": "outage: a member ends, or does not start",
    "silence": "silence: what was to come does not",
    "order": "order",
    "resources": "resources: memory, time",
    "noise": "noise",
}
LETTERS = {
    "W": "Watches",
    "K": "Keys: reads, writes, transactions",
    "C": "Compaction",
    "L": "Leases",
    "X": "Locks and elections",
    "A": "Rights of users",
    "M": "Maintenance and members",
    "S": "Service: availability, durability, limits, headers",
}
RANGE = re.compile(r"(\d+\.\d+)(?: >= (\S+))?(?: < (\S+))?")


# Fields that a row may lack.
OF_CLAUSE = ("since", "until", "cases", "promises", "differs")
OF_BUG = ("name", "members", "topology", "clauses", "shown", "met", "permitted", "not_shown")


def toml(*path: str) -> dict[str, Any]:
    return tomllib.loads(ROOT.joinpath(*path).read_text(encoding="utf-8"))


def slug(text: str) -> str:
    return re.sub(r"[^\w.@,+:-]+", "-", text).strip("-")


def order(version: str) -> list[tuple[int, str]]:
    """In the order of versions: numbers as numbers, a pre-release before its release."""
    parts = re.split(r"[.,]|(?=-)", version)
    return [(int(part), "") if part.isdigit() else (-1, part) for part in (*parts, "0")]


def before(version: str) -> str:
    """The release before: 3.5.12 of 3.5.13, none of 3.5.0 and of pre-releases."""
    head, _, patch = version.rpartition(".")
    return f"{head}.{int(patch) - 1}" if "-" not in version and int(patch or 0) > 0 else ""


def part_in_words(
    since: str, branches: tuple[str, str], fixed: str, first: bool, last: bool
) -> str:
    """Of releases in a row, from the first of these branches into the second."""
    end, start = before(fixed), "" if first and not since else since or f"{branches[0]}.0"
    if not fixed:
        rest = " and later" + ("" if last else f" of {branches[1]}")
        return (since or branches[0]) + rest if start else "every release so far"
    if not start:
        return f"every release up to {end}" if end else f"every release before {fixed}"
    if not end and not since and branches[0] == branches[1]:
        return f"pre-releases of {branches[0]}" + (f" before {fixed}" if "-" in fixed else "")
    return (
        start
        if start == end
        else f"{start} to {end}"
        if end
        else f"{start} and later, before {fixed}"
    )


def in_words(affected: list[str]) -> tuple[str, str]:
    """Ranges of the answer key for people: which releases have the bug, and which do not any more.

    in_words(["3.4 < 3.4.31", "3.5 < 3.5.13"]) == (
        "every release up to 3.4.30, 3.5.0 to 3.5.12", "3.4.31 and 3.5.13")
    """
    ranges = [found.groups("") for found in map(RANGE.fullmatch, affected) if found]
    assert len(ranges) == len(affected), affected
    parts, at = [], 0
    while at < len(ranges):
        begin, (branch, since, fixed) = at, ranges[at]
        # What is open goes on in the next branch.
        while not fixed and at + 1 < len(ranges) and not ranges[at + 1][1]:
            at += 1
            fixed = ranges[at][2]
        branches = (branch, ranges[at][0])
        at += 1
        parts.append(part_in_words(since, branches, fixed, begin == 0, at == len(ranges)))
    fixes = ", ".join(fixed for _, _, fixed in ranges if fixed)
    return ", ".join(parts), " and ".join(fixes.rsplit(", ", 1))


@dataclasses.dataclass
class Bug:
    product: str
    row: dict[str, Any]  # of the answer key
    entry: Entry  # what the command says of it
    anchors: list[str]
    has: str
    fixed: str
    releases: list[str] = dataclasses.field(default_factory=list)

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def page(self) -> str:
        return "bugs.html" if self.product == "etcd" else f"bugs-{self.product}.html"

    @property
    def url(self) -> str:
        return f"{self.page}#{self.anchors[0]}"

    @property
    def links(self) -> list[str]:
        texts = (self.entry.facts.get("upstream", ""), self.entry.facts.get("see also", ""))
        return [link for text in texts for link in re.findall(r"https?://[^\s,]+", text)]


def bugs_of(watchproof: pathlib.Path, product: str) -> list[Bug]:
    entries = {entry.explain: entry for entry in listed(watchproof, "bugs", product)}
    bugs, taken = [], set[str]()
    for row in toml("fixtures", "bugs", f"{product}.toml")["bug"]:
        entry = entries[row["title"]]
        names = [entry.name.rpartition("#")[2], *map(str, row.get("upstream", []))]
        names += [row.get("name", ""), *row.get("aliases", [])]
        anchors = [one for one in dict.fromkeys(map(slug, names)) if one and one not in taken]
        taken.update(anchors)
        full = dict.fromkeys(OF_BUG, "") | row
        bugs.append(Bug(product, full, entry, anchors, *in_words(row["affected"])))
    costs = list(COSTS)
    return sorted(bugs, key=lambda bug: costs.index(bug.row["cost"]))


def releases_of(watchproof: pathlib.Path, bugs: list[Bug], more: list[str]) -> list[str]:
    """Those of each branch up to the newest that anything here names."""
    words = [word for bug in bugs for text in bug.row["affected"] for word in text.split()]
    printed = called([watchproof, "fetch", "--list"]).stdout
    words += [line.split()[1] for line in printed.splitlines() if line.startswith(bugs[0].product)]
    newest: dict[str, int] = {}
    for word in words + more:
        if found := re.fullmatch(r"(\d+\.\d+)\.(\d+)", word):
            newest[found[1]] = max(newest.get(found[1], 0), int(found[2]))
    made = [f"{branch}.{patch}" for branch, last in newest.items() for patch in range(last + 1)]
    return sorted(made, key=order)


class Facts:
    def __init__(self, watchproof: pathlib.Path, versions: dict[str, list[str]]) -> None:
        contract = toml("fixtures", "contract", "etcd.toml")
        self.kubernetes = toml("ci", "site", "kubernetes.toml")["release"]
        known: dict[str, list[Entry]] = {}
        for entry in listed(watchproof, "list"):
            known.setdefault(entry.kind, []).append(entry)
        self.cases = {entry.name: entry for entry in known["case"]}
        guarantees = {entry.name: entry.explain for entry in known["guarantee"]}
        suites: dict[str, dict[str, Entry]] = {}
        for name, entry in self.cases.items():
            suites.setdefault(name.partition(".")[0], {})[name] = entry
        self.suites = {name: (guarantees.get(name, ""), rows) for name, rows in suites.items()}
        self.clauses = [dict.fromkeys(OF_CLAUSE, "") | row for row in contract["clause"]]
        self.clause = {row["id"]: row for row in self.clauses}
        self.reach = contract["reach"]
        self.bugs = {product: bugs_of(watchproof, product) for product in PRODUCTS}
        self.releases: dict[str, list[str]] = {}
        more = {"etcd": [row["etcd"] for row in self.kubernetes]}
        for product, bugs in self.bugs.items():
            named = more.get(product, []) + versions.get(product, [])
            self.releases[product] = releases_of(watchproof, bugs, named)
            for version in self.releases[product]:
                have = self.names_in(watchproof, product, version)
                for bug in bugs:
                    bug.releases += [version] * (bug.name in have)
        self.by_name = {bug.name: bug for bugs in self.bugs.values() for bug in bugs}

    @staticmethod
    def names_in(watchproof: pathlib.Path, product: str, version: str) -> set[str]:
        release = version if product == "etcd" else f"{product}@{version}"
        printed = called([watchproof, "bugs", release, "--json"], check=True).stdout
        return {line["name"] for line in lines_of(printed)}

    def bugs_in(self, product: str, column: str, cost: str = "") -> list[Bug]:
        """Those of a release; a topology that is not in 3.5.16,tls has none of its own there."""
        version, *words = column.split(",")
        return [
            bug
            for bug in self.bugs.get(product, [])
            if version in bug.releases
            and cost in ("", bug.row["cost"])
            and bug.row["topology"] in ("", *words)
        ]

    def cases_of(self, patterns: list[str]) -> list[str]:
        return [name for text in patterns for name in fnmatch.filter(self.cases, text)]

    def bugs_breaking(self, clause: str) -> list[Bug]:
        return [bug for bugs in self.bugs.values() for bug in bugs if clause in bug.row["clauses"]]
