#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The size of the sources at some commits, side by side: lines, files, the largest, banned words.

    ci/jobs/size.py [COMMIT ...]        default: HEAD

Lines are those of all but tests and fuzz targets. Programs of ci that were in folders of the
product at an earlier commit count as ci there, too.
"""

import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "ci", "checks"))
import source
import terms
import twins

# Test support counts as tests, wherever it is.
TESTS = re.compile(r"_(test|fuzz)\.(cc|py|js)$|/testing/|_fixture\.h$|/test_|scripted_")
# The first that matches; where files were earlier is in here, too.
AREAS = (
    ("ci/mutants", r"ci/mutants/|harness/checkers/mutants/"),
    ("ci/bench", r"ci/bench/|embedded_store/bench/|.*_bench\.cc$|.*/(record_load|judge_file)\.cc$"),
    ("ci/crash", r"ci/crash/|embedded_store/.*/(crash_(history|load|main)|unsynced_loss_shim)\."),
    ("ci/differential", r"ci/differential/|embedded_store/.*/(naive_store|random_requests)\."),
    ("ci/fakes", r"ci/fakes/"),
    ("ci/checks", r"ci/checks/"),
    ("ci/e2e, ci/interop", r"ci/(e2e|interop)/"),
    ("ci/jobs", r"ci/jobs/|\.ci/"),
    ("ci, other", r"ci/"),
    ("harness", r"harness/"),
    ("cases", r"cases/"),
    ("embedded_store", r"embedded_store/"),
    ("proxies", r"proxies/"),
    ("fixtures", r"fixtures/"),
)
PRODUCT = ("harness", "cases", "embedded_store", "proxies")
SUFFIXES = (".cc", ".h", ".py", ".sh", ".js")


def area_of(path: str) -> str:
    return next(name for name, pattern in AREAS if re.match(pattern, path))


def measure(commit: str) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "-C", ROOT, "archive", commit], check=True, capture_output=True
        ).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        checked = source.load(folder)
        prose = source.load(folder, terms.PROSE)
        # A benchmark that stood among files that count as tests is none.
        files = {
            file.path: (area_of(file.path), file.text.count("\n"))
            for file in source.load(folder, SUFFIXES)
        }
    lines = dict.fromkeys((name for name, _ in AREAS), 0)
    for path, (area, number) in files.items():
        if not TESTS.search(path) or area == "ci/bench":
            lines[area] += number
    product = {
        path: number
        for path, (area, number) in files.items()
        if area in PRODUCT and not TESTS.search(path)
    }
    rows = [("product", sum(product.values()))]
    rows += [(f"  {name}", lines[name]) for name in PRODUCT]
    others = {name: number for name, number in lines.items() if name.startswith("ci")}
    rows += [("ci", sum(others.values()))] + [(f"  {name}", n) for name, n in others.items()]
    rows += [
        ("fixtures", lines["fixtures"]),
        ("files of the product", len(product)),
        ("banned words", sum(1 for f in checked + prose for _ in terms.check(f))),
        ("names in two headers", sum(1 for _ in twins.check(checked))),
    ]
    return rows, sorted(product.items(), key=lambda item: -item[1])[:10]


def main() -> None:
    commits = sys.argv[1:] or ["HEAD"]
    measured = [measure(commit) for commit in commits]
    print(f"{'':24}" + "".join(f"{commit[:12]:>14}" for commit in commits))
    for number, (name, _) in enumerate(measured[0][0]):
        print(f"{name:24}" + "".join(f"{rows[number][1]:>14}" for rows, _ in measured))
    for commit, (_, largest) in zip(commits, measured, strict=True):
        print(f"\nlargest files of {commit}")
        for path, lines in largest:
            print(f"{lines:6} {path}")


if __name__ == "__main__":
    main()
