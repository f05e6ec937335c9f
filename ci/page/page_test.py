#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""report.html in a real browser, from disk and without a network.

    page_test.py FOLDER WATCHPROOF     # FOLDER keeps the packages between runs

A run of the embedded store, clean and with a planted defect, is opened; then one of 30 targets and
150 cases, made of its lines. Exit code: 0 all holds, 1 not, 77 no node, npm or chromium, or no
registry in reach.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / name) for name in ("interop", "reader")]

from npm import install
from reader import called, document_of, lines_of
from server import Skip, run

WEB = HERE.parent.parent / "harness" / "report" / "web"
TARGETS, CASES = 30, 150
FAILING = 20  # one of so many attempts fails
MEASURED = 4  # cases, on all targets but one
DEFECTS = ("embedded+delete-at-floor-lost", "embedded+compaction-notice-lost")


def small_run(watchproof: str, folder: pathlib.Path) -> pathlib.Path:
    """The folder of a run with a red cell and a green one."""
    done = called(
        [
            watchproof,
            "run",
            "--target",
            "embedded",
            "--target",
            DEFECTS[0],
            "--target",
            DEFECTS[1],
            "--filter",
            "CompactionSurfaced.DeleteAtFloor:CompactionSurfaced.FullQueue",
            "--run-dir",
            str(folder),
            "--seed",
            "7",
        ]
    )
    if done.returncode != 1:
        raise AssertionError(f"expected a failure of {DEFECTS}: {done.stdout}{done.stderr}")
    return (folder / "latest").resolve()


def costs(number: int) -> dict[str, object]:
    """What a case measured on a target: memory beside a burden, on one far more than on others."""
    without = [10.0, 11.0, 12.0]
    times = 5 if number == TARGETS - 1 else 1.2
    return {
        "of": "kept",
        "beside": "a watch that has caught up",
        "with": [value * times for value in without],
        "without": without,
    }


def large_run(source: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """The same attempts as if they were those of 30 releases and 150 cases."""
    folder.mkdir()
    lines = lines_of((source / "results.jsonl").read_text())
    failed = next(
        line for line in lines if line["case"].endswith("FullQueue") and line["verdict"] == "fail"
    )
    passed = next(line for line in lines if line["verdict"] == "pass" and line["receipts"])
    options = document_of(source / "run.json")
    targets = [f"etcd@3.5.{number}" for number in reversed(range(TARGETS))]
    cases = [f"Area{number // 12}.Question{number}" for number in range(CASES)]
    options |= {
        "id": "large",
        "cases": cases,
        "targets": [{"spec": target, "label": target} for target in targets],
    }
    (folder / "run.json").write_text(json.dumps(options))
    shutil.copy(source / "plan.jsonl.zst", folder)
    with open(folder / "results.jsonl", "w", encoding="utf-8") as results:
        for number in range(TARGETS * CASES):
            model = failed if number % FAILING == 0 else passed
            place = f"cases/{number}"
            measured = number < MEASURED * TARGETS and number % TARGETS != 1
            line = model | {
                "case": cases[number // TARGETS],
                "target": targets[number % TARGETS],
                "target_version": targets[number % TARGETS][5:],
                "folder": place,
                "measured": [costs(number % TARGETS)] if measured else [],
            }
            results.write(json.dumps(line) + "\n")
            if model is failed:
                (folder / place).mkdir(parents=True)
                os.link(
                    source / failed["folder"] / "history.wire.zst",
                    folder / place / "history.wire.zst",
                )
    return folder


def node_test(
    script: pathlib.Path, packages: pathlib.Path, chromium: str, pages: dict[str, pathlib.Path]
) -> int:
    """Runs it beside the packages, with the browser and what it looks at in its environment."""
    shutil.copy(script, packages)
    done = subprocess.run(
        ["node", "--test", "--test-reporter=spec", str(packages / script.name)],
        check=False,
        cwd=packages,
        env=os.environ
        | {"WP_CHROMIUM": chromium}
        | {name: str(page) for name, page in pages.items()},
    )
    return 1 if done.returncode else 0


def browse(_: object, folder: str, watchproof: str) -> int:
    chromium = shutil.which("chromium")
    if not chromium:
        raise Skip("no chromium here; install Debian's")
    packages = install(folder, WEB)
    with tempfile.TemporaryDirectory(prefix="watchproof-page-") as runs:
        small = small_run(watchproof, pathlib.Path(runs) / "runs")
        large = large_run(small, pathlib.Path(runs) / "large")
        subprocess.run(
            [watchproof, "report", str(large), "--format", "report.html"],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        shutil.copy(WEB / "page.schema.json", packages)
        pages = {"WP_SMALL": small / "report.html", "WP_LARGE": large / "report.html"}
        return node_test(HERE / "page_test.mjs", packages, chromium, pages)


if __name__ == "__main__":
    sys.exit(run(browse, *sys.argv[1:]))
