#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""etcd's own common tests of its API, which its release tests run in two ways, on a store.

    ci/jobs/etcd_common.py [--store embedded|etcd@VERSION|etcd:PATH] [--proxy]
        [--version VERSION] [--run PATTERN]

Takes go.etcd.io/etcd/tests as it is published, with a third way to start a server: one process,
whatever the size of the cluster that a test asks for. The rest is as in kubernetes_storage.py.

Exit code: 0 when exactly the known failures failed, 1 otherwise, 77 without go. Needs go.
"""

import sys

import go_suite

MODULE = "go.etcd.io/etcd/tests/v3"
SUITE = go_suite.Suite(
    name="etcd_common",
    module=MODULE,
    packages={"common": f"{MODULE}/common"},
    files={
        "common/runner_test.go": "common/runner_test.go",
        "integration/client.go": "framework/integration/watchproof_client.go",
    },
    removed=("common/unit_test.go",),
)

if __name__ == "__main__":
    sys.exit(go_suite.main(SUITE, __doc__))
