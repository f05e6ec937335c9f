#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page in the tree is what its sources make: types, type check, bundle.

    bundle_test.py FOLDER     # FOLDER keeps the packages between runs

Exit code: 0 it is, 1 it is not, 77 no node or npm, or no registry in reach.
"""

import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "interop"))

from npm import install
from server import run

WEB = pathlib.Path(__file__).resolve().parent.parent.parent / "harness" / "report" / "web"
SOURCES = ("src", "build.mjs", "page.schema.json", "tsconfig.json")


def compare(_: object, folder: str) -> int:
    packages = install(folder, WEB)
    for name in SOURCES:
        target = packages / name
        if (WEB / name).is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(WEB / name, target)
        else:
            shutil.copy(WEB / name, target)
    shutil.rmtree(packages / "dist", ignore_errors=True)
    (packages / "dist").mkdir()
    fine = True
    for script in ("types", "check", "build"):
        done = subprocess.run(
            ["npm", "run", "--silent", script],
            cwd=packages,
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            print(f"npm run {script}: {done.stdout}{done.stderr}")
            fine = False
    for name in ("src/page_types.ts", "dist/page.html"):
        if (packages / name).read_bytes() != (WEB / name).read_bytes():
            print(
                f"harness/report/web/{name} is not what its sources make; run "
                "`npm ci && npm run types && npm run build` there"
            )
            fine = False
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(run(compare, *sys.argv[1:]))
