#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the site: contract, bugs, findings, releases case by case, Kubernetes, manual, and a search.
# Plain files that open from disk and are served by any host. Debian 12, as root or with sudo.
#
#   ci/jobs/site.sh [--output FOLDER] [--run RUN]... [--repository URL] [TARGET]...
#
# --output      default: build/site
# --run         the folder of a run, any number of them; several targets in one are several columns
# --run none    without runs: pages say which command makes them
# TARGET        without --run: these are fetched and run with the quick profile, a minute each;
#               default: releases of etcd, kine and t4
# --repository  where its sources are, for links to what is no page
#
# WATCHPROOF: the command, if it is there already; otherwise it is built. Needs npm and its registry
# for the search; go for releases that are built from their modules.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
output=$root/build/site
runs=()
targets=()
flags=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --output) output=$2 && shift ;;
    --run) runs+=("$2") && shift ;;
    --repository) flags+=(--repository "$2") && shift ;;
    -*)
      sed -n '3,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
      exit 4
      ;;
    *) targets+=("$1") ;;
  esac
  shift
done

packages=(python3-jinja2 python3-markdown-it)
command -v npm >/dev/null || packages+=(npm)
watchproof=${WATCHPROOF:-$root/build/release/watchproof}
if [[ -z ${WATCHPROOF:-} ]]; then
  "$root/ci/jobs/setup.sh" --command "${packages[@]}"
  "$root/ci/jobs/build.sh" -DWATCHPROOF_TESTS=OFF watchproof >&2
else
  "$root/ci/jobs/setup.sh" --run "${packages[@]}"
fi

if [[ ${#runs[@]} -eq 0 ]]; then
  [[ ${#targets[@]} -gt 0 ]] ||
    targets=(etcd@3.3.25 etcd@3.4.23 etcd@3.5.16 etcd@3.5.30 etcd@3.5.35 etcd@3.6.16 etcd@3.7.3
      kine@0.17.5 t4@1.1.17)
  asked=()
  for target in "${targets[@]}"; do
    release=${target%%,*}
    # One that cannot be had here is no column.
    if [[ $release != *@* ]] ||
      "$watchproof" fetch "${release%@*}" "${release#*@}" </dev/null >/dev/null; then
      asked+=(--target "$target")
    fi
  done
  folder=$root/build/site-runs
  status=0
  "$watchproof" run --profile quick --quiet --run-dir "$folder" "${asked[@]}" </dev/null ||
    status=$?
  # Failures are what the site is about; anything else than those is not.
  [[ $status -le 3 || $status -eq 6 ]] || exit "$status"
  runs=("$folder/latest")
fi
for run in "${runs[@]}"; do
  [[ $run == none ]] || flags+=(--run "$run")
done
# Debian's Python has Debian's packages.
exec /usr/bin/python3 -B "$root/ci/site/generate.py" --watchproof "$watchproof" \
  --output "$output" "${flags[@]}"
