#!/usr/bin/env bash
# usage: bash .ci/postgres.sh DIR PORT|--unpack
# Unpacks PostgreSQL with pgvector from Debian into DIR, which may exist already, starts it on PORT of 127.0.0.1 and
# prints its URL; with --unpack it ends before that. Installs nothing and needs no root; needs a Debian with apt-get and a configured mirror.
# Stop it with: kill "$(head -n 1 DIR/data/postmaster.pid)"
set -euo pipefail
source "$(dirname "$0")/debian.sh"

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
  unpack_debian "$dir" "$suite" "postgresql-$version-pgvector" "$not_needed"
  wrap_programs "$dir" "$bin"
}

[[ -x $bin/postgres ]] || unpack
[[ $port != --unpack ]] || exit 0
mkdir -p "$data"
# PostgreSQL refuses to run as root.
if [[ $(id -u) == 0 ]]; then chown nobody "$data"; fi
[[ -f $data/PG_VERSION ]] || as_nobody "$bin/initdb" -D "$data" -U postgres -A trust --no-locale -E UTF8 --no-sync >/dev/null
as_nobody "$bin/pg_ctl" -D "$data" -w -s -l "$data/log" \
  -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=''" start >/dev/null
echo "postgres://postgres@127.0.0.1:$port/postgres"
