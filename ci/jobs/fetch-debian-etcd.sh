#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Fetches the etcd of another Debian suite, installs nothing, and prints the path of the binary:
#
#   fetch-debian-etcd.sh trixie /var/tmp/etcds   # /var/tmp/etcds/trixie/usr/bin/etcd
#
# The package comes from the mirror this machine already uses, through apt with lists of our own,
# and is checked against Debian's archive keys. A binary that was fetched before is kept.
set -euo pipefail

fail() {
  echo "fetch-debian-etcd: $*" >&2
  exit 1
}

[[ $# -eq 2 && $1 =~ ^[a-z]+$ && -n $2 ]] || {
  echo "usage: fetch-debian-etcd.sh SUITE DIR   (for example: trixie /var/tmp/etcds)" >&2
  exit 4
}
suite=$1
mkdir -p "$2" || fail "cannot create $2"
place=$(cd "$2" && pwd)/$suite
binary=$place/usr/bin/etcd
if [[ -x $binary ]]; then
  echo "$binary"
  exit 0
fi

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[[ -r $keyring ]] || fail "$keyring is missing; install debian-archive-keyring"
# shellcheck source=/dev/null
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/root"
: >"$work/status"
chmod 755 "$work" # apt downloads as a user of its own

private=(
  -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=-
  -o Dir::Etc::preferences=- -o Dir::Etc::preferencesparts=-
  -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/status"
  -o Dir::Cache="$work/cache"
  -o APT::Update::Error-Mode=any -o APT::Sandbox::User="$(id -un)"
  -o Acquire::Languages=none -o Acquire::Retries=3 -q
)

# Every source of this machine that offers its own suite. A third party's may be among them: it has
# no such package, or no signature by Debian, and the next one is tried.
mapfile -t mirrors < <(apt-get update --print-uris 2>/dev/null |
  sed -n "s|^'\(.*\)/dists/$codename/InRelease' .*|\1|p" | sort -u)
[[ ${#mirrors[@]} -gt 0 ]] || fail "apt has no source of $codename to take the mirror from"

for mirror in "${mirrors[@]}"; do
  echo "deb [signed-by=$keyring] $mirror $suite main" >"$work/sources.list"
  if apt-get "${private[@]}" update </dev/null >"$work/log" 2>&1 &&
    (cd "$work" && apt-get "${private[@]}" download etcd-server </dev/null >>log 2>&1); then
    dpkg -x "$work"/etcd-server_*.deb "$work/root" || fail "dpkg could not unpack $suite's package"
    [[ -x $work/root/usr/bin/etcd ]] || fail "the package of $suite has no usr/bin/etcd"
    rm -rf "$place"
    mv "$work/root" "$place"
    echo "$binary"
    exit 0
  fi
done
fail "no etcd-server for $suite: $(grep -m1 '^[EW]:' "$work/log" || tail -n1 "$work/log")"
