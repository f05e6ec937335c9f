#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the files of a release on Debian 12: the command as one file, which needs libc and libm
# alone, the Debian package, an image of a container where that is asked for, and their checksums.
# release.sh [--image] [FOLDER]     default: build/package/release
#   --image                  as ci/images/Containerfile describes it, in an archive for podman load
#                            and docker load; needs Debian 12 as an image, here or in a registry
#   WATCHPROOF_SIGNING_KEY   the checksums are signed with this key of GnuPG
# Published under v<version>/ below the address in ci/packages/published, they are what
# ci/jobs/quickstart.sh begins with.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$root/build/package
packages=(python3)
if [[ ${1:-} == --image ]]; then
  image=yes
  packages+=(buildah)
  shift
fi
folder=$(realpath -m "${1:-$build/release}")

"$root/ci/jobs/setup.sh" --command "${packages[@]}"
cd "$root" # presets are looked up in the working directory
cmake --preset package </dev/null
cmake --build --preset package --parallel "$(nproc)" </dev/null

rm -rf "$folder"
mkdir -p "$folder"
version=$("$build/watchproof" --version | awk 'NR == 1 { print $2 }')
strip -o "$folder/watchproof" "$build/watchproof_static"
if [[ -n ${image:-} ]]; then
  # In place of what the recipe builds.
  made=$(mktemp -d)
  trap 'rm -rf "$made"' EXIT
  cp "$folder/watchproof" "$made/"
  mkdir "$made/sources"
  cp LICENSE "$made/sources/"
  buildah build --build-context "build=$made" --file ci/images/Containerfile \
    --tag "watchproof:$version" "$made"
  archive=$folder/watchproof-$version-image-$(dpkg --print-architecture).tar
  buildah push "watchproof:$version" "docker-archive:$archive:watchproof:$version"
  gzip "$archive"
fi
zstd --quiet --rm -19 "$folder/watchproof" \
  -o "$folder/watchproof-$version-linux-$(dpkg --print-architecture).zst"
(cd "$build" && cpack -G DEB -B "$folder/made" >/dev/null)
mv "$folder"/made/*.deb "$folder/"
rm -r "$folder/made"
(cd "$folder" && sha256sum -- *.* >SHA256SUMS)
if [[ -n ${WATCHPROOF_SIGNING_KEY:-} ]]; then
  gpg --batch --yes --local-user "$WATCHPROOF_SIGNING_KEY" --armor \
    --detach-sign "$folder/SHA256SUMS"
fi
ls -l "$folder"
