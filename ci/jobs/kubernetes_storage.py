#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kubernetes' own tests of its storage layer, on a store.

    ci/jobs/kubernetes_storage.py [--store embedded|etcd@VERSION|etcd:PATH] [--proxy]
        [--kubernetes VERSION] [--suite etcd3|cacher] [--run PATTERN]

Takes k8s.io/apiserver as it is published, puts `ci/kubernetes_storage/testserver` in the place of
the file that starts etcd for these tests, and runs `pkg/storage/etcd3` and `pkg/storage/cacher`:
each test on a server of its own. With --proxy each connection goes through `watchproof proxy`
without faults. Prints one line per test and compares the failures with
`ci/kubernetes_storage/known_failures.toml`, which gives the reason for each.

Exit code: 0 when exactly the known failures failed, 1 otherwise, 77 without go.
Takes less than 10 minutes on two cores. Needs go.
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import tomllib

import job

SUITES = ("etcd3", "cacher")
PACKAGE = "k8s.io/apiserver"
STORAGE = f"{PACKAGE}/pkg/storage"
HERE = job.JOBS.parent / "kubernetes_storage"
REPLACED = "pkg/storage/etcd3/testserver/test_server.go"
TEST_MINUTES = 8
RENAMED_FLAG = (3, 6)  # etcd's first release without "experimental" in front of it


def cache():
    own = os.environ.get("WATCHPROOF_CACHE")
    shared = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(own or os.path.join(shared, "watchproof"))


def go(*arguments, cwd, **how):
    return subprocess.run(["go", *arguments], cwd=cwd, text=True,
                          env=os.environ | {"GOWORK": "off", "GOFLAGS": "-mod=mod"}, **how)


def prepare(version):
    """A module in the cache that uses a copy of the apiserver's, with our way to start a server."""
    folder = cache() / "kubernetes-storage" / (version or "pinned")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("go.mod", "go.sum", "suites.go"):
        shutil.copy(HERE / name, folder)
    if version:
        go("get", f"{PACKAGE}@v{version}", cwd=folder, check=True)
        go("mod", "tidy", cwd=folder, check=True)
    listed = go("mod", "download", "-json", PACKAGE, cwd=folder, check=True, capture_output=True)
    module = json.loads(listed.stdout)
    shutil.copytree(module["Dir"], folder / "apiserver")
    replaced = folder / "apiserver" / REPLACED
    replaced.parent.chmod(0o755)
    replaced.unlink()
    shutil.copy(HERE / "testserver" / "server.go", replaced)
    go("mod", "edit", "-replace", f"{PACKAGE}={folder / 'apiserver'}", cwd=folder, check=True)
    return folder, module["Version"]


def variables(store, watchproof):
    """How the tests start a server, and the store's name and version."""
    if store == "embedded":
        return {"WATCHPROOF_STORE": "embedded", "WATCHPROOF_BINARY": str(watchproof)}, "embedded"
    if store.startswith("etcd@"):
        version = store.removeprefix("etcd@")
        subprocess.run([watchproof, "fetch", "etcd", version], check=True, stdout=sys.stderr)
        binary = cache() / "releases" / "etcd" / version / "etcd"
    elif store.startswith("etcd:"):
        binary = pathlib.Path(store.removeprefix("etcd:")).absolute()
    else:
        raise SystemExit(f"kubernetes_storage: --store {store}; expected embedded, etcd@VERSION or "
                         "etcd:PATH")
    if not os.access(binary, os.X_OK):
        raise SystemExit(f"kubernetes_storage: {binary} is no program")
    said = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout
    version = next(line.split(": ")[1] for line in said.splitlines() if "etcd Version" in line)
    renamed = tuple(map(int, version.split(".")[:2])) >= RENAMED_FLAG
    flag = f"--{'' if renamed else 'experimental-'}watch-progress-notify-interval"
    return {"WATCHPROOF_STORE": "etcd", "WATCHPROOF_BINARY": str(binary),
            "WATCHPROOF_PROGRESS_FLAG": flag}, f"etcd {version}"


def run(folder, suites, pattern, environment):
    """Yields (suite, test, outcome, seconds, output) of each test at its end, subtests included."""
    command = ["go", "test", "-json", "-vet=off", "-count=1", f"-timeout={TEST_MINUTES}m",
               *(["-run", pattern] if pattern else []), *(f"{STORAGE}/{s}" for s in suites)]
    # GOFLAGS: go.sum is complete, nothing is to be written.
    with subprocess.Popen(command, cwd=folder, text=True, stdout=subprocess.PIPE,
                          env=os.environ | environment | {"GOWORK": "off", "GOFLAGS": ""}) as tests:
        output = collections.defaultdict(list)
        for line in tests.stdout:
            event = json.loads(line)
            suite = event.get("Package", event.get("ImportPath", "")).rpartition("/")[2]
            key = (suite, event.get("Test", ""))
            if event["Action"] in ("output", "build-output"):
                output[key].append(event["Output"])
            elif event["Action"] in ("pass", "fail", "skip"):
                yield *key, event["Action"], event.get("Elapsed", 0), "".join(output.pop(key, []))


def known_failures(name):
    """The tests that fail on this store, each with the reason."""
    rows = tomllib.loads((HERE / "known_failures.toml").read_text()).get("known", [])
    return {row["test"]: row["reason"] for row in rows
            if any(name == store or name.startswith(store + ".") for store in row["stores"])}


def leaves(failed):
    """Of the failed tests those that failed by themselves, not because of a subtest."""
    return {test for test in failed if not any(other.startswith(test + "/") for other in failed)}


def report(name, ended, outputs):
    """Prints what became of the tests and returns whether it is what is known of the store."""
    known = known_failures(name)
    failed = leaves({test for test, outcome in ended.items() if outcome == "fail"})
    for test in sorted(failed):
        if test in known:
            print(f"known: {test}: {known[test]}")
        else:
            print(f"FAILED: {test}\n{outputs[test]}")
    stale = sorted(test for test in known if ended.get(test) == "pass")
    for test in stale:
        print(f"passes, although known_failures.toml lists it: {test}")
    for suite in sorted({test.partition(".")[0] for test in ended}):
        # Of the tests, as their authors count them, not of subtests.
        own = [outcome for test, outcome in ended.items()
               if test.startswith(suite + ".") and "/" not in test]
        print(f"{name}: {suite}: {own.count('pass')} of {len(own)} pass"
              + (f", {own.count('skip')} are skipped" if "skip" in own else ""))
    return failed <= known.keys() and not stale


def parse():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--store", default="embedded", metavar="embedded|etcd@VERSION|etcd:PATH")
    options.add_argument("--proxy", action="store_true", help="put watchproof's proxy in between")
    options.add_argument("--kubernetes", metavar="VERSION",
                         help="of k8s.io/apiserver (default: that of go.mod)")
    options.add_argument("--suite", choices=SUITES, action="append",
                         help="repeatable (default: both)")
    options.add_argument("--run", metavar="PATTERN", help="only these tests, as for go test")
    options.add_argument("--verbose", action="store_true", help="one line per subtest, too")
    return options.parse_args()


def main():
    options = parse()
    if not shutil.which("go"):
        print("kubernetes_storage: needs go", file=sys.stderr)
        return 77
    watchproof = job.build("watchproof") / "watchproof"
    environment, name = variables(options.store, watchproof)
    environment["WATCHPROOF_PROXY"] = str(watchproof) if options.proxy else ""
    folder, version = prepare(options.kubernetes)
    print(f"{PACKAGE} {version} on {name}{' through the proxy' if options.proxy else ''}")
    begun = time.monotonic()
    ended, outputs = {}, {}
    for suite, test, outcome, seconds, output in run(folder, options.suite or SUITES, options.run,
                                                     environment):
        if not test:
            # A package that fails without a test that does: it did not build, or ran out of time.
            failing = any(known.startswith(suite + ".") and one == "fail"
                          for known, one in ended.items())
            if outcome == "fail" and not failing:
                ended[f"{suite}.(all)"], outputs[f"{suite}.(all)"] = outcome, output
            continue
        ended[f"{suite}.{test}"], outputs[f"{suite}.{test}"] = outcome, output
        if options.verbose or "/" not in test:
            print(f"{outcome} {suite}.{test} {seconds:.1f} s", flush=True)
    if not ended:
        print("kubernetes_storage: no test was run", file=sys.stderr)
        return 1
    as_known = report(name, ended, outputs)
    print(f"took {time.monotonic() - begun:.0f} s")
    return 0 if as_known else 1


if __name__ == "__main__":
    sys.exit(main())
