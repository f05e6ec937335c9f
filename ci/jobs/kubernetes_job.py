#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manifests in ci/hosted/kubernetes on a real API server with the real controllers of Jobs.

    ci/jobs/kubernetes_job.py [--run NAME]...

`ci/kubernetes_job` is kube-apiserver, kube-controller-manager and kubectl of one release, built
from its Go module; the API server keeps its objects in our embedded store. Without machines: a
stand-in for scheduler and kubelet (`node.py`) runs the command of each pod as a local process, with
the environment and the volumes of the pod, and reports its exit code.

First all manifests are offered, unchanged: to a namespace that rejects pods with any rights, with
strict validation, and a warning counts as an error; so that this can fail, with one mistake each,
too. Then `run.sh` does whole runs of four shards with real kubectl. What is in trouble is the store
under test (`store.sh`), so that exit codes are those that `watchproof run` has for it. Prints what
was expected and observed, line by line.

Exit code: 0 when all is as expected, 1 otherwise, 77 without go.
The first build takes minutes of two cores, the runs two. Needs go.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
from typing import Any

import go_suite
import job
import server
import tools
from reader import called

HERE = job.JOBS.parent / "kubernetes_job"
HOSTED = job.JOBS.parent / "hosted" / "kubernetes"
sys.path.insert(0, str(HERE))

import control_plane
import node

PATIENCE = 600  # seconds for a run
SHARDS = 4
SHARDS_JOB, MERGE_JOB = "watchproof", "watchproof-merge"
JOBS_PATH = f"/apis/batch/v1/namespaces/{control_plane.NAMESPACE}/jobs"


@dataclasses.dataclass
class Run:
    """What a run is given, and what is expected of it."""

    trouble: str  # for store.sh; empty: the store is `embedded`, as in the manifests
    pods: list[list[node.Ending]]  # for each index, what became of its pods
    ending: str  # of the Job of the shards, and its indexes
    merge: list[node.Ending]  # what becomes of the pods of the merge
    code: int  # of run.sh: that of the merge
    says: list[str]  # what it prints, as patterns


# An index is tried again on its own limit of two; an eviction does not count.
RUNS = {
    "healthy": Run(
        "",
        [[0], [0], [0], [0]],
        "Complete: 0-3 complete, none failed",
        [0],
        0,
        [r"Good: \d+ passed"],
    ),
    "finding": Run(
        "0:pressure:1 1:finding:9 2:no-start:1 3:killed:1",
        [["evicted", 0], [1], [3, 0], [70, 0]],
        "Failed: 0,2,3 complete, 1 failed",
        ["evicted", 1],
        1,
        [
            r"Broken promises: .*\d+ new failures",
            "shard 1/4 has 2 runs: was terminated",
            "shard 3/4 has 2 runs: ended with exit code 3",
            "shard 4/4 has 2 runs: ended with exit code 70",
        ],
    ),
    "limits": Run(
        "0:pressure:1 0:no-start:9 2:killed:9",
        [["evicted", 3, 3, 3], [0], [70, 70, 70], [0]],
        "Failed: 1,3 complete, 0,2 failed",
        [70],
        70,
        [r"Broken run: .*\d+ harness errors", "shard 1/4 has 4 runs", "shard 3/4 has 3 runs"],
    ),
}


class Table:
    def __init__(self) -> None:
        self.differs = False

    def row(
        self, what: str, expected: object, observed: object, agrees: bool | None = None
    ) -> None:
        agrees = expected == observed if agrees is None else agrees
        self.differs = self.differs or not agrees
        print(f"{'ok' if agrees else 'DIFFERS':8}{what:34}{expected}", flush=True)
        if not agrees:
            print(f"{'':42}observed: {observed}", flush=True)


def overlay(folder: pathlib.Path, base: str, patches: list[Any], **more: Any) -> pathlib.Path:
    """A kustomization over ours; JSON is YAML, too."""
    folder.mkdir()
    base = os.path.relpath(HOSTED / base, folder.resolve())
    (folder / "kustomization.yaml").write_text(
        json.dumps(
            {
                "apiVersion": "kustomize.config.k8s.io/v1beta1",
                "kind": "Kustomization",
                "resources": [base],
                "patches": patches,
            }
            | more
        )
    )
    return folder


def patch(
    *operations: tuple[str, str, Any], of: str = SHARDS_JOB
) -> dict[str, str | dict[str, str]]:
    return {
        "target": {"kind": "Job", "name": f"^{of}$"},
        "patch": json.dumps(
            [{"op": op, "path": path, "value": value} for op, path, value in operations]
        ),
    }


def offer(
    plane: control_plane.ControlPlane, folder: pathlib.Path, table: Table, scratch: pathlib.Path
) -> None:
    """The manifests as they are, and with mistakes; nothing is kept of them."""
    context = "/spec/template/spec/securityContext/runAsNonRoot"
    values = "/spec/podFailurePolicy/rules/1/onExitCodes/values"
    offers: list[tuple[str, Any, str]] = [
        ("run/", HOSTED / "run", ""),
        ("explore/", HOSTED / "explore", ""),
        (
            "a field that is unknown",
            patch(("add", "/spec/backoffLimitPerIndexes", 2)),
            'unknown field "spec.backoffLimitPerIndexes"',
        ),
        ("exit codes out of order", patch(("replace", values, [70, 3])), "must be ordered"),
        (
            "a pod that may be root",
            patch(("replace", context, False)),
            'would violate PodSecurity "restricted',
        ),
    ]
    for number, (what, of, mistake) in enumerate(offers):
        if mistake:
            of = overlay(folder / f"offer-{number}", "run", [of])
        done = called([*plane.kubectl, "apply", "--dry-run=server", "-k", of], cwd=scratch)
        if mistake:
            agrees = done.returncode != 0 and mistake in done.stderr
            table.row(f"offered: {what}", f"refused: {mistake}", done.stderr, agrees)
        else:
            agrees = done.returncode == 0 and not done.stderr
            table.row(f"offered: {what}", "accepted without a warning", done.stderr, agrees)


def kustomization(folder: pathlib.Path, trouble: str) -> pathlib.Path:
    """Four shards with few attempts."""
    target = "command:store.sh --listen {host}:{port}" if trouble else "embedded"
    settings = folder.with_suffix(".toml")
    settings.write_text(f"""target = ["{target}"]
filter = "CompactionSurfaced.DeleteAtFloor"
repeat = 12
jobs = 2
progress = "off"
""")
    spec = "/spec/template/spec/containers/0"
    count = node_field("job-index-failure-count")
    ignored = node_field("job-index-ignored-failure-count")
    made = overlay(
        folder,
        "run",
        [
            patch(
                ("test", f"{spec}/args/2", "--shards=8"),
                ("replace", f"{spec}/args/2", f"--shards={SHARDS}"),
                ("replace", "/spec/completions", SHARDS),
                ("replace", "/spec/parallelism", SHARDS),
                ("add", f"{spec}/env/-", {"name": "TROUBLE", "value": trouble}),
                ("add", f"{spec}/env/-", {"name": "FAILURES", "valueFrom": count}),
                ("add", f"{spec}/env/-", {"name": "IGNORED", "valueFrom": ignored}),
            )
        ],
        configMapGenerator=[
            {"name": "watchproof", "behavior": "replace", "files": ["watchproof.toml"]}
        ],
    )
    settings.rename(made / "watchproof.toml")
    return made


def node_field(annotation: str) -> dict[str, dict[str, str]]:
    path = f"metadata.annotations['batch.kubernetes.io/{annotation}']"
    return {"fieldRef": {"fieldPath": path}}


def execute(
    name: str, folder: pathlib.Path, plane: control_plane.ControlPlane, here: node.Node
) -> tuple[int | None, str]:
    """The exit code of run.sh, and what it prints; ends it when there is nothing to wait for."""
    with open(folder.with_suffix(".out"), "w+", encoding="utf-8") as out:
        script = subprocess.Popen(
            [HOSTED / "run.sh", name],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=server.die_with_parent,
            env=os.environ | {"KUBECTL": " ".join(plane.kubectl), "KUSTOMIZE": str(folder)},
        )
        try:
            for _ in range(PATIENCE):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    script.wait(1)
                if script.returncode is not None or here.errors:
                    break
            code = script.returncode
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(script.pid, signal.SIGKILL)
            script.wait()
        out.seek(0)
        return code, out.read()


def ending_of(shards: Any) -> str:
    """What the controller says of the Job, as of its conditions and indexes."""
    status = shards["status"]
    types = [one["type"] for one in status.get("conditions", []) if one["status"] == "True"]
    ending = next((one for one in types if one in ("Complete", "Failed")), "no end")
    indexes = [status.get(f"{kind}Indexes") or "none" for kind in ("completed", "failed")]
    return f"{ending}: {indexes[0]} complete, {indexes[1]} failed"


def times(shards: Any, merge: Any) -> tuple[str, str]:
    """When the shards ended and when the merge was resumed, as text that is ordered like times."""
    ends = [
        one["lastTransitionTime"]
        for one in shards["status"]["conditions"]
        if one["type"] in ("Complete", "Failed")
    ]
    return max(ends, default="never"), merge["status"].get("startTime", "")


def show(
    name: str,
    run: Run,
    plane: control_plane.ControlPlane,
    here: node.Node,
    folder: pathlib.Path,
    table: Table,
) -> None:
    begun = len(here.ended)
    if "evicted" in run.merge:
        here.evicted_at_once.add(MERGE_JOB)
    code, text = execute(name, kustomization(folder / name, run.trouble), plane, here)
    ended = here.ended[begun:]
    before = table.differs
    for index, expected in enumerate(run.pods):
        table.row(
            f"{name}: pods of index {index}",
            expected,
            [how for of, at, how in ended if (of, at) == (SHARDS_JOB, str(index))],
        )
    shards = plane.call("GET", f"{JOBS_PATH}/{SHARDS_JOB}")
    table.row(f"{name}: Job of the shards", run.ending, ending_of(shards))
    table.row(
        f"{name}: pods of the merge", run.merge, [how for of, _, how in ended if of == MERGE_JOB]
    )
    merge = plane.call("GET", f"{JOBS_PATH}/{MERGE_JOB}")
    table.row(
        f"{name}: the merge is resumed",
        "when the shards have ended",
        times(shards, merge),
        times(shards, merge)[0] <= times(shards, merge)[1],
    )
    for pattern in run.says:
        table.row(f"{name}: the merge says", pattern, "see below", bool(re.search(pattern, text)))
    table.row(f"{name}: run.sh ends with", run.code, code)
    if table.differs and not before:
        print(f"--- what run.sh printed:\n{text}---", flush=True)


def work(stack: contextlib.ExitStack, options: argparse.Namespace) -> int:
    build = job.build("watchproof", "make_certs")
    program = tools.cache() / "kubernetes_job" / "program"
    if not (program.exists() and os.environ.get("WATCHPROOF_BUILT")):
        go_suite.go(
            "build", "-buildvcs=false", "-ldflags=-s", "-o", str(program), ".", cwd=HERE, check=True
        )
    release = go_suite.go(
        "list", "-m", "k8s.io/kubernetes", cwd=HERE, check=True, capture_output=True
    ).stdout.strip()
    scratch = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wp-job-")))
    image = scratch / "image"
    image.mkdir()
    (image / "watchproof").symlink_to(build / "watchproof")
    (image / "store.sh").symlink_to(HERE / "store.sh")
    plane = control_plane.start(stack, program, build, scratch / "plane")
    print(f"{release} on the embedded store\n\n{'':8}{'what':34}expected")
    table = Table()
    offer(plane, scratch, table, scratch)
    with node.Node(plane, image, scratch / "node") as here:
        for name in options.run or RUNS:
            show(name, RUNS[name], plane, here, scratch, table)
        for error in here.errors:
            table.row("the stand-in", "no errors", error)
    return 1 if table.differs else 0


def main() -> int:
    parser = job.parser(__doc__)
    parser.add_argument("--run", action="append", choices=RUNS, help="repeatable (default: all)")
    options = parser.parse_args()
    job.needs("go")
    return server.run(work, options)


if __name__ == "__main__":
    sys.exit(main())
