#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manifests in ci/hosted/kubernetes: their fields, and their commands as processes."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest
from collections.abc import Sequence
from typing import Any

import yaml
from tool import BUSY, DELETE_AT_FLOOR, OVERTAKES, RunTest, called, main

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "hosted" / "kubernetes"
CODES = (1, 2, 3, 4, 5, 6, 70, 130, 137, 143)
KUBECTL = """#!/bin/sh
echo "$@" >>"$0.log"
case "$*" in
  "wait job/watchproof --for=condition=Complete"*) exit 1 ;;
  "get pods"*)
    echo "2026-01-01T00:00:07Z watchproof-merge-b 1"
    echo "2026-01-01T00:00:05Z watchproof-merge-c 143"
    echo " watchproof-merge-d " ;;
  "logs watchproof-merge-b") echo the last screen ;;
esac
"""


def load(name: str) -> dict[str, Any]:
    return yaml.safe_load((FOLDER / name).read_text())


def container(job: Any) -> Any:
    (one,) = job["spec"]["template"]["spec"]["containers"]
    return one


def action(job: Any, code: int) -> str:
    """What the policy does about a container with that exit code: the first rule that fits."""
    for rule in job["spec"]["podFailurePolicy"]["rules"]:
        on = rule.get("onExitCodes")
        if on and (code in on["values"]) == (on["operator"] == "In"):
            return rule["action"]
    return "Count"


class Kubernetes(RunTest):
    def pod(
        self, job: Any, index: int | None = None, more: Sequence[str] = ()
    ) -> subprocess.CompletedProcess[str]:
        """The command of a pod as a process: its environment, and the volumes as folders."""
        spec = container(job)
        variables = {"RUN": "a-run"}
        if index is not None:
            variables["JOB_COMPLETION_INDEX"] = str(index)
        folders = {"/results": str(self.folder / "results"), "/etc/watchproof": str(FOLDER / "run")}
        words = []
        for word in spec["args"]:
            word = re.sub(r"\$\((\w+)\)", lambda m: variables[m[1]], word)
            for inside, outside in folders.items():
                word = word.replace(inside, outside)
            words.append(word)
        return called(
            [self.watchproof, *words, *more],
            env=os.environ | variables,
            cwd=self.folder,
            timeout=BUSY * 120,
        )

    def test_the_shards_are_as_many_as_the_pods(self) -> None:
        spec = load("run/shards.yaml")["spec"]
        self.assertEqual(spec["completionMode"], "Indexed")
        for name in ("run/shards.yaml", "explore/shards.yaml"):
            self.assertIn(f"--shards={spec['completions']}", container(load(name))["args"])

    def test_only_trouble_is_tried_again(self) -> None:
        job = load("run/shards.yaml")
        self.assertEqual({code for code in CODES if action(job, code) == "Count"}, {3, 70})
        self.assertEqual({action(job, code) for code in CODES} - {"Count"}, {"FailIndex"})
        self.assertGreater(job["spec"]["backoffLimitPerIndex"], 0)
        merge = load("run/merge.yaml")
        self.assertEqual(action(merge, 1), "FailJob")
        self.assertTrue(merge["spec"]["suspend"])
        for one in (job, merge):
            first = one["spec"]["podFailurePolicy"]["rules"][0]
            self.assertEqual(first["action"], "Ignore")
            self.assertEqual(first["onPodConditions"][0]["type"], "DisruptionTarget")
            for rule in one["spec"]["podFailurePolicy"]["rules"][1:]:
                values = rule["onExitCodes"]["values"]
                self.assertEqual(values, sorted(set(values)), "the API demands them in order")
                self.assertEqual(rule["onExitCodes"]["containerName"], container(one)["name"])

    def test_pods_have_no_rights(self) -> None:
        for name in ("run/shards.yaml", "run/merge.yaml"):
            pod = load(name)["spec"]["template"]["spec"]
            self.assertEqual(pod["restartPolicy"], "Never")
            self.assertFalse(pod["automountServiceAccountToken"])
            self.assertTrue(pod["securityContext"]["runAsNonRoot"])
            locked = container(load(name))["securityContext"]
            self.assertTrue(locked["readOnlyRootFilesystem"])
            self.assertFalse(locked["allowPrivilegeEscalation"])
            self.assertEqual(locked["capabilities"], {"drop": ["ALL"]})
            volumes = {volume["name"] for volume in pod["volumes"]}
            mounts = {mount["name"] for mount in container(load(name))["volumeMounts"]}
            self.assertEqual(mounts, volumes)

    def test_the_image_has_the_user_of_the_pods(self) -> None:
        recipe = (FOLDER.parent.parent / "images" / "Containerfile").read_text()
        pod = load("run/shards.yaml")["spec"]["template"]["spec"]["securityContext"]
        self.assertIn(f"\nUSER {pod['runAsUser']}:{pod['runAsGroup']}\n", recipe)
        self.assertIn('\nENTRYPOINT ["/usr/local/bin/watchproof"]\n', recipe)

    def test_the_kustomization_has_every_file(self) -> None:
        named = load("run/kustomization.yaml")
        files = set(named["resources"]) | set(named["configMapGenerator"][0]["files"])
        there = {path.name for path in (FOLDER / "run").iterdir()}
        self.assertEqual(there, files | {"kustomization.yaml"})
        volumes = load("run/shards.yaml")["spec"]["template"]["spec"]["volumes"]
        claims = [
            one["persistentVolumeClaim"]["claimName"]
            for one in volumes
            if "persistentVolumeClaim" in one
        ]
        self.assertEqual(claims, [load("run/volume.yaml")["metadata"]["name"]])

    @unittest.skipUnless(shutil.which("kubectl"), "kubectl is not installed")
    def test_kubectl_renders_both(self) -> None:
        for folder, kinds in (
            ("run", ["ConfigMap", "Job", "Job", "PersistentVolumeClaim"]),
            ("explore", ["ConfigMap", "Job", "PersistentVolumeClaim"]),
        ):
            done = called(["kubectl", "kustomize", FOLDER / folder])
            self.assertEqual(done.returncode, 0, done.stderr)
            made = list(yaml.safe_load_all(done.stdout))
            self.assertEqual(sorted(one["kind"] for one in made), kinds)

    def test_the_pods_add_up_to_a_run_that_a_lost_one_leaves_undecided(self) -> None:
        shards, merge = load("run/shards.yaml"), load("run/merge.yaml")
        few = ("--filter", f"{DELETE_AT_FLOOR}:{OVERTAKES}")
        for index in range(shards["spec"]["completions"] - 1):
            done = self.pod(shards, index, few)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        merged = self.folder / "results" / "a-run" / "merged"
        done = self.pod(merge)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn("shard 8/8 is missing", done.stdout)
        (merged / "run.json").unlink()
        self.assertEqual(self.pod(shards, 7, few).returncode, 0)
        done = self.pod(merge)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = [json.loads(line) for line in (merged / "results.jsonl").read_text().splitlines()]
        self.assertEqual(
            sorted((one["case"], one["attempt"]) for one in lines),
            [(OVERTAKES, 1), (OVERTAKES, 2), (DELETE_AT_FLOOR, 1), (DELETE_AT_FLOOR, 2)],
        )
        # An index that no shard has is no reason to try again.
        done = self.pod(shards, shards["spec"]["completions"], few)
        self.assertEqual(action(shards, done.returncode), "FailIndex")
        self.assertIn("JOB_COMPLETION_INDEX is 8", done.stderr)

    def test_the_pods_explore_apart(self) -> None:
        job = load("explore/shards.yaml")
        seeds = set()
        for index in (0, 1):
            done = self.pod(job, index, ("--scripts", "2"))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            seeds.update(re.findall(r"seed (0x\w+)", done.stdout)[:1])
        self.assertEqual(len(seeds), 2)

    def test_the_script_merges_when_the_shards_have_ended(self) -> None:
        kubectl = self.folder / "kubectl"
        kubectl.write_text(KUBECTL)
        kubectl.chmod(0o755)
        done = called([FOLDER / "run.sh", "a-run"], env=os.environ | {"KUBECTL": str(kubectl)})
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("shards of a-run: Failed\n", done.stdout)
        self.assertIn("the last screen", done.stdout)
        calls = (self.folder / "kubectl.log").read_text()
        places = [
            calls.index(text)
            for text in (
                "create configmap watchproof-run --from-literal=run=a-run",
                f"apply -k {FOLDER}/run",
                "wait job/watchproof --for=condition=Failed",
                "patch job/watchproof-merge",
                "wait job/watchproof-merge",
                "logs watchproof-merge-b",
            )
        ]
        self.assertEqual(places, sorted(places))


if __name__ == "__main__":
    main()
