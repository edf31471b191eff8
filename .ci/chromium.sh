#!/usr/bin/env bash
# usage: bash .ci/chromium.sh DIR [--unpack]
# Prints the path of a Chromium: the one that is installed, else Debian's, which root installs and anybody else unpacks
# into DIR. The whole browser and not its headless shell, which has no microphone. Unpacking is all that it does,
# so --unpack changes nothing. Needs a Debian with apt-get and a configured mirror.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/debian.sh

dir=$(realpath -m "${1:?usage: chromium.sh DIR}")

if [[ -n ${PARLEY_BROWSER:-} && -x $PARLEY_BROWSER ]]; then
  echo "$PARLEY_BROWSER"
  exit
fi
if ! command -v chromium >/dev/null && [[ $(id -u) == 0 ]]; then
  {
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install chromium
  } >&2
fi
if command -v chromium; then exit; fi

# The suite of this machine, so that its C library fits; the other libraries lie beside the browser.
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
program=$dir/chromium
if [[ ! -x $program ]]; then
  mkdir -p "$dir"
  unpack_debian "$dir" "$suite" chromium '^libc6$|^libc-bin|perl|adduser|passwd|debconf|procps|systemd|-base$' >&2
  libraries=$(find "$dir/usr/lib" -maxdepth 1 -name '*-linux-gnu*' | head -n 1)
  printf '#!/bin/sh\nexport LD_LIBRARY_PATH=%s FONTCONFIG_PATH=%s\nexec %s "$@"\n' \
    "$libraries:$libraries/nss" "$dir/etc/fonts" "$dir/usr/lib/chromium/chromium" >"$program"
  chmod 755 "$program"
fi
echo "$program"
