#!/usr/bin/env bash
# Makes the Debian packages (script/package), installs them by apt in a minimal system of the same release that debootstrap
# makes, and simulates a flag there. Takes a minute or two. Exit status 77 where that cannot be tried: without root, without
# debootstrap (script/setup --package installs it), or where it cannot fetch a system.
set -u
cd "$(dirname "$0")/../.." || exit 1
source=$PWD
folder=$(mktemp -d) || exit 1
system=$folder/system
trap 'rm -rf --one-file-system "$folder"' EXIT

skip() {
  echo "skipped: $1"
  exit 77
}

fail() {
  echo "FAILED: $1"
  tail -20 "$folder/said"
  exit 1
}

within() { chroot "$system" env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@" >"$folder/said" 2>&1 </dev/null; }

[ "$(id -u)" -eq 0 ] || skip "only root can make a system to install in"
command -v debootstrap dpkg-shlibdeps >/dev/null || skip "no debootstrap"
script/package >"$folder/said" 2>&1 || fail "script/package"

# The release that the packages were built on, from where this machine gets its own packages. What debootstrap has fetched is
# kept in the build folder.
# shellcheck disable=SC1091
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' | awk -v release="$release" '$1 == release { print $2; exit }')
mkdir -p build-package/cache
debootstrap --variant=minbase --cache-dir="$source/build-package/cache" "$release" "$system" "$mirror" \
  >"$folder/said" 2>&1 || { tail -3 "$folder/said" && skip "debootstrap could not make a system of $release from $mirror"; }
cp /etc/resolv.conf "$system/etc/resolv.conf"
cp /etc/apt/apt.conf.d/*proxy* "$system/etc/apt/apt.conf.d/" 2>/dev/null
echo force-unsafe-io >"$system/etc/dpkg/dpkg.cfg.d/unsafe-io" # it is thrown away
cp -r build-package/packages "$system/packages"

within apt-get update -q -o Acquire::Retries=3 || fail "apt-get update"
within sh -c 'apt-get install -y -q --no-install-recommends -o Acquire::Retries=3 /packages/*.deb' ||
  fail "the packages do not install"
within muslin run flag --vertices 400 --frames 2 -o /root/flag || fail "muslin run flag"
within muslin check /root/flag || fail "muslin check"
within test -s /root/flag/flag.pc2 -a -f /usr/include/muslin/muslin.h -a -f /usr/share/doc/muslin/copyright ||
  fail "a file is missing"
within sh -c 'ldd /usr/lib/*/libmuslin.so' || fail "libmuslin.so is not there"
! grep 'not found' "$folder/said" || fail "libmuslin.so misses libraries"
within apt-get remove -y -q muslin libmuslin-dev 'libmuslin0*' || fail "the packages cannot be removed"
! within test -e /usr/include/muslin || fail "removing leaves files"
echo "installed, run and removed on $release"
