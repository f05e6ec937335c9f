#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the packages for the build, the tests and the first run on Debian 12, and those named as
# arguments. Does nothing when all of them are installed. The first argument may be
#   --run:     only what the command needs that is there already, for its first run;
#   --command: only what the command needs, to be built (without tests, -DWATCHPROOF_TESTS=OFF) and
#              for its first run: a fifth of the packages;
#   --checks:  also what checks the Python, into a folder of its own in build/, so that nothing else
#              changes.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
what=tests
case ${1:-} in
  --run | --command | --checks)
    what=${1#--}
    shift
    ;;
esac

packages=(ca-certificates curl debian-archive-keyring etcd-client etcd-server zstd)
[[ $what == run ]] || packages+=(
  cmake g++ git
  libboost-filesystem1.81-dev libboost1.81-dev libcli11-dev libexpected-dev libfmt-dev
  libgrpc++-dev liblmdb-dev libnghttp2-dev libprotobuf-dev libprotozero-dev libsqlite3-dev
  libssl-dev libtomlplusplus-dev libxxhash-dev libzstd-dev ninja-build nlohmann-json3-dev
  pkg-config protobuf-compiler protobuf-compiler-grpc
)
if [[ $what == tests || $what == checks ]]; then
  packages+=(
    ccache clang-format libbenchmark-dev libgmock-dev libgtest-dev python3 python3-jinja2
    python3-jsonschema python3-markdown-it python3-pip python3-yaml
  )
  # For a client of the interop tests. Any Node.js will do; one that is there already is kept.
  command -v node >/dev/null || packages+=(nodejs)
  command -v npm >/dev/null || packages+=(npm)
fi
# It analyses which members need which lock.
[[ $what != checks ]] || packages+=(clang-16)
packages+=("$@")

fail() {
  echo "setup: $*" >&2
  exit 1
}

installed() {
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

for tool in dpkg-query apt-get; do
  command -v "$tool" >/dev/null || fail "$tool is needed; this script is for Debian 12"
done

# Without a registry in reach the check is skipped, like other tests that need one.
install_checks() {
  local wanted=$root/ci/checks/requirements.txt folder=$root/build/python-checks
  [[ $what == checks ]] || return 0
  cmp -s "$wanted" "$folder/installed.txt" && return 0
  rm -rf "$folder"
  if python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
    --only-binary :all: --target "$folder" -r "$wanted" </dev/null >&2; then
    cp "$wanted" "$folder/installed.txt"
  else
    rm -rf "$folder"
    echo "setup: pip could not install ci/checks/requirements.txt; style.python will be skipped" >&2
  fi
}

missing=()
for package in "${packages[@]}"; do
  installed "$package" || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  install_checks
  exit 0
fi

as_root=()
if [[ $EUID -ne 0 ]]; then
  command -v sudo >/dev/null || fail "missing ${missing[*]}; run as root, or install sudo"
  as_root=(sudo)
fi
# sudo clears the environment, hence env behind it. RUNLEVEL=1 keeps etcd's package from starting a
# server of its own where services are started by init scripts.
quiet=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1)
options=(-o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 -qq)

echo "setup: installing ${missing[*]}" >&2
for old in libboost1.74-dev libboost-dev; do
  if installed "$old"; then
    echo "setup: $old gives way to Boost 1.81, their headers cannot be installed together" >&2
    break
  fi
done

# The same where systemd starts the services: masked during the installation, afterwards present
# but not enabled.
hold_etcd=no
if [[ -d /run/systemd/system ]] && ! installed etcd-server; then
  hold_etcd=yes
  "${as_root[@]}" systemctl mask --quiet --runtime etcd.service
fi
release_etcd() {
  [[ $hold_etcd == yes ]] || return 0
  "${as_root[@]}" systemctl unmask --quiet --runtime etcd.service || true
  "${as_root[@]}" systemctl disable --quiet etcd.service || true
}
trap release_etcd EXIT

# A broken package source is not an error: what counts is whether the packages can be installed.
"${quiet[@]}" apt-get "${options[@]}" update </dev/null >&2 ||
  echo "setup: apt-get update reported errors, trying with the lists that are there" >&2
"${quiet[@]}" apt-get "${options[@]}" install -y --no-install-recommends "${missing[@]}" \
  </dev/null >&2 ||
  fail "apt-get could not install ${missing[*]}; this is for Debian 12 with a Debian mirror"
install_checks
