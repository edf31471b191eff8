#!/usr/bin/env bash
# usage: bash .ci/tesseract.sh DIR [--unpack]
# Prints a directory for PATH with Debian's tesseract, the languages in which the tests read scans, and the font in which
# they write Chinese. Unpacks them into DIR and installs nothing, so --unpack changes nothing. Needs a Debian with apt-get
# and a configured mirror.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/debian.sh

dir=$(realpath -m "${1:?usage: tesseract.sh DIR}")

program=$dir/tesseract
if [[ ! -x $program ]]; then
  packages="tesseract-ocr tesseract-ocr-eng tesseract-ocr-osd tesseract-ocr-deu tesseract-ocr-fra tesseract-ocr-ara tesseract-ocr-chi-sim fonts-droid-fallback"
  libraries=$(unpack_own "$dir" "$packages")
  data=$(dirname "$(find "$dir/usr/share/tesseract-ocr" -name eng.traineddata)")
  printf '#!/bin/sh\nexport LD_LIBRARY_PATH=%s TESSDATA_PREFIX=%s\nexec %s "$@"\n' \
    "$libraries" "$data" "$dir/usr/bin/tesseract" >"$program"
  chmod 755 "$program"
fi
echo "$dir"
