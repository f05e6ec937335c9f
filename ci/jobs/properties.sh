#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Random operation sequences on the store and its leases against the naive model.
#
#   ci/jobs/properties.sh [SEQUENCES [SEED]]
#
# Default: 100,000 sequences, from a seed that is printed. A difference is shrunk and shown with the
# settings that repeat it; the exit code is then not 0.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
sequences=${1:-100000}
seed=${2:-$(date +%s)}

"$root/ci/jobs/setup.sh"
"$root/ci/jobs/build.sh" lease_property_test >&2

started=$SECONDS
RC_PARAMS="max_success=$sequences seed=$seed" \
  "$root/build/release/ci/differential/lease_property_test" </dev/null
echo "properties: $sequences sequences, seed $seed, $((SECONDS - started)) s"
