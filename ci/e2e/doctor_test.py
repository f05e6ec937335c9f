#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What doctor says of a machine that has nothing, of targets, and of settings and their origin."""

import json
import os
import subprocess
from typing import Any

from tool import BUSY, RunTest, called, main


class Doctor(RunTest):
    def doctor(
        self, *words: str, expect: int = 0, more: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("WATCHPROOF_", "GTEST_"))
        }
        done = called(
            [self.watchproof, "doctor", *words],
            cwd=self.folder,
            env=environment | (more or {}),
            timeout=BUSY * 60,
        )
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def checks(self, *words: str, **options: Any) -> tuple[dict[str, Any], Any]:
        document = json.loads(self.doctor("--json", *words, **options).stdout)
        return {check["name"]: check for check in document["checks"]}, document["targets"]

    def bare(self) -> dict[str, str]:
        """An environment without etcd, Go, npm, Python, network or releases."""
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "curl").symlink_to("/usr/bin/curl")
        return {
            "PATH": str(self.folder / "bin"),
            "GOPROXY": "http://127.0.0.1:9",
            "WATCHPROOF_CACHE": str(self.folder / "cache"),
        }

    def test_a_bare_machine_says_what_it_cannot_do_and_what_to_do(self) -> None:
        bare = self.bare()
        checks, targets = self.checks(more=bare)
        for name in ("etcd", "go", "module proxy", "npm", "python3"):
            self.assertEqual(checks[name]["health"], "missing", checks[name])
            self.assertTrue(checks[name]["without"] and checks[name]["advice"], checks[name])
        for name in ("addresses", "processes", "run folder", "cache"):
            self.assertEqual(checks[name]["health"], "ok", checks[name])
        self.assertTrue(targets[0]["usable"], targets)
        self.assertIn("fetch etcd", self.doctor(more=bare).stdout)
        self.assertIn("etcd-node", checks["npm"]["without"])
        self.assertIn("kube-apiserver", checks["go"]["without"])
        self.assertEqual(os.listdir(self.folder), ["bin"])  # nothing was changed

    def test_below_a_proxy_before_a_disk_there_cannot_be_another_one(self) -> None:
        own, _ = self.checks()
        if own["disks"]["health"] != "ok":
            self.skipTest(own["disks"]["found"])
        words = [self.watchproof, "disk", "--data", str(self.folder), "--"]
        done = called([*words, self.watchproof, "doctor", "--json"], cwd=self.folder)
        checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
        self.assertEqual(checks["disks"]["health"], "missing")
        self.assertIn("only one", checks["disks"]["found"])
        self.assertIn("a disk that can fail", checks["disks"]["without"])
        self.assertIn("seccomp", checks["disks"]["advice"])

    def test_without_curl_the_module_proxy_is_not_said_to_be_out_of_reach(self) -> None:
        checks, _ = self.checks(more=self.bare() | {"PATH": str(self.folder)})
        self.assertEqual(checks["curl"]["health"], "missing")
        self.assertIn("install curl", checks["curl"]["advice"])
        self.assertNotIn("module proxy", checks)

    def test_a_target_says_which_cases_it_leaves_unsupported(self) -> None:
        _, targets = self.checks("--target", "embedded")
        offered = set(targets[0]["offered"])
        self.assertLessEqual({"compaction", "leases", "durable", "process"}, offered)
        cluster = next(one for one in targets[0]["missing"] if one["name"] == "cluster")
        self.run_it("--target", "embedded", "--filter", cluster["cases"][0], expect=2)
        self.assertEqual(set(self.verdicts().values()), {"unsupported"})

    def test_a_target_that_cannot_be_used_is_3_and_a_mistake_4(self) -> None:
        done = self.doctor("--target", "etcd:/no/such/etcd", expect=3)
        self.assertIn("/no/such/etcd", done.stdout)
        self.doctor("--target", "embeded", expect=4)
        self.assertIn("--jobs", self.doctor("--jobs", "0", expect=4).stderr)

    def settings(
        self, *words: str, more: dict[str, str] | None = None
    ) -> dict[str, tuple[str, str]]:
        lines = self.doctor("--config", "--json", *words, more=more).stdout.splitlines()
        return {one["name"]: (one["value"], one["origin"]) for one in map(json.loads, lines)}

    def test_every_setting_has_its_origin(self) -> None:
        (self.folder / "watchproof.toml").write_text(
            'jobs = 3\ncase-timeout = "20s"\ntarget = ["embedded", "embedded+filter-ignored"]\n'
            'no-faults = true\nkeep = "all"\n'
        )
        settings = self.settings("--jobs", "5", more={"WATCHPROOF_CASE_TIMEOUT": "30s"})
        self.assertEqual(settings["--jobs"], ("5", "flag"))
        self.assertEqual(settings["--case-timeout"], ("30s", "environment"))
        self.assertEqual(settings["--keep"], ("all", "watchproof.toml"))
        self.assertEqual(settings["--no-faults"], ("true", "watchproof.toml"))
        self.assertEqual(settings["--run-dir"], ("watchproof-runs", "default"))
        self.assertEqual(settings["--keep-runs"], ("20", "default"))
        self.assertIn("watchproof.toml", self.doctor("--config").stdout)
        other = self.folder / "other.toml"
        other.write_text("jobs = 7\n")
        self.assertEqual(self.settings("--config-file", str(other))["--jobs"], ("7", str(other)))

    def test_the_file_is_what_run_uses_and_mistakes_in_it_are_named(self) -> None:
        file = self.folder / "watchproof.toml"
        file.write_text(
            'target = ["embedded"]\nfilter = "CompactionSurfaced.DeleteAtFloor"\n'
            f'run-dir = "{self.folder}/runs"\nseed = "0x7"\n'
        )
        done = called([self.watchproof, "run"], cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        flags = self.run_json()["flags"]
        self.assertEqual(flags["--seed"]["origin"], "watchproof.toml")
        self.assertEqual(self.results()[0].seed, "0x7")
        for text, words in (
            ("job = 3\n", "line 1: 'job' is no flag of run; did you mean jobs?"),
            ("jobs = 0\n", "--jobs"),
            ("jobs = [\n", "line 1"),
        ):
            file.write_text(text)
            done = called([self.watchproof, "run"], cwd=self.folder)
            self.assertEqual(done.returncode, 4, text)
            self.assertIn(words, done.stderr)
        self.assertIn("no-such.toml", self.doctor("--config-file", "no-such.toml", expect=4).stderr)


if __name__ == "__main__":
    main()
