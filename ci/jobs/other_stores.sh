#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds stores that are not etcd from their Go modules, each in a folder of its own in the cache,
# and runs every case on each, with the profile that lists its differences. Prints the failures of
# each, grouped by cause, the gravest first. They are findings about these stores and do not fail
# the job; a harness error, a store that does not start and a crash of watchproof do.
#
#   ci/jobs/other_stores.sh [FLAGS OF watchproof run]
#
# Takes a few minutes. Needs go.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${WATCHPROOF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/watchproof}/other-stores
runs=${WATCHPROOF_RUN_DIR:-$root/watchproof-runs}/other-stores

command -v go >/dev/null || { echo "other_stores: needs go" >&2; exit 77; }
if [[ -z ${WATCHPROOF_BUILT:-} ]]; then
  "$root/ci/jobs/setup.sh"
  "$root/ci/jobs/build.sh" watchproof >&2
fi
watchproof=$root/build/release/watchproof

# NAME PACKAGE VERSION: leaves $cache/NAME-VERSION. The module begins anew each time: with what is
# left of an attempt that was cut short it may lack checksums.
build() {
  local name=$1 package=$2 version=$3
  local binary=$cache/$name-$version
  if [[ -x $binary ]]; then return; fi
  rm -rf "$cache/build-$name"
  mkdir -p "$cache/build-$name"
  (
    cd "$cache/build-$name"
    export GOWORK=off
    go mod init "watchproof.local/$name"
    go get "$package@$version"
    go build -mod=mod -o "$binary.new" "$package"
    mv "$binary.new" "$binary"
  ) >&2
}

# PROFILE TEMPLATE
judge() {
  local profile=$1 template=$2 code=0
  shift 2
  printf '\n== %s\n' "$profile"
  "$watchproof" run --quiet --run-dir "$runs/$profile" --target "command:$template" \
    --target-profile "$profile" "$@" </dev/null || code=$?
  case $code in
    0 | 1 | 2)
      if grep -q '"verdict":"harness_error"' "$runs/$profile/latest/results.jsonl"; then
        echo "other_stores: an attempt on $profile ended with a harness error" >&2
        return 1
      fi
      ;;
    *)
      echo "other_stores: $profile ended with exit code $code; expected 0, 1 or 2" >&2
      return 1
      ;;
  esac
}

kine=v0.17.5
t4=v1.1.17
build kine github.com/k3s-io/kine $kine
build t4 github.com/t4db/t4/cmd/t4 $t4

# Progress would otherwise come later than any case waits for it, and a compaction would keep the
# latest 1000 revisions.
kine_flags=(--listen-address "{host}:{port}" --metrics-bind-address 0
  --endpoint "'sqlite://{data}/kine.db?_journal=WAL&cache=shared'"
  --watch-progress-notify-interval 200ms --datastore-poll-interval 100ms --compact-min-retain 0)
# Its metrics would otherwise take one port of all addresses, which only one of them gets.
t4_flags=(run --listen "{host}:{port}" --metrics-addr "{host}:{peer-port}" --data-dir "{data}")
bad=0
judge kine "'$cache/kine-$kine' ${kine_flags[*]}" "$@" || bad=1
judge t4 "'$cache/t4-$t4' ${t4_flags[*]}" "$@" || bad=1
exit $bad
