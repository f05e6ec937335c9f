#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The size of the sources at some commits, side by side: lines, files, the largest, banned words.

    ci/jobs/size.py [COMMIT ...]        default: HEAD

Lines are those of .cc and .h files without tests, benchmarks and fuzz targets.
"""

import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "ci", "checks"))
import source  # noqa: E402
import terms  # noqa: E402
import twins  # noqa: E402

AREAS = {"harness and cases": ("harness/", "cases/"), "embedded_store": ("embedded_store/",),
         "proxies": ("proxies/",), "ci": ("ci/",)}
# Test support counts as tests, wherever it is.
SUPPORT = ("/testing/", "_fixture.h", "/test_", "scripted_", "harness/checkers/mutants/")


def is_product(file):
    return file.is_cpp and not file.is_test and not any(part in file.path for part in SUPPORT)


def measure(commit):
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "-C", ROOT, "archive", commit], check=True,
                                 capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        files = source.load(folder)
        prose = source.load(folder, terms.PROSE)
        product = [file for file in files if is_product(file)]
        lines = {file.path: file.text.count("\n") for file in product}
        rows = [(f"lines, {area}", sum(n for path, n in lines.items() if path.startswith(heads)))
                for area, heads in AREAS.items()]
        rows.append(("files", len(product)))
        rows.append(("banned words", sum(1 for f in files + prose for _ in terms.check(f))))
        rows.append(("names in two headers", sum(1 for _ in twins.check(files))))
        largest = sorted(lines.items(), key=lambda item: -item[1])[:10]
        return rows, largest


def main():
    commits = sys.argv[1:] or ["HEAD"]
    measured = [measure(commit) for commit in commits]
    print(f"{'':24}" + "".join(f"{commit[:12]:>14}" for commit in commits))
    for number, (name, _) in enumerate(measured[0][0]):
        print(f"{name:24}" + "".join(f"{rows[number][1]:>14}" for rows, _ in measured))
    for commit, (_, largest) in zip(commits, measured):
        print(f"\nlargest files of {commit}")
        for path, lines in largest:
            print(f"{lines:6} {path}")


if __name__ == "__main__":
    main()
