#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants bugs in the code of consumers, one at a time: each must be found, in the right layer.

    ci/jobs/consumer_defects.py [--defect NAME]...

A copy of the consumer is built with one line of its code, or of the code of the client that it
embeds, changed. It follows the keys of a case on the embedded store, which must not fail there,
while the consumer must, with the expected layer as the lowest that is wrong. (A defect may withhold
what the case waits for: the store is undecided then.) Exit code 0 when every one did, 77 without go
or npm. The API servers take minutes where go has not built them yet.
"""

import dataclasses
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import tomllib

import job
from reader import called, results_of

CONSUMERS = job.JOBS.parents[1] / "fixtures" / "consumers"
RESET = "Consumers.ConnectionReset"
AWAY = "Consumers.CompactionWhileAway"
BETWEEN_LISTS = "Consumers.DeletionBetweenLists"
HOP = "Consumers.HopToServerBehind"
# Go modules, of which a copy is changed.
CLIENTV3 = "go.etcd.io/etcd/client/v3"
APISERVER = "k8s.io/apiserver"
CLIENT_GO = "k8s.io/client-go"
STORAGE = f"{APISERVER}/pkg/storage"
ETCD3 = "node_modules/etcd3/lib/watch.js"

# Run by the build, beside the consumer.
PLANT = """import pathlib
import shutil
import subprocess

place, module, path, old, new = {values!r}
file = pathlib.Path(place) / path
if module:
    subprocess.run(["go", "-C", place, "mod", "download", module], check=True)
    list_it = ["go", "-C", place, "list", "-m", "-f", "{{{{.Dir}}}}", module]
    found = subprocess.run(list_it, check=True, capture_output=True, text=True).stdout
    shutil.copytree(found.strip(), pathlib.Path(place) / "patched")
    subprocess.run(["chmod", "-R", "u+w", pathlib.Path(place) / "patched"], check=True)
    subprocess.run(["go", "-C", place, "mod", "edit", f"-replace={{module}}=./patched"], check=True)
    file = pathlib.Path(place) / "patched" / path.removeprefix(module + "/")
text = file.read_text()
assert text.count(old) == 1, "expected once: " + old
file.write_text(text.replace(old, new))
"""


@dataclasses.dataclass
class Defect:
    name: str
    consumer: str
    layer: str
    file: str
    old: str
    new: str
    case: str = RESET

    @property
    def place(self) -> str:
        """The folder with the code; some have none of their own."""
        shared = {"kube-informer": "kube-storage", "kube-apiserver-pair": "kube"}
        return shared.get(self.consumer, self.consumer)


DEFECTS = [
    Defect(
        "client-resumes-one-too-high",
        "etcd-go",
        "client",
        f"{CLIENTV3}/watch.go",
        "ws.initReq.rev = nextRev\n",
        "ws.initReq.rev = nextRev + 1\n",
    ),
    Defect(
        "client-resumes-one-too-low",
        "etcd-go",
        "client",
        f"{CLIENTV3}/watch.go",
        "nextRev = wr.Events[len(wr.Events)-1].Kv.ModRevision + 1",
        "nextRev = wr.Events[len(wr.Events)-1].Kv.ModRevision",
    ),
    Defect(
        "client-drops-the-first-event-of-many",
        "etcd-go",
        "client",
        f"{CLIENTV3}/watch.go",
        "Events:          pbresp.Events,",
        "Events:          pbresp.Events[min(1, len(pbresp.Events)/2):],",
    ),
    Defect(
        "list-is-skipped-after-an-error",
        "etcd-go",
        "client",
        "main.go",
        "\tc.layer.Replace(keys, revision)\n",
        "\tif c.layer.Claimed() == 0 {\n\t\tc.layer.Replace(keys, revision)\n\t}\n",
        AWAY,
    ),
    Defect(
        "etcd3-watches-one-too-high",
        "kube-storage",
        "etcd3",
        f"{STORAGE}/etcd3/watcher.go",
        "clientv3.WithRev(wc.initialRev + 1), clientv3.WithPrevKV()",
        "clientv3.WithRev(wc.initialRev + 2), clientv3.WithPrevKV()",
    ),
    Defect(
        "etcd3-events-of-the-past",
        "kube-storage",
        "etcd3",
        f"{STORAGE}/etcd3/event.go",
        "rev:        e.Kv.ModRevision,",
        "rev:        e.Kv.ModRevision - 1,",
    ),
    Defect(
        "cache-keeps-what-was-deleted",
        "kube-storage",
        "cache",
        f"{STORAGE}/cacher/watch_cache.go",
        "if err := w.storage.UpdateStoreLocked(event.Type, elem, resourceVersion); err != nil {",
        "if event.Type == watch.Deleted {\n\t\t\treturn nil\n\t\t}\n"
        "\t\tif err := w.storage.UpdateStoreLocked(event.Type, elem, resourceVersion); "
        "err != nil {",
    ),
    Defect(
        "cache-skips-the-relist",
        "kube-storage",
        "cache",
        f"{STORAGE}/cacher/watch_cache.go",
        "\tif err := w.storage.ReplaceLocked(toReplace, resourceVersion, version); err != nil {",
        "\tif w.resourceVersion > 0 {\n\t\ttoReplace = nil\n"
        "\t} else if err := w.storage.ReplaceLocked(toReplace, resourceVersion, version); "
        "err != nil {",
        AWAY,
    ),
    Defect(
        "cache-passes-no-deletion-on",
        "kube-storage",
        "reader",
        f"{STORAGE}/cacher/cacher.go",
        "\t\t\tif event.Type != watch.Bookmark {\n\t\t\t\tc.dispatchEvent(&event)",
        "\t\t\tif event.Type != watch.Bookmark && event.Type != watch.Deleted {\n"
        "\t\t\t\tc.dispatchEvent(&event)",
    ),
    Defect(
        "reader-loses-a-deletion",
        "kube-storage",
        "reader",
        "main.go",
        "\tfor event := range events.ResultChan() {\n",
        "\tfor event := range events.ResultChan() {\n"
        "\t\tif event.Type == watch.Deleted {\n\t\t\tcontinue\n\t\t}\n",
    ),
    Defect(
        "queue-loses-a-deletion",
        "kube-informer",
        "informer",
        f"{CLIENT_GO}/tools/cache/the_real_fifo.go",
        "\tretErr := f.addToItems_locked(Deleted, false, obj)\n",
        "\tvar retErr error\n",
    ),
    Defect(
        "handler-gets-no-tombstone",
        "kube-informer",
        "handler",
        f"{CLIENT_GO}/tools/cache/shared_informer.go",
        "func (s *sharedIndexInformer) OnDelete(old interface{}) {\n",
        "func (s *sharedIndexInformer) OnDelete(old interface{}) {\n"
        "\tif _, unknown := old.(DeletedFinalStateUnknown); unknown {\n\t\treturn\n\t}\n",
        BETWEEN_LISTS,
    ),
    Defect(
        "informer-goes-on-at-any-revision",
        "kube-apiserver-pair",
        "reflector",
        "informer.go",
        "\tbelow, err := i.source.Opens(options)\n",
        '\tif !InitialEvents(options) {\n\t\toptions.ResourceVersion = "0"\n\t}\n'
        "\tbelow, err := i.source.Opens(options)\n",
        HOP,
    ),
    Defect(
        "node-client-forgets-where-it-was",
        "etcd-node",
        "client",
        ETCD3,
        "            this.updateRevision(changes);\n        });",
        "        });",
    ),
]


def copy_of(defect: Defect, folder: pathlib.Path) -> pathlib.Path:
    """The folder of the consumer, with the defect in its build."""
    shutil.copytree(CONSUMERS, folder / "consumers")
    consumer = folder / "consumers" / defect.consumer
    module = next(
        (one for one in (CLIENTV3, APISERVER, CLIENT_GO) if defect.file.startswith(one)), None
    )
    values = (f"../{defect.place}", module, defect.file, defect.old, defect.new)
    (consumer / "plant.py").write_text(PLANT.format(values=values))
    recipe = consumer / "consumer.toml"
    text = recipe.read_text()
    build = tomllib.loads(text)["build"]
    # What npm installs is there after its build.
    build.insert(len(build) if defect.file == ETCD3 else 0, "python3 plant.py")
    recipe.write_text(re.sub(r"(?m)^build = .*$", lambda _: f"build = {json.dumps(build)}", text))
    return consumer


def run(defect: Defect, watchproof: pathlib.Path, folder: pathlib.Path) -> str:
    """What is wrong; empty: it was found in the right layer."""
    runs = folder / "runs"
    done = called(
        [
            watchproof,
            "run",
            "--consumer",
            f"folder:{copy_of(defect, folder)}",
            "--target",
            "embedded",
            "--filter",
            defect.case,
            "--run-dir",
            runs,
        ],
        env=os.environ | {"WATCHPROOF_CACHE": str(folder / "cache")},
    )
    results = results_of(runs / "latest")
    if len(results) != 2:
        return f"no results: {done.stdout[-2000:]} {done.stderr[-2000:]}"
    store, consumer = results
    if store.verdict not in ("pass", "inconclusive"):
        return f"the store {store.verdict}: {store.reason} {store.findings}"
    if consumer.verdict != "fail":
        return f"the consumer {consumer.verdict}: {consumer.reason}"
    blamed = consumer.findings[0]
    print(
        f"{defect.name}: {blamed.guarantee} in {blamed.watch}; expected "
        f"{blamed.expected}, observed {blamed.observed}"
    )
    if not re.match(f"{defect.layer} of .*: the lowest layer that is wrong", blamed.watch):
        return f"expected layer {defect.layer}"
    return ""


def main() -> int:
    options = job.parser(__doc__)
    options.add_argument("--defect", action="append", choices=[one.name for one in DEFECTS])
    wanted = options.parse_args().defect
    job.needs("go", "npm")
    watchproof = job.build("watchproof") / "watchproof"
    missed = 0
    for defect in DEFECTS:
        if wanted and defect.name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as folder:
            wrong = run(defect, watchproof, pathlib.Path(folder))
        if wrong:
            print(f"{defect.name}: MISSED: {wrong}")
            missed += 1
        sys.stdout.flush()
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
