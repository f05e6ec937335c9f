# SPDX-License-Identifier: Apache-2.0
"""What runs have shown: per product a matrix of cases and targets, scores, and pictures."""

import dataclasses
import json
import pathlib
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from facts import PRODUCTS, Bug, Facts, order, slug
from reader import called, document_of, lines_of

# The gravest first: of several attempts it is the one that is shown.
OUTCOMES = {
    "fail": ("✗", "fails: new"),
    "known": ("≈", "fails: known bug"),
    "harness_error": ("!", "harness error"),
    "target_failed": ("!", "no target"),
    "inconclusive": ("?", "inconclusive"),
    "pass": ("✓", "passes"),
    "declared": ("=", "differs as its profile says"),
    "unsupported": ("\u2013", "unsupported"),
}
RED = ("fail", "known")
TITLES = {"embedded": "The embedded store", "stores": "Other stores"}
MOST_FINDINGS = 3


def product_of(spec: str) -> str:
    name = re.split(r"[@:+,]", spec)[0]
    return name if name in (*PRODUCTS, "embedded") else "stores"


def column_of(spec: str) -> str:
    """etcd@3.5.16,tls is 3.5.16,tls on the page of etcd."""
    product, _, rest = spec.partition("@")
    return rest if product in PRODUCTS and rest else spec


def outcome_of(line: dict[str, Any]) -> str:
    if line["verdict"] == "fail" and line["known"]:
        return "known"
    flags = [name for name in ("declared", "target_failed") if line.get(name)]
    return (flags or [line["verdict"]])[0]


@dataclasses.dataclass
class Cell:
    case: str
    spec: str
    folder: pathlib.Path  # of the run with the attempt that is shown
    line: dict[str, Any]  # its result
    outcome: str
    attempts: int = 1
    red: int = 0
    bugs: list[Bug] = dataclasses.field(default_factory=list)
    picture: str = ""
    pictured: str = ""  # the case that the picture is of

    @property
    def anchor(self) -> str:
        return slug(f"{self.case}@{column_of(self.spec)}")

    @property
    def sign(self) -> str:
        names = [bug.name.rpartition("#")[2] for bug in self.bugs]
        short = f"#{names[0]}" if names and names[0].isdigit() else ""
        text = f"{OUTCOMES[self.outcome][0]} {short}" if short else OUTCOMES[self.outcome][0]
        return text + (f" {self.red}/{self.attempts}" if 0 < self.red < self.attempts else "")

    @property
    def says(self) -> str:
        return OUTCOMES[self.outcome][1]

    @property
    def findings(self) -> list[dict[str, Any]]:
        kinds = {
            (one["guarantee"], one.get("signature", "")): one
            for one in reversed(self.line["findings"])
        }
        return list(reversed(kinds.values()))[:MOST_FINDINGS]


@dataclasses.dataclass
class Score:
    label: str
    version: str
    clauses: dict[str, str]
    places: dict[str, str]  # by clause, of what breaks it: a case, or a known bug
    levels: list[dict[str, Any]]
    behaves_like: str  # releases of etcd

    @property
    def untested(self) -> int:
        return list(self.clauses.values()).count("not_shown")

    def of(self, level: dict[str, Any], state: str) -> list[str]:
        return [one for one in level["missing"] if self.clauses[one] == state]


@dataclasses.dataclass
class Product:
    name: str
    cells: dict[tuple[str, str], Cell] = dataclasses.field(default_factory=dict)
    scores: dict[str, Score] = dataclasses.field(default_factory=dict)
    runs: list[dict[str, Any]] = dataclasses.field(default_factory=list)

    @property
    def title(self) -> str:
        return TITLES.get(self.name, self.name)

    @property
    def page(self) -> str:
        return f"{self.name}.html"

    @property
    def specs(self) -> list[str]:
        return sorted({spec for _, spec in self.cells}, key=lambda spec: order(column_of(spec)))

    @property
    def cases(self) -> list[str]:
        """What no target offers comes last."""
        asked = {case for (case, _), cell in self.cells.items() if cell.outcome != "unsupported"}
        return sorted({case for case, _ in self.cells}, key=lambda case: (case not in asked, case))

    @property
    def red(self) -> list[Cell]:
        return [cell for _, cell in sorted(self.cells.items()) if cell.outcome in RED]

    def count(self, spec: str) -> dict[str, int]:
        mine = [cell.outcome for (_, one), cell in self.cells.items() if one == spec]
        return {outcome: mine.count(outcome) for outcome in OUTCOMES if outcome in mine}


def bugs_in(facts: Facts, line: dict[str, Any]) -> list[Bug]:
    """What a failure is known as, or looks like."""
    if outcome_of(line) not in RED:
        return []
    names = list(line.get("bugs") or [])
    for finding in line["findings"]:
        text = finding.get("signature", "").partition(": ")[0]
        names += [word.removeprefix("etcd ") for word in re.split(r" or |, ", text)]
    found = [facts.by_name[name] for name in dict.fromkeys(names) if name in facts.by_name]
    return found[:MOST_FINDINGS]


def add(cells: dict[tuple[str, str], Cell], cell: Cell) -> None:
    key = cell.case, cell.spec
    old = cells.get(key)
    if not old:
        cells[key] = cell
        return
    ranks = list(OUTCOMES)
    if ranks.index(cell.outcome) < ranks.index(old.outcome):
        cells[key], cell, old = cell, old, cell
    cells[key].attempts = cell.attempts + old.attempts
    cells[key].red = cell.red + old.red


def place_of(broken: dict[str, str], product: Product, spec: str, facts: Facts) -> str:
    if "bug" in broken:
        return facts.by_name[broken["bug"]].url
    return f"{product.page}#{slug(broken['case'] + '@' + column_of(spec))}"


def read(folders: list[pathlib.Path], watchproof: pathlib.Path, facts: Facts) -> dict[str, Product]:
    products = {name: Product(name) for name in PRODUCTS}
    for folder in folders:
        run = document_of(folder / "run.json")
        labels = {target["label"]: target["spec"] for target in run["targets"]}
        printed = called([watchproof, "score", folder, "--json"]).stdout
        scores = {line["target"]: line for line in lines_of(printed)}
        for label, spec in labels.items():
            product = products.setdefault(product_of(spec), Product(product_of(spec)))
            if run not in product.runs:
                product.runs.append(run)
            if label in scores:
                line = scores[label]
                score = Score(
                    label,
                    column_of(spec),
                    {one["clause"]: one["is"] for one in line["clauses"]},
                    {
                        one["clause"]: place_of(one, product, spec, facts)
                        for one in line["clauses"]
                        if one["is"] == "broken"
                    },
                    line["levels"],
                    line["behaves_like"],
                )
                # Of several runs the one that tests the most.
                old = product.scores.get(spec)
                if not old or score.untested < old.untested:
                    product.scores[spec] = score
        for line in lines_of((folder / "results.jsonl").read_text(encoding="utf-8")):
            spec, outcome = line["target"], outcome_of(line)
            if spec in labels.values() and outcome in OUTCOMES:
                red = int(outcome in RED)
                bugs = bugs_in(facts, line)
                cell = Cell(line["case"], spec, folder, line, outcome, red=red, bugs=bugs)
                add(products[product_of(spec)].cells, cell)
    return products


def draw(
    products: dict[str, Product], watchproof: pathlib.Path, output: pathlib.Path, most: int
) -> int:
    """A picture for each bug, or case without one, on each target; how many were left out."""
    wanted: dict[tuple[str, str], list[Cell]] = {}
    for product in products.values():
        for cell in product.red:
            wanted.setdefault(
                (cell.bugs[0].name if cell.bugs else cell.case, cell.spec), []
            ).append(cell)
    output.mkdir(exist_ok=True)

    def one(cells: list[Cell]) -> None:
        for cell in cells:
            file = output / f"{slug(product_of(cell.spec) + '-' + cell.anchor)}.svg"
            command: list[str | pathlib.Path] = [watchproof, "draw", cell.folder]
            command += ["--case", cell.case, "--target", cell.spec, "--output", file]
            if called(command).returncode:
                continue
            for shown in cells:
                shown.picture, shown.pictured = f"{output.name}/{file.name}", cell.case
            return
        print(f"site: no picture of {cells[0].case} on {cells[0].spec}", file=sys.stderr)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(one, list(wanted.values())[:most]))
    return max(0, len(wanted) - most)


def versions_in(folders: list[pathlib.Path]) -> dict[str, list[str]]:
    """By product, the releases that runs name."""
    found: dict[str, list[str]] = {}
    for folder in folders:
        for target in document_of(folder / "run.json")["targets"]:
            spec = target["spec"]
            found.setdefault(product_of(spec), []).append(column_of(spec).partition(",")[0])
    return found


def dumped(value: object) -> str:
    """JSON that may stand in a script."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
