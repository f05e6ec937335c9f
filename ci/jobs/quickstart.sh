#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh Debian 12 machine to the first findings: installs, builds the command, fetches the
# releases of the manifest, shows a first verdict, and runs the quick cases against the embedded
# store and all of them; where Go is installed, also against the newest 3.6 and 3.7, built from
# their modules. A release that cannot be fetched is a column "not fetched". The last lines name the
# page. Arguments are handed to `watchproof run`, for example --target etcd:/path/to/etcd, or
# --profile full for every case.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

"$root/ci/jobs/setup.sh"
"$root/ci/jobs/build.sh" watchproof >&2

watchproof=$root/build/release/watchproof
# Some seconds to the first verdict; the run below has this case again, and sets the exit code.
"$watchproof" run --target "etcd:$(command -v etcd)" --filter CompactionSurfaced.FullQueue \
  --seed 0x51e9c2 --verbose </dev/null || true
targets=(--target embedded --releases all)
if ! "$watchproof" fetch etcd 3.3.25 3.4.23 3.5.16 3.5.30 </dev/null >&2; then
  echo "quickstart: not everything could be fetched; going on with what is there" >&2
  # Debian's own etcd was installed above, so there is always a real one to ask.
  targets+=(--target "etcd:$(command -v etcd)")
fi
if command -v go >/dev/null; then
  mapfile -t newest < <("$watchproof" fetch --list </dev/null |
    awk 'match($2, /^3\.[67]\.[0-9]+$/) { newest[substr($2, 1, 3)] = $2 }
         END { for (branch in newest) print newest[branch] }')
  for version in "${newest[@]}"; do
    if "$watchproof" fetch etcd "$version" </dev/null >&2; then
      targets+=(--target "etcd@$version")
    fi
  done
fi
profile=(--profile quick)
for argument in "$@"; do
  if [[ $argument == --profile* ]]; then profile=(); fi
done
exec "$watchproof" run "${profile[@]}" "${targets[@]}" "$@" </dev/null
