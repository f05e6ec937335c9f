#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the site: what watchproof is, its contract, bugs, findings, runs and manual, plain files.

    generate.py --watchproof COMMAND --output FOLDER [--run RUN]... [--repository URL]

RUN is the folder of a run, any number of them, each with any number of targets; what several have
tested is joined. URL is that of the repository, for links to what is no page; without it they are
text. The pages open from disk and on any host: no request leaves the site. ci/jobs/site.sh installs
what this needs. Exit code: 0 made, 77 without npm or a registry in reach.
"""

import argparse
import dataclasses
import pathlib
import re
import shutil
import sys
import textwrap
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / name) for name in ("interop", "reader")]

import jinja2
import markupsafe
import tested
from facts import COSTS, LETTERS, ROOT, Facts, slug, toml
from npm import install
from prose import FINDINGS, Prose, documents, page_of
from server import Skip

INDEX = "search-index.js"
LONG = 4000  # characters of a text that the search looks at


@dataclasses.dataclass
class Site:
    output: pathlib.Path
    facts: Facts
    products: dict[str, tested.Product]
    prose: Prose
    environment: jinja2.Environment
    index: list[dict[str, str]] = dataclasses.field(default_factory=list)

    def page(self, name: str, template: str, title: str, **values: Any) -> None:
        assert not (self.output / name).exists(), f"two pages are called {name}"
        html = self.environment.get_template(template).render(page=name, title=title, **values)
        (self.output / name).write_text(html, encoding="utf-8")

    def found_as(self, kind: str, title: str, url: str, text: str, names: str = "") -> None:
        """The words of names that are written together are found one by one, too."""
        apart = " ".join(re.findall(r"[A-Z][a-z]+", title))
        entry = {"k": kind, "t": title, "u": url, "n": names, "x": f"{apart} {text[:LONG]}"}
        self.index.append(entry)


def contract(site: Site) -> None:
    facts = site.facts
    levels: dict[str, list[str]] = {}
    for reach in facts.reach:
        for clause in facts.clauses:
            letter = clause["id"].partition("-")[0]
            if clause["id"] in reach["clauses"] or (
                f"{letter}-*" in reach["clauses"] and clause["level"] == "must"
            ):
                levels.setdefault(clause["id"], []).append(reach["name"])
        site.found_as(
            "level", reach["name"], f"contract.html#{slug(reach['name'])}", reach["about"]
        )
    rows = [
        clause
        | {
            "levels": levels.get(clause["id"], []),
            "bugs": facts.bugs_breaking(clause["id"]),
            "named": facts.by_name.get(clause["differs"].partition(":")[0]),
        }
        for clause in facts.clauses
    ]
    for row in rows:
        site.found_as(
            "clause", f"{row['id']} {row['says']}", f"contract.html#{row['id']}", row["guarantee"]
        )
    groups = [
        (title, [r for r in rows if r["id"][0] == letter]) for letter, title in LETTERS.items()
    ]
    needs = {
        reach["name"]: [row["id"] for row in rows if reach["name"] in row["levels"]]
        for reach in facts.reach
    }
    site.page("contract.html", "contract.html", "The contract", groups=groups, needs=needs)
    for name, (explain, _) in facts.suites.items():
        site.found_as("guarantee", name, f"cases.html#{name}", explain)
    for name, entry in facts.cases.items():
        text = f"{entry.explain} {entry.facts.get('requirement', '')}"
        site.found_as("case", name, f"cases.html#{name}", text)
    site.page("cases.html", "cases.html", "Cases")


def bugs(site: Site, programs: dict[str, str]) -> None:
    for product, rows in site.facts.bugs.items():
        for bug in rows:
            names = " ".join([*bug.anchors, bug.name])
            text = f"{bug.row['impact']} {bug.has} {bug.row['cost']}"
            site.found_as("bug", f"{bug.name} {bug.row['title']}", bug.url, text, names)
        for version in site.facts.releases[product]:
            have = site.facts.bugs_in(product, version)
            data = sum(bug.row["cost"] == "data" for bug in have)
            more = sum(version in bug.releases for bug in rows) - len(have)
            title = f"{product} {version}: {len(have)} known bugs, {data} of them cost data"
            title += f"; {more} more with other settings" if more else ""
            site.found_as("release", title, f"{rows[0].page}?release={version}", "")
        site.page(
            rows[0].page,
            "bugs.html",
            f"Bugs of {product}",
            product=product,
            bugs=rows,
            programs=programs,
            releases=site.facts.releases[product],
        )


def manual(site: Site, groups: dict[str, list[str]]) -> dict[str, str]:
    """Pages of documents and reports; of the latter, by name, where they are."""
    titles: dict[str, str] = {}
    reports: dict[str, str] = {}
    for path, name in site.prose.pages.items():
        title, html, sections = site.prose.render(path)
        titles[path] = title
        report = pathlib.Path(path).stem if path.startswith(FINDINGS) else ""
        report = "" if report == "README" else report
        sources = []
        if report:
            reports[report] = name
            files = [ROOT / FINDINGS / f"{report}.sh", *(ROOT / FINDINGS / report).glob("*.go")]
            sources = [(one.name, one.read_text("utf-8")) for one in files if one.exists()]
            whole = " ".join(text for _, _, text in sections)
            site.found_as("found by watchproof", title, name, whole, report)
        else:
            for anchor, heading, text in sections:
                shown = heading if heading == title else f"{title}: {heading}"
                site.found_as("manual", shown, f"{name}#{anchor}", text)
        site.page(
            name,
            "prose.html",
            title,
            html=html,
            sources=sources,
            bug=site.facts.by_name.get(report),
        )
    site.page("manual.html", "manual.html", "The manual", groups=groups, titles=titles)
    return reports


def matrices(site: Site, left_out: int) -> None:
    for product in site.products.values():
        site.found_as(
            "page", f"{product.title}: releases, case by case", product.page, "levels matrix"
        )
        site.page(
            product.page,
            "product.html",
            f"{product.title}: what runs show",
            product=product,
            left_out=left_out,
        )
        for score in product.scores.values():
            title = f"{score.label}: levels and cases"
            words = " ".join(level["name"] for level in score.levels)
            site.found_as("tested", title, f"{product.page}#target-{slug(score.version)}", words)
        for cell in product.red:
            title = f"{cell.case} on {product.title} {tested.column_of(cell.spec)}"
            words = cell.bugs[0].row["title"] if cell.bugs else cell.line["findings"][0]["observed"]
            site.found_as(cell.says, title, f"{product.page}#{cell.anchor}", words)


def kubernetes(site: Site) -> None:
    site.found_as("page", "Which Kubernetes ships which etcd", "kubernetes.html", "kubeadm")
    rows = []
    for row in reversed(toml("ci", "site", "kubernetes.toml")["release"]):
        count = sum(row["etcd"] in bug.releases for bug in site.facts.bugs["etcd"])
        data = site.facts.bugs_in("etcd", row["etcd"], "data")
        rows.append(row | {"data": data, "count": count})
        text = f"ships etcd {row['etcd']}"
        title = f"Kubernetes {row['kubernetes']}"
        site.found_as("Kubernetes", title, f"kubernetes.html#{row['kubernetes']}", text)
    common = [bug for bug in rows[0]["data"] if all(bug in row["data"] for row in rows)]
    title = "Kubernetes and its etcd"
    site.page("kubernetes.html", "kubernetes.html", title, rows=rows, common=common)


def breakable(name: str) -> markupsafe.Markup:
    """A name of words that are written together may break between them."""
    return markupsafe.Markup(re.sub(r"(?<=[a-z.])(?=[A-Z])", "<wbr>", name))


def readme_part(name: str) -> str:
    """The block of the README between two comments of this name."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = text.split(f"<!-- {name} -->")[1].strip("`\n").removeprefix("sh\n")
    return textwrap.dedent(block)


def make(options: argparse.Namespace) -> int:
    packages = install(options.packages, HERE)
    facts = Facts(options.watchproof, tested.versions_in(options.run))
    if options.output.exists() and any(options.output.iterdir()):
        if not (options.output / INDEX).exists():
            sys.exit(f"{options.output}: neither empty nor a site; another --output is needed")
        shutil.rmtree(options.output)
    shutil.copytree(HERE / "static", options.output, dirs_exist_ok=True)
    shutil.copy(
        packages / "node_modules/minisearch/dist/umd/index.js", options.output / "minisearch.js"
    )
    products = tested.read(options.run, options.watchproof, facts)
    left_out = tested.draw(
        products, options.watchproof, options.output / "pictures", options.pictures
    )
    groups = documents()
    reports = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / FINDINGS).glob("*.md"))
    prose = Prose(
        [*(path for paths in groups.values() for path in paths), *reports], options.repository
    )
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals |= {
        "facts": facts,
        "products": products,
        "repository": options.repository,
        "costs": COSTS,
        "outcomes": tested.OUTCOMES,
        "breakable": breakable,
        "column_of": tested.column_of,
        "page_of": page_of,
        "slug": slug,
    }
    site = Site(options.output, facts, products, prose, environment)
    programs = manual(site, groups)
    contract(site)
    bugs(site, programs)
    matrices(site, left_out)
    kubernetes(site)
    site.page(
        "index.html",
        "index.html",
        "watchproof",
        finding=readme_part("finding"),
        first=readme_part("first findings"),
        reports=len(programs),
    )
    for title, anchor in (("Test your own store", "run"), ("Gate your store in CI", "gate")):
        site.found_as("page", title, f"index.html#{anchor}", "")
    script = f"window.SITE_INDEX = {tested.dumped(site.index)};\n"
    (options.output / INDEX).write_text(script, encoding="utf-8")
    pages = len(list(options.output.glob("*.html")))
    pictures = len(list((options.output / "pictures").iterdir()))
    print(f"site: {pages} pages, {pictures} pictures, {len(site.index)} entries of the search")
    return 0


def main() -> int:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--watchproof", required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--run", type=pathlib.Path, action="append", default=[])
    parser.add_argument("--repository", default="")
    parser.add_argument("--pictures", type=int, default=200, help="at most so many")
    parser.add_argument("--packages", type=pathlib.Path, default=ROOT / "build" / "site-packages")
    options = parser.parse_args()
    options.watchproof = pathlib.Path(shutil.which(options.watchproof) or "nothing").resolve()
    if not options.watchproof.is_file():
        parser.error("--watchproof: there is no such command")
    options.run = [run.resolve() for run in options.run]
    try:
        return make(options)
    except Skip as skip:
        print(f"site: {skip}", file=sys.stderr)
        return 77


if __name__ == "__main__":
    sys.exit(main())
