#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files in ci/hosted: their commands are run as the host would run them, without the host."""

import os
import pathlib
import re
import subprocess
import xml.etree.ElementTree
from typing import Any

import yaml
from tool import BUSY, DELETE_AT_FLOOR, OVERTAKES, RunTest, called, document_of, main, stock_etcd

HOSTED = pathlib.Path(__file__).resolve().parent.parent / "hosted"
BROKEN = "embedded+progress-overtakes-events"
ONE = f"--filter {DELETE_AT_FLOOR} --progress off"


def load(name: str) -> Any:
    return yaml.safe_load((HOSTED / name).read_text())


class Hosted(RunTest):
    def setUp(self) -> None:
        super().setUp()
        self.checkout = self.folder / "checkout"
        self.checkout.mkdir()
        self.summary = self.folder / "summary.md"
        self.output = self.folder / "output"

    def shell(
        self, script: str, environment: dict[str, str], expect: int | set[int]
    ) -> subprocess.CompletedProcess[str]:
        """As the hosts do: the first command that fails ends the script."""
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("WATCHPROOF", "GITHUB_", "GTEST_"))
        }
        done = called(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
            cwd=self.checkout,
            env=clean | environment,
            timeout=BUSY * 300,
        )
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def act(
        self, inputs: dict[str, str], expect: int | set[int]
    ) -> subprocess.CompletedProcess[str]:
        """The steps of the composite action that are commands."""
        action = load("action.yml")
        self.assertLessEqual(set(inputs), set(action["inputs"]))
        values = {
            name: str(inputs.get(name, one.get("default")))
            for name, one in action["inputs"].items()
        }

        def fill(text: str) -> str:
            filled = re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda m: values[m[1]], text)
            return filled.replace("${{ github.action_path }}", str(HOSTED))

        for step in action["runs"]["steps"]:
            if "run" not in step:
                continue
            self.assertNotIn("${{", step["run"], "an input in a script is a command of its author")
            environment = {name: fill(text) for name, text in step["env"].items()}
            github = {
                "GITHUB_ACTIONS": "true",
                "GITHUB_STEP_SUMMARY": str(self.summary),
                "GITHUB_OUTPUT": str(self.output),
                "GITHUB_WORKSPACE": str(HOSTED.parent.parent),
            }
            done = self.shell(step["run"], environment | github, expect)
        for step in action["runs"]["steps"]:
            if "uses" in step:
                self.assertEqual(step["if"], "always()")
                for path in step["with"]["path"].split():
                    self.assertTrue((self.checkout / path).exists(), path)
        return done

    def test_the_action_of_a_failing_run_has_summary_annotations_and_reports(self) -> None:
        inputs = {
            "target": BROKEN,
            "command": self.watchproof,
            "flags": f"--filter '{DELETE_AT_FLOOR}:{OVERTAKES}' --repeat 12",
        }
        done = self.act(inputs, expect=1)
        summary = self.summary.read_text()
        self.assertLess(len(summary), 1 << 20)
        self.assertLess(summary.index("### FAIL"), summary.index("| case |"))
        log = done.stdout + done.stderr
        annotations = [line for line in log.splitlines() if line.startswith("::error")]
        self.assertEqual(len(annotations), 10)
        ((place, line),) = re.findall(r"^::error file=([^,]+),line=(\d+),", annotations[0])
        source = (HOSTED.parent.parent / place).read_text().splitlines()
        self.assertIn(OVERTAKES.split(".")[1], "".join(source[int(line) - 1 :][:3]))
        self.assertIn("3 more are", annotations[-1])
        self.assertEqual(log.count("::group::"), 12)
        self.assertEqual(log.count("::group::"), log.count("::endgroup::"))
        reports = pathlib.Path(self.output.read_text().split("=", 1)[1].strip())
        for name in ("report.html", "junit.xml", "ctrf.json", "results.sarif", "run.json"):
            self.assertTrue((reports / name).exists(), name)

    def test_the_action_of_a_passing_run_has_no_annotation(self) -> None:
        done = self.act({"target": "embedded", "command": self.watchproof, "flags": ONE}, expect=0)
        self.assertNotIn("::", done.stdout + done.stderr)
        self.assertIn("| case |", self.summary.read_text())

    def test_off_means_off(self) -> None:
        self.act(
            {
                "target": BROKEN,
                "command": self.watchproof,
                "flags": f"--filter {OVERTAKES} --ci off",
            },
            expect=1,
        )
        self.assertFalse(self.summary.exists())

    def test_the_workflow_uses_the_action_as_it_is(self) -> None:
        job = load("workflow.yml")["jobs"]["watchproof"]
        used = [step for step in job["steps"] if "ci/hosted@" in step.get("uses", "")]
        self.assertEqual(len(used), 1)
        etcd = stock_etcd()
        if not etcd:
            self.skipTest("needs a stock etcd 3.4.23, which the job builds")
        (self.checkout / "Makefile").write_text(
            f"build:\n\tmkdir -p bin\n\tln -sf {etcd} bin/etcd\n"
        )
        for step in job["steps"]:
            if "run" in step:
                self.shell(step["run"], {}, expect=0)
        inputs = used[0]["with"] | {"command": self.watchproof}
        inputs["flags"] += f" {ONE}"
        self.act(inputs, expect=0)

    def test_the_gitlab_job_leaves_what_its_page_shows(self) -> None:
        job = load("gitlab-ci.yml")["watchproof"]
        environment = {name: str(value) for name, value in job["variables"].items()}
        environment |= {
            "WATCHPROOF_SOURCE": str(HOSTED.parent.parent),
            "GITLAB_CI": "true",
            "WATCHPROOF_TARGET": BROKEN,
            "WATCHPROOF": self.watchproof,
            "WATCHPROOF_PROFILE": "full",
            "WATCHPROOF_FILTER": f"{DELETE_AT_FLOOR}:{OVERTAKES}",
        }
        self.shell("\n".join(job["script"]), environment, expect=1)
        artifacts = job["artifacts"]
        self.assertEqual(artifacts["when"], "always")
        for path in artifacts["paths"]:
            self.assertTrue((self.checkout / path).is_dir(), path)
        suites = xml.etree.ElementTree.parse(self.checkout / artifacts["reports"]["junit"])
        self.assertEqual(suites.getroot().get("failures"), "1")

    def test_the_script_keeps_exit_codes_and_no_earlier_report(self) -> None:
        script = f"{HOSTED}/run.sh"
        environment = {"WATCHPROOF": self.watchproof}
        self.shell(f"{script} --target embedded {ONE}", environment, expect=0)
        reports = self.checkout / "watchproof-reports"
        self.assertEqual(document_of(reports / "run.json")["exit_code"], 0)
        self.shell(f"{script} --no-such-flag", environment, expect=4)
        self.assertEqual(list(reports.iterdir()), [])
        self.shell(f"{script} --filter No.Such", environment, expect=5)


if __name__ == "__main__":
    main()
