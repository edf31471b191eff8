#!/usr/bin/env bash
# usage: bash .ci/voice.sh DIR [--unpack]
# Prints a directory for PATH with Debian's espeak-ng, which speaks, and pocketsphinx, which understands English. Unpacks them
# into DIR and installs nothing, so --unpack changes nothing. Needs a Debian with apt-get and a configured mirror.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/debian.sh

dir=$(realpath -m "${1:?usage: voice.sh DIR}")

bin=$dir/bin
if [[ ! -d $bin ]]; then
  libraries=$(unpack_own "$dir" "espeak-ng pocketsphinx pocketsphinx-en-us")
  model=$dir/usr/share/pocketsphinx/model/en-us
  mkdir "$bin.unfinished"
  printf '#!/bin/sh\nexport LD_LIBRARY_PATH=%s ESPEAK_DATA_PATH=%s\nexec %s "$@"\n' \
    "$libraries:$libraries/pulseaudio:$libraries/blas:$libraries/lapack" "$(dirname "$(find "$dir/usr/lib" -name phontab)")" "$dir/usr/bin/espeak-ng" >"$bin.unfinished/espeak-ng"
  printf '#!/bin/sh\nexport LD_LIBRARY_PATH=%s\nexec %s -hmm %s -lm %s -dict %s "$@"\n' \
    "$libraries:$libraries/pulseaudio:$libraries/blas:$libraries/lapack" "$dir/usr/bin/pocketsphinx_continuous" "$model/en-us" "$model/en-us.lm.bin" "$model/cmudict-en-us.dict" \
    >"$bin.unfinished/pocketsphinx_continuous"
  chmod 755 "$bin.unfinished"/*
  mv "$bin.unfinished" "$bin"
fi
echo "$bin"
