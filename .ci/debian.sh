# Source this in Bash: unpacks programs of another suite of Debian into a directory of their own. Installs nothing and
# needs no root; needs a Debian with apt-get and a configured mirror.

# unpack_debian DIR SUITE PACKAGES NOT_NEEDED: the packages, by names with spaces between, and all they depend on, but for
# names that match NOT_NEEDED, an extended regular expression.
unpack_debian() {
  local dir=$1 suite=$2 packages=$3 not_needed=$4
  local apt=$dir/.apt mirror package
  mkdir -p "$apt/etc" "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/debs"
  : >"$apt/status"
  # The machine's own mirror, at another suite.
  mirror=$(awk '/^URIs:/ { print $2; exit }' /etc/apt/sources.list.d/debian.sources)
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' \
    "$mirror" "$suite" >"$apt/etc/s.sources"
  # A mirror may be a copy that is kept as it was, which signatures hold for and dates do not.
  local options=(
    -oDir::Etc::sourcelist=/dev/null -oDir::Etc::sourceparts="$apt/etc" -oDir::State::Lists="$apt/lists"
    -oDir::State::status="$apt/status" -oDir::Cache="$apt/cache" -oAPT::Sandbox::User="$(id -un)" -oDebug::NoLocking=1
    -oAcquire::Check-Valid-Until=false
  )
  if ! apt-get "${options[@]}" -qq -oAPT::Update::Error-Mode=any update; then
    echo "Debian's mirror $mirror does not offer $suite, so there is no $packages." >&2
    return 1
  fi
  # shellcheck disable=SC2086 # one word per package
  packages=$(apt-get "${options[@]}" -s --no-install-recommends install $packages |
    awk '/^Inst/ { print $2 }' | grep -Ev "$not_needed")
  # shellcheck disable=SC2086 # one word per package
  (cd "$apt/debs" && apt-get "${options[@]}" -qq download $packages)
  for package in "$apt"/debs/*.deb; do dpkg -x "$package" "$dir"; done
  rm -rf "$apt"
}

# unpack_own DIR PACKAGES: as above, of the suite of this machine, so that its C library fits. Prints the directory of the
# other libraries, which lie beside the programs.
unpack_own() {
  mkdir -p "$1"
  unpack_debian "$1" "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$2" \
    '^libc6$|^libc-bin|perl|adduser|passwd|debconf|procps|systemd|-base$' >&2 || return
  find "$1/usr/lib" -maxdepth 1 -name '*-linux-gnu*' | head -n 1
}

# wrap_programs DIR BIN: the programs in BIN were built for another C library than this machine's, so each is started
# with the one that was unpacked into DIR.
wrap_programs() {
  local dir=$1 bin=$2 lib loader program
  lib=$(dirname "$(find "$dir/usr/lib" -name 'ld-linux*.so.*' -path '*-linux-gnu*' | head -n 1)")
  loader=$(find "$lib" -maxdepth 1 -name 'ld-linux*.so.*' | head -n 1)
  for program in "$bin"/*; do
    # Other names of a program lead to what starts it, which tells it by which it was called.
    [[ $program == *.real || -L $program ]] && continue
    mv "$program" "$program.real"
    printf '#!/bin/sh\nexec %s --library-path %s --argv0 "$0" %s "$@"\n' "$loader" "$lib" "$program.real" >"$program"
    chmod 755 "$program"
  done
}

# as_nobody COMMAND…: what refuses to run as root, or shows that it needs none.
as_nobody() {
  if [[ $(id -u) == 0 ]]; then
    setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME=/tmp "$@"
  else
    "$@"
  fi
}
