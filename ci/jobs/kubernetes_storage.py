#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kubernetes' own tests of its storage layer and its watch cache, on a store.

    ci/jobs/kubernetes_storage.py [--store embedded|etcd@VERSION|etcd:PATH] [--proxy]
        [--version VERSION] [--package etcd3|cacher] [--run PATTERN]

Takes k8s.io/apiserver as it is published, with `ci/kubernetes_storage/testserver` in the place of
the file that starts etcd for these tests. Each test has a server of its own; with --proxy it is
reached through `watchproof proxy` without faults. Prints one line per test, and compares the
failures with those that are known.

Exit code: 0 when exactly the known failures failed, 1 otherwise, 77 without go.
Takes less than 10 minutes on two cores. Needs go.
"""

import sys

import go_suite

MODULE = "k8s.io/apiserver"
SUITE = go_suite.Suite(
    name="kubernetes_storage",
    module=MODULE,
    packages={name: f"{MODULE}/pkg/storage/{name}" for name in ("etcd3", "cacher")},
    files={"testserver/server.go": "pkg/storage/etcd3/testserver/test_server.go"},
)

if __name__ == "__main__":
    sys.exit(go_suite.main(SUITE, __doc__))
