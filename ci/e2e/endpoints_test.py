#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A server that is already running and belongs to somebody else."""

import os
import shutil
import subprocess
import unittest

from tool import EVERYTHING, FULL_QUEUE, OVERTAKES, RunTest, main

KILLED = "Resumable.SurvivesKillAndRestart"


@unittest.skipUnless(shutil.which("etcdctl"), "needs etcdctl to look at a server from outside")
class Endpoints(RunTest):
    ADDRESS = "127.201.7.3:2379"

    def setUp(self):
        super().setUp()
        self.server = subprocess.Popen(
            [self.watchproof, "store", "--listen", self.ADDRESS, "--http", "127.201.7.3:2381"],
            stdout=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(self.server.stdout.close)
        self.addCleanup(self.server.wait)
        self.addCleanup(self.server.kill)
        self.assertIn("serving on", self.server.stdout.readline())
        self.etcdctl("put", "theirs", "1")

    def etcdctl(self, *arguments):
        done = subprocess.run(
            ["etcdctl", "--endpoints", self.ADDRESS, *arguments],
            env={**os.environ, "ETCDCTL_API": "3"},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def test_is_left_as_it_was_and_never_compacted_unasked(self):
        cases = f"{FULL_QUEUE}:{EVERYTHING}:{OVERTAKES}:{KILLED}"
        self.run_it(
            "--target", f"endpoint:{self.ADDRESS}", "--jobs", "1", "--filter", cases, expect=0
        )
        self.assertEqual(
            self.verdicts(),
            {
                FULL_QUEUE: "unsupported",
                KILLED: "unsupported",
                EVERYTHING: "pass",
                OVERTAKES: "pass",
            },
        )
        self.assertEqual(self.etcdctl("get", "", "--from-key"), "theirs\n1\n")
        # Every revision is still there.
        self.assertEqual(self.etcdctl("get", "theirs", "--rev=2"), "theirs\n1\n")
        self.assertIsNone(self.server.poll())

    def test_is_compacted_only_when_it_is_named(self):
        allowed = ("--allow-disruptive", self.ADDRESS)
        self.run_it(
            "--target", f"endpoint:{self.ADDRESS}", *allowed, "--filter", FULL_QUEUE, expect=0
        )
        self.assertEqual(self.verdicts(), {FULL_QUEUE: "pass"})
        self.assertEqual(self.etcdctl("get", "", "--from-key"), "theirs\n1\n")

    def test_that_does_not_answer_is_3(self):
        self.server.kill()
        self.server.wait()
        self.run_it("--target", f"endpoint:{self.ADDRESS}", "--filter", OVERTAKES, expect=3)


if __name__ == "__main__":
    main()
