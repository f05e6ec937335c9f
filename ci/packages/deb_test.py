#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Debian package: built, unpacked and used from where it was unpacked.

    deb_test.py BUILD_FOLDER [unittest arguments]

BUILD_FOLDER has a finished build. Without Debian's tools it exits with 77; lintian is used if it is
installed.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reader"))
from reader import results_of

BUILD = pathlib.Path()


def run(*command: str | pathlib.Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


class DebTest(unittest.TestCase):
    folder: pathlib.Path
    package: pathlib.Path
    root: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="watchproof-deb-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        made = run("cpack", "-G", "DEB", "-B", str(cls.folder / "made"), cwd=BUILD)
        if made.returncode != 0:
            raise AssertionError(made.stdout + made.stderr)
        (cls.package,) = (cls.folder / "made").glob("*.deb")
        cls.root = cls.folder / "root"
        subprocess.run(["dpkg-deb", "-x", cls.package, cls.root], check=True)

    def use(self, *arguments: str) -> tuple[subprocess.CompletedProcess[str], pathlib.Path]:
        """The unpacked command, with next to nothing around it."""
        work = tempfile.TemporaryDirectory(dir=self.folder)
        self.addCleanup(work.cleanup)
        home = pathlib.Path(work.name)
        environment = {"HOME": work.name, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        done = run(str(self.root / "usr/bin/watchproof"), *arguments, cwd=home, env=environment)
        return done, home

    def verdicts(self, home: pathlib.Path) -> list[str]:
        return [result.verdict for result in results_of(home / "watchproof-runs/latest")]

    def test_runs_on_the_embedded_store(self) -> None:
        done, home = self.use(
            "run", "--target", "embedded", "--filter", "CompactionSurfaced.FullQueue"
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.verdicts(home), ["pass"])

    def test_finds_a_planted_defect(self) -> None:
        done, home = self.use(
            "run",
            "--target",
            "embedded+delete-at-floor-lost",
            "--filter",
            "CompactionSurfaced.DeleteAtFloor",
        )
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(self.verdicts(home), ["fail"])

    def test_has_the_files_of_a_package(self) -> None:
        files = {str(file.relative_to(self.root / "usr")) for file in self.root.rglob("*")}
        for name in (
            "bin/watchproof",
            "share/man/man1/watchproof.1.gz",
            "share/bash-completion/completions/watchproof",
            "share/zsh/vendor-completions/_watchproof",
            "share/fish/vendor_completions.d/watchproof.fish",
            "share/watchproof/schemas/result.schema.json",
            "share/watchproof/profiles/etcd.toml",
            "share/watchproof/bugs/etcd.toml",
            "share/doc/watchproof/README.md",
            "share/doc/watchproof/copyright",
        ):
            self.assertIn(name, files)
        self.assertEqual(
            [name for name in files if name.startswith(("include", "lib"))],
            [],
            "what other projects compile against is no part of it",
        )

    def test_depends_on_the_libraries_that_it_is_linked_with(self) -> None:
        depends = run("dpkg-deb", "-f", str(self.package), "Depends").stdout
        for library in ("libc6", "libgrpc++", "libprotobuf", "libsqlite3-0"):
            self.assertIn(library, depends)

    def test_is_stripped(self) -> None:
        sections = run("readelf", "-S", str(self.root / "usr/bin/watchproof")).stdout
        self.assertIn(".text", sections)
        self.assertNotIn(".symtab", sections)

    @unittest.skipUnless(shutil.which("lintian"), "lintian is not installed")
    def test_lintian_has_no_error_and_no_warning(self) -> None:
        root = ["--allow-root"] if os.geteuid() == 0 else []
        done = run("lintian", *root, "--fail-on", "error,warning", str(self.package))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    if not all(map(shutil.which, ("cpack", "dpkg-deb", "dpkg-shlibdeps", "readelf"))):
        print("skipped: this machine cannot build Debian packages")
        sys.exit(77)
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
