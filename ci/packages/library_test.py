#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The CMake package: installed, and used by a project that sees nothing else of these sources.

library_test.py BUILD_FOLDER WATCHPROOF [unittest arguments]
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reader"))
from typing import Any

from reader import called

SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = WATCHPROOF = ""


def run(*command: str | pathlib.Path, **options: Any) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, **options
    )
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class LibraryTest(unittest.TestCase):
    folder: pathlib.Path
    prefix: pathlib.Path
    build: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="watchproof-library-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.prefix, cls.build = cls.folder / "prefix", cls.folder / "build"
        run("cmake", "--install", BUILD, "--component", "development", "--prefix", cls.prefix)
        shutil.copytree(SOURCES / "ci/examples/installed", cls.folder / "example")
        run(
            "cmake",
            "-G",
            "Ninja",
            "-S",
            cls.folder / "example",
            "-B",
            cls.build,
            f"-DCMAKE_PREFIX_PATH={cls.prefix}",
            "-DCMAKE_BUILD_TYPE=Debug",
        )
        run("cmake", "--build", cls.build)

    def judge(self, recording: pathlib.Path | str) -> subprocess.CompletedProcess[str]:
        return called([self.build / "example_judge", SOURCES / "fixtures" / recording])

    def test_the_oracle_finds_what_is_wrong_in_a_recording_and_nothing_in_a_good_one(self) -> None:
        done = self.judge("failures/compaction-notice-lost.wire.zst")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("CompactionSurfaced\n  expected ErrCompacted", done.stdout)
        good = next((SOURCES / "fixtures/histories").glob("*.zst"))
        done = self.judge(good)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_the_store_serves_behind_the_proxy_with_its_defects(self) -> None:
        with subprocess.Popen(
            [self.build / "example_serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as serve:
            assert serve.stdin and serve.stdout
            store, proxy = (part.split()[1] for part in serve.stdout.readline().split(", "))
            done = {}
            for name, endpoint in (("store", store), ("proxy", proxy)):
                done[name] = called(
                    [
                        WATCHPROOF,
                        "run",
                        "--target",
                        f"endpoint:{endpoint}",
                        "--filter",
                        "Filtered.*",
                        "--run-dir",
                        self.folder / name,
                        "--progress",
                        "off",
                    ]
                )
            serve.stdin.close()
            self.assertEqual(serve.wait(timeout=20), 0)
        for name, run_of in done.items():
            self.assertEqual(run_of.returncode, 1, f"{name}\n{run_of.stdout}\n{run_of.stderr}")
            self.assertIn("Filtered", run_of.stdout)

    def test_one_component_needs_only_its_own_packages(self) -> None:
        project = self.folder / "oracle-only"
        project.mkdir()
        version = run(WATCHPROOF, "--version").split()[1]
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(one CXX)\n"
            f"find_package(watchproof {version} REQUIRED COMPONENTS oracle)\n"
            "if(gRPC_FOUND OR Boost_FOUND OR TARGET watchproof::store)\n"
            '  message(FATAL_ERROR "more than the oracle")\nendif()\n'
        )
        run(
            "cmake",
            "-G",
            "Ninja",
            "-S",
            project,
            "-B",
            project / "build",
            f"-DCMAKE_PREFIX_PATH={self.prefix}",
        )

    def test_nothing_installed_names_the_sources_or_the_build(self) -> None:
        for file in (self.prefix / "lib").rglob("*.cmake"):
            text = file.read_text()
            for folder in (str(SOURCES), str(BUILD)):
                self.assertNotIn(folder + "/", text, file)


if __name__ == "__main__":
    BUILD, WATCHPROOF = (os.path.abspath(sys.argv.pop(1)) for _ in range(2))
    unittest.main(verbosity=2)
