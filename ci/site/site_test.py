#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The site, made without runs and with one, in a real browser, from disk and without a network.

    site_test.py FOLDER PAGE_FOLDER WATCHPROOF     # the folders keep packages between runs

Exit code: 0 all holds, 1 not, 77 no node, npm or chromium, no Debian package that the site needs,
or no registry in reach.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / name) for name in ("interop", "reader", "page")]

from facts import in_words
from npm import install
from page_test import WEB, node_test, small_run
from server import SKIPPED, Skip, run

PYTHON = "/usr/bin/python3"  # which has Debian's packages
IN_WORDS = (
    (
        "3.4 < 3.4.31, 3.5 < 3.5.13, 3.6 < 3.6.0-rc.0",
        "every release up to 3.4.30, 3.5.0 to 3.5.12, pre-releases of 3.6 before 3.6.0-rc.0",
    ),
    ("3.1 >= 3.1.11 < 3.1.12, 3.2 >= 3.2.6 < 3.2.16", "3.1.11, 3.2.6 to 3.2.15"),
    ("3.5 >= 3.5.28, 3.6 >= 3.6.9, 3.7", "3.5.28 and later of 3.5, 3.6.9 and later"),
    ("3.4 >= 3.4.20 < 3.4.42, 3.5", "3.4.20 to 3.4.41, 3.5 and later"),
    ("0.13, 0.14 < 0.14.12", "every release up to 0.14.11"),
    ("3.3, 3.4, 3.5", "every release so far"),
)


def make(watchproof: str, packages: pathlib.Path, output: pathlib.Path, *flags: str) -> None:
    command = [PYTHON, "-B", str(HERE / "generate.py"), "--watchproof", watchproof]
    command += ["--packages", str(packages), "--output", str(output), *flags]
    done = subprocess.run(command, check=False)
    if done.returncode == SKIPPED:
        raise Skip("the search cannot be had")
    if done.returncode:
        raise AssertionError(f"{' '.join(command)} ended with {done.returncode}")


def browse(_: object, folder: str, page_folder: str, watchproof: str) -> int:
    for ranges, words in IN_WORDS:
        if in_words(ranges.split(", "))[0] != words:
            raise AssertionError(f"{ranges}: {in_words(ranges.split(', '))[0]}, expected {words}")
    chromium = shutil.which("chromium")
    if not chromium:
        raise Skip("no chromium here; install Debian's")
    if subprocess.run([PYTHON, "-c", "import jinja2, markdown_it"], check=False).returncode:
        raise Skip("no python3-jinja2 or python3-markdown-it here; install Debian's")
    packages = install(page_folder, WEB)
    with tempfile.TemporaryDirectory(prefix="watchproof-site-") as scratch:
        place = pathlib.Path(scratch)
        run = small_run(watchproof, place / "runs")
        make(watchproof, pathlib.Path(folder), place / "bare")
        make(watchproof, pathlib.Path(folder), place / "full", "--run", str(run))
        sites = {"WP_BARE": place / "bare", "WP_FULL": place / "full"}
        return node_test(HERE / "site_test.mjs", packages, chromium, sites)


if __name__ == "__main__":
    sys.exit(run(browse, *sys.argv[1:]))
