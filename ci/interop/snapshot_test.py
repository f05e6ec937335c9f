#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kill, backup and restore of the embedded store, with etcdctl as the client.

    snapshot_test.py build/release/watchproof

Exit code: 0 as expected, 1 not, 77 no etcdctl here.
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from server import CLIENT_PORT, READY_STORE, SKIPPED, Server, clean_environment, free_address

WATCHPROOF = ""
ETCDCTL = shutil.which("etcdctl") or ""


class Snapshots(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="watchproof-snapshot-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.address = free_address(0)

    def store(self, *arguments: object) -> Server:
        listen = f"{self.address}:{CLIENT_PORT}"
        command = [WATCHPROOF, "store", "--listen", listen, *map(str, arguments)]
        return Server("watchproof store", command, self.address, READY_STORE)

    def etcdctl(self, *words: object) -> str:
        command = [ETCDCTL, "--endpoints", f"{self.address}:{CLIENT_PORT}", *map(str, words)]
        done = subprocess.run(
            command, env=clean_environment(), capture_output=True, text=True, timeout=30
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def restore(self, file: Path, folder: Path | None) -> subprocess.CompletedProcess[str]:
        command = [WATCHPROOF, "store", "--restore", str(file)]
        command += ["--data", str(folder)] if folder else []
        return subprocess.run(command, capture_output=True, text=True, timeout=30)

    def content(self) -> str:
        return self.etcdctl("get", "", "--from-key", "--write-out", "json")

    def write(self) -> None:
        for number in range(20):
            self.etcdctl("put", f"k{number % 3}", number)
        self.etcdctl("compact", 10)

    def test_what_was_written_outlives_a_kill(self) -> None:
        # The server of this test is always killed, never stopped.
        with self.store("--data", self.folder / "data"):
            self.write()
            before = self.content()
        with self.store("--data", self.folder / "data"):
            self.assertEqual(self.content(), before)

    def test_a_snapshot_of_either_kind_of_store_can_be_restored(self) -> None:
        for kind, arguments in {"memory": [], "disk": ["--data", self.folder / "data"]}.items():
            with self.subTest(kind):
                saved, made = self.folder / f"{kind}.snap", self.folder / f"of-{kind}"
                with self.store(*arguments):
                    self.write()
                    before = self.content()
                    self.etcdctl("snapshot", "save", saved)
                done = self.restore(saved, made)
                self.assertEqual(done.returncode, 0, done.stderr)
                with self.store("--data", made):
                    self.assertEqual(self.content(), before)

    def test_a_damaged_snapshot_and_a_folder_in_use_are_refused_by_name(self) -> None:
        saved, made = self.folder / "file.snap", self.folder / "made"
        with self.store():
            self.write()
            self.etcdctl("snapshot", "save", saved)
        done = self.restore(saved, None)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("--data", done.stderr)
        damaged = bytearray(saved.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        bad = self.folder / "bad.snap"
        bad.write_bytes(damaged)
        done = self.restore(bad, made)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"{bad} is damaged", done.stderr)
        self.assertFalse(made.exists())
        self.assertEqual(self.restore(saved, made).returncode, 0)
        done = self.restore(saved, made)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"{made} is there already", done.stderr)


if __name__ == "__main__":
    if not ETCDCTL:
        print("SKIP: no etcdctl here; install etcd-client")
        sys.exit(SKIPPED)
    WATCHPROOF = sys.argv.pop(1)
    unittest.main()
