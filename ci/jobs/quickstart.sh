#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh Debian 12 machine to the first findings: installs, downloads the released command or
# builds it where none is published (WATCHPROOF_PUBLISHED: another address than the one in
# ci/packages/published; empty: build), shows a first catch, fetches the releases of the manifest,
# and runs the quick cases against the embedded store and all of them; where Go is installed, also
# against the newest 3.6 and 3.7, built from their modules. A release that cannot be fetched is a
# column "not fetched". Output of apt and of the build goes to build/quickstart.log. Arguments are
# handed to `watchproof run`, for example --target etcd:/path/to/etcd, or --profile full for every
# case.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
log=$root/build/quickstart.log
mkdir -p "$root/build"
: >"$log"

say() { echo "quickstart: $*" >&2; }

# What runs in the background does not get an interrupt from the terminal.
job=
trap '[[ -z $job ]] || kill "$job" 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# WHAT COMMAND...: its output goes to the log, behind one line that says how far it is.
behind() {
  local what=$1 began=$SECONDS status=0 count
  shift
  [[ -t 2 ]] || say "$what"
  "$@" </dev/null >>"$log" 2>&1 &
  job=$!
  while kill -0 "$job" 2>/dev/null; do
    # The newest "[12/345]" of the build, if there is one.
    count=$(tail -c 2000 "$log" | tr '\r' '\n' | grep -o '^\[[0-9]*/[0-9]*\]' | tail -n 1 || true)
    [[ ! -t 2 ]] ||
      printf '\rquickstart: %s %s %d s \033[K' "$what" "$count" $((SECONDS - began)) >&2
    sleep 1
  done
  wait "$job" || status=$?
  job=
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
  if [[ $status -ne 0 ]]; then
    say "$what failed; the last lines of $log:"
    tail -n 15 "$log" >&2
    return "$status"
  fi
  say "$what: $((SECONDS - began)) s"
}

# FOLDER: into it, where its checksum is right.
download() {
  local file
  file=watchproof-$version-linux-$(dpkg --print-architecture).zst
  mkdir -p "$1" && cd "$1" &&
    curl --fail --silent --show-error --location --remote-name-all \
      "$published/v$version/$file" "$published/v$version/SHA256SUMS" &&
    grep -F "$file" SHA256SUMS | sha256sum --check &&
    unzstd --quiet --force "$file" -o watchproof &&
    chmod +x watchproof
}

published=${WATCHPROOF_PUBLISHED-$(grep -v '^#' "$root/ci/packages/published" | tail -n 1 || true)}
version=$(sed -n 's/^project(watchproof VERSION \([^ ]*\).*/\1/p' "$root/CMakeLists.txt")
watchproof=
if [[ -n $published ]]; then
  say "about 4 minutes on two cores without anything installed: packages 1, releases 1," \
    "the cases 2; details in $log"
  behind "installing packages" "$root/ci/jobs/setup.sh" --run
  if behind "downloading watchproof $version" download "$root/build/released"; then
    watchproof=$root/build/released/watchproof
  fi
fi
if [[ -z $watchproof ]]; then
  say "about 10 minutes on two cores without anything installed: packages 1, build 6, releases 1," \
    "the cases 2; details in $log"
  behind "installing packages" "$root/ci/jobs/setup.sh" --command
  behind "building" "$root/ci/jobs/build.sh" -DWATCHPROOF_TESTS=OFF watchproof
  watchproof=$root/build/release/watchproof
fi

first=$root/build/quickstart-runs
# Some seconds to the first verdict; the run below has this case again, and sets the exit code.
"$watchproof" run --target "etcd:$(command -v etcd)" --filter CompactionSurfaced.FullQueue \
  --seed 0x51e9c2 --verbose --run-dir "$first" </dev/null || true
if grep -qs '"#17529"' "$first/latest/results.jsonl"; then
  say "a first catch: Debian's etcd lost ErrCompacted (#17529; watchproof explain 17529)"
fi

targets=(--target embedded --releases all)
if ! behind "fetching releases of etcd" "$watchproof" fetch etcd 3.3.25 3.4.23 3.5.16 3.5.30; then
  say "not everything could be fetched; going on with what is there"
  # Debian's own etcd was installed above, so there is always a real one to ask.
  targets+=(--target "etcd:$(command -v etcd)")
fi
if command -v go >/dev/null; then
  mapfile -t newest < <("$watchproof" fetch --list </dev/null |
    awk 'match($2, /^3\.[67]\.[0-9]+$/) { newest[substr($2, 1, 3)] = $2 }
         END { for (branch in newest) print newest[branch] }')
  for version in "${newest[@]}"; do
    if behind "building etcd $version from its module" "$watchproof" fetch etcd "$version"; then
      targets+=(--target "etcd@$version")
    fi
  done
fi
profile=(--profile quick)
for argument in "$@"; do
  if [[ $argument == --profile* ]]; then profile=(); fi
done
status=0
"$watchproof" run "${profile[@]}" "${targets[@]}" "$@" </dev/null || status=$?
say "next, your own server (keys under watchproof/ only):" \
  "${watchproof#"$PWD/"} run --target endpoint:HOST:2379"
say "what is known of your release: ${watchproof#"$PWD/"} bugs VERSION"
exit "$status"
