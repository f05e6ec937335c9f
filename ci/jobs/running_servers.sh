#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the whole suite against servers that are already running. Each named etcd is started here and
# used as an endpoint: plainly, while it compacts itself every two seconds, over TLS with client
# certificates, as a user, and through etcd's gateway. Compaction is allowed; the order is random.
#
#   ci/jobs/running_servers.sh [--seeds 4] [--ways plain,compacted,tls,user,gateway]
#                              [--filter CASES] [--runs FOLDER] ETCD...
#
# ETCD are binaries. A line for each run and a table at the end; exit code 0 when nothing failed
# that the manifest of releases does not expect, and nothing ended in a harness error.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

if [[ -z ${WATCHPROOF_BUILT:-} ]]; then
  "$root/ci/jobs/setup.sh"
  "$root/ci/jobs/build.sh" watchproof make_certs >&2
fi
exec python3 -B "$root/ci/jobs/running_servers.py" --build "$root/build/release" "$@"
