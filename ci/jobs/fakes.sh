#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the whole suite on every dishonest server of ci/fakes: each must fail, and no attempt may
# pass in which the server broke something. Prints one table; exit code 0 when both hold.
#
#   ci/jobs/fakes.sh [--behaviour NAME ...] [-- FLAGS OF watchproof run]
#
# RUNS=FOLDER keeps the runs and the logs of what was broken. Takes a few minutes per server.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

"$root/ci/jobs/setup.sh"
"$root/ci/jobs/build.sh" watchproof dishonest_server >&2

bin=$root/build/release
exec python3 -B "$root/ci/jobs/fakes.py" "$bin/watchproof" "$bin/dishonest_server" \
  ${RUNS:+--folder "$RUNS"} "$@" </dev/null
