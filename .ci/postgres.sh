#!/usr/bin/env bash
# usage: bash .ci/postgres.sh DIR PORT
# Unpacks PostgreSQL with pgvector from Debian into DIR, which may exist already, starts it on PORT of 127.0.0.1 and
# prints its URL. Installs nothing and needs no root; needs a Debian with apt-get and a configured mirror.
# Stop it with: kill "$(head -n 1 DIR/data/postmaster.pid)"
set -euo pipefail

# Debian's unstable-most suite with a stable toolchain that carries this version together with pgvector.
suite=forky
version=18
dir=$(realpath -m "${1:?usage: postgres.sh DIR PORT}")
port=${2:?usage: postgres.sh DIR PORT}
bin=$dir/usr/lib/postgresql/$version/bin
data=$dir/data

# Packages of the system's own base, which PostgreSQL names as dependencies and does not need to run.
not_needed='perl|llvm|^libz3|adduser|passwd|^ucf|debconf|procps|^login|^locales|sysvinit|init-system|^openssl|ssl-cert'
not_needed+='|netbase|libsepol|libsemanage|postgresql-common|postgresql-client-common|readline-common|libc-bin'

unpack() {
  local apt=$dir/.apt mirror
  mkdir -p "$apt/etc" "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/debs"
  : >"$apt/status"
  # The machine's own mirror, at another suite.
  mirror=$(awk '/^URIs:/ { print $2; exit }' /etc/apt/sources.list.d/debian.sources)
  printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' \
    "$mirror" "$suite" >"$apt/etc/s.sources"
  local options=(
    -oDir::Etc::sourcelist=/dev/null -oDir::Etc::sourceparts="$apt/etc" -oDir::State::Lists="$apt/lists"
    -oDir::State::status="$apt/status" -oDir::Cache="$apt/cache" -oAPT::Sandbox::User="$(id -un)" -oDebug::NoLocking=1
  )
  apt-get "${options[@]}" -qq update
  local packages
  packages=$(apt-get "${options[@]}" -s --no-install-recommends install "postgresql-$version-pgvector" |
    awk '/^Inst/ { print $2 }' | grep -Ev "$not_needed")
  # shellcheck disable=SC2086 # one word per package
  (cd "$apt/debs" && apt-get "${options[@]}" -qq download $packages)
  for package in "$apt"/debs/*.deb; do dpkg -x "$package" "$dir"; done
  wrap_programs
  rm -rf "$apt"
}

# The programs were built for another C library than this machine's, so each is started with the one it came with.
wrap_programs() {
  local lib
  lib=$(dirname "$(find "$dir/usr/lib" -name 'ld-linux*.so.*' -path '*-linux-gnu*' | head -n 1)")
  local loader
  loader=$(find "$lib" -maxdepth 1 -name 'ld-linux*.so.*' | head -n 1)
  for program in "$bin"/*; do
    [[ $program == *.real ]] && continue
    mv "$program" "$program.real"
    printf '#!/bin/sh\nexec %s --library-path %s --argv0 %s %s "$@"\n' \
      "$loader" "$lib" "$program" "$program.real" >"$program"
    chmod 755 "$program"
  done
}

# PostgreSQL refuses to run as root.
as_owner() {
  if [[ $(id -u) == 0 ]]; then
    setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME=/tmp "$@"
  else
    "$@"
  fi
}

[[ -x $bin/postgres ]] || unpack
mkdir -p "$data"
if [[ $(id -u) == 0 ]]; then chown nobody "$data"; fi
[[ -f $data/PG_VERSION ]] || as_owner "$bin/initdb" -D "$data" -U postgres -A trust --no-locale -E UTF8 --no-sync >/dev/null
as_owner "$bin/pg_ctl" -D "$data" -w -s -l "$data/log" \
  -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=''" start >/dev/null
echo "postgres://postgres@127.0.0.1:$port/postgres"
