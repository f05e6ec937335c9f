#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The mostly static command: linked, and used in a root with libc and libm and nothing else.

static_test.py BUILD_FOLDER [unittest arguments]
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reader"))
from reader import results_of

BUILD = ""
# Namespaces of its own: no right of the machine is needed.
INSIDE = ["unshare", "--map-root-user", "--mount", "--net", "--pid", "--fork"]
# As the image does: another user, nothing to write to but /tmp and the folder of the runs.
ENTER = (
    'mount --bind "$0" "$0" && mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && '
    'mount -t tmpfs tmp "$0/tmp" && mount --bind "$1" "$0/results" && '
    'mount -o remount,bind,ro "$0" && ip link set lo up && shift && '
    'exec unshare --user --map-user=10001 --root="$0" --wd=/tmp "$@"'
)


def run(*command: str | pathlib.Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **options
    )


class StaticTest(unittest.TestCase):
    program: pathlib.Path
    libraries: list[str]

    @classmethod
    def setUpClass(cls) -> None:
        done = run("cmake", "--build", BUILD, "--target", "watchproof_static")
        if done.returncode != 0:
            raise AssertionError(done.stdout + done.stderr)
        cls.program = pathlib.Path(BUILD) / "watchproof_static"
        cls.libraries = re.findall(r"(/\S+) \(", run("ldd", cls.program).stdout)

    def test_only_libc_and_libm_are_dynamic(self) -> None:
        names = {pathlib.Path(library).name for library in self.libraries}
        self.assertEqual(
            {name for name in names if not name.startswith("ld-linux")}, {"libc.so.6", "libm.so.6"}
        )

    def test_it_works_as_anyone_where_there_is_nothing_else_and_the_root_is_read_only(self) -> None:
        if run(*INSIDE, "true").returncode != 0 or not shutil.which("ip"):
            self.skipTest("no namespaces on this machine")
        with tempfile.TemporaryDirectory(prefix="watchproof-static-") as folder:
            root, results = pathlib.Path(folder) / "root", pathlib.Path(folder) / "runs"
            results.mkdir()
            for name in ("proc", "dev", "tmp", "results"):
                (root / name).mkdir(parents=True)
            for library in self.libraries:
                place = root / library.lstrip("/")
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(library, place)
            shutil.copy(self.program, root / "watchproof")
            for target, run_dir, expect in (
                ("embedded", "/results", 0),
                ("embedded+filter-ignored", "/results", 1),
                ("embedded", "/elsewhere", 4),
            ):
                done = run(
                    *INSIDE,
                    "sh",
                    "-c",
                    ENTER,
                    root,
                    results,
                    "/watchproof",
                    "run",
                    "--target",
                    target,
                    "--filter",
                    "Filtered.PutAndDeleteFilters",
                    "--run-dir",
                    run_dir,
                    env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
                )
                self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
                if expect == 4:
                    self.assertIn("Read-only file system", done.stderr)
                    continue
                judged = [result.target for result in results_of(results / "latest")]
                self.assertEqual(judged, [target])
            self.assertEqual(list((root / "tmp").iterdir()), [])


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
