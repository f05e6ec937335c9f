#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds stores that are not etcd from their Go modules, each in a folder of its own in the cache,
# and runs every case on each, with the profile that lists its differences. Their failures are
# findings about these stores and do not fail the job; a harness error, a store that does not start
# and a crash of watchproof do. Takes half an hour. Arguments are handed to `watchproof run`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
watchproof=${WATCHPROOF:-$root/build/release/watchproof}
cache=${WATCHPROOF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/watchproof}/other-stores
runs=${WATCHPROOF_RUN_DIR:-$root/watchproof-runs}

command -v go >/dev/null || { echo "other_stores: needs go" >&2; exit 77; }
[ -x "$watchproof" ] || "$root/ci/jobs/build.sh" watchproof >&2

# NAME PACKAGE VERSION: leaves $cache/NAME-VERSION
build() {
  local name=$1 package=$2 version=$3
  local binary=$cache/$name-$version
  [ -x "$binary" ] && return
  mkdir -p "$cache/build-$name"
  (
    cd "$cache/build-$name"
    [ -f go.mod ] || go mod init "watchproof.local/$name" 2>/dev/null
    go get "$package@$version"
    go build -o "$binary.new" "$package"
    mv "$binary.new" "$binary"
  ) >&2
}

# PROFILE TEMPLATE
judge() {
  local profile=$1 template=$2 code=0
  shift 2
  "$watchproof" run --run-dir "$runs" --target "command:$template" --target-profile "$profile" \
    --jobs 2 "$@" </dev/null || code=$?
  python3 -B "$root/ci/jobs/causes.py" "$runs/latest"
  case $code in
    0 | 1 | 2) ;;
    *)
      echo "other_stores: $profile ended with exit code $code; expected 0, 1 or 2" >&2
      return 1
      ;;
  esac
}

kine=v0.17.5
t4=v1.1.17
good=0
build kine github.com/k3s-io/kine $kine
build t4 github.com/t4db/t4/cmd/t4 $t4
kine_flags=(--listen-address {host}:{port}
  --endpoint "sqlite://{data}/kine.db?_journal=WAL&cache=shared" --metrics-bind-address 0
  --watch-progress-notify-interval 200ms --datastore-poll-interval 100ms --compact-min-retain 0)
judge kine "$cache/kine-$kine ${kine_flags[*]}" "$@" || good=1
judge t4 "$cache/t4-$t4 run --data-dir {data} --listen {host}:{port}" "$@" || good=1
exit $good
