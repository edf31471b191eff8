#!/usr/bin/env bash
# usage: bash .ci/nix.sh DIR POSTGRES|--unpack
# Whether the flake holds, with a real Nix, which is unpacked from Debian into DIR; with --unpack that is all. Everything
# that the flake offers is evaluated for every system; for this one, the server, the quickstart, some checks and the
# systemd units of the NixOS module are built, and the development shell is opened on the PostgreSQL that postgres.sh has
# unpacked into POSTGRES. Nixpkgs cannot be had everywhere, so `nixpkgs/` stands in for it. Needs no root and no /nix;
# needs Debian's mirror and npm.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/debian.sh

# The suite of Debian that has Nix.
suite=sid
dir=$(realpath -m "${1:?usage: nix.sh DIR POSTGRES}")
postgres=$(realpath -m -- "${2:?usage: nix.sh DIR POSTGRES}")
bin=$dir/usr/bin
source=$dir/source

# Packages that Nix names as dependencies and does not need to run.
not_needed='perl|adduser|passwd|debconf|^libpam|^login|debianutils|systemd|audit|^libdb5|libsemanage|libsepol'
not_needed+='|readline-common|^curl$|^libcurl4t64|libgdbm|bash-static|^bzip2|^xz-utils|-base$|gconv|openssl-provider'

fail() { echo "$1" >&2 && exit 1; }
step() { printf -- '\n--- %s\n' "$*"; }

unpack() {
  mkdir -p "$dir"
  unpack_debian "$dir" "$suite" nix-bin "$not_needed"
  wrap_programs "$dir" "$bin"
  unpack_debian "$dir/systemd" "$suite" systemd "${not_needed/systemd|/}|^libc-bin|dbus|^mount\$"
  mkdir "$dir/systemd/bin"
  mv "$dir"/systemd/usr/bin/systemd-analyze "$dir/systemd/bin"
  for library in "$dir"/systemd/usr/lib/*-linux-gnu/systemd/*.so; do ln -s "$library" "${library%/systemd/*}/"; done
  wrap_programs "$dir/systemd" "$dir/systemd/bin"
}

# All that Nix keeps is in DIR. It builds in its sandbox, in which it shows this machine's programs, where there are user
# namespaces, and without one elsewhere.
nix() {
  as_nobody env NO_COLOR=1 HOME="$dir/home" TMPDIR="$dir/tmp" NIX_STORE_DIR="$dir/store" NIX_STATE_DIR="$dir/state" \
    NIX_LOG_DIR="$dir/log" NIX_CONF_DIR="$dir/etc" npm_config_registry="$registry" NIX_CONFIG="
      experimental-features = nix-command flakes
      build-users-group =
      build-hook =
      sandbox = true
      sandbox-fallback = true
      sandbox-paths = ${node%/bin/node} /bin /usr /lib /lib64? /etc/alternatives? $postgres
      substituters =
      flake-registry =
    " "$bin/${program:-nix}" "$@"
}

[[ -x $bin/nix ]] || unpack
[[ $2 != --unpack ]] || exit 0
initdb=$(find "$postgres" -name initdb -print -quit 2>/dev/null) || true
[[ -n $initdb ]] || fail "There is no PostgreSQL in $postgres; postgres.sh unpacks one."
command -v npm >/dev/null || fail "There is no npm, which comes with Node.js."
node=$(realpath "$(command -v node)")
registry=$(npm config get registry 2>/dev/null)
rm -rf "$source" "$dir/nixpkgs"
mkdir -p "$source" "$dir"/{home,tmp,store,state,log,etc,tarballs}
tar --exclude-vcs --exclude=node_modules --exclude=./data --exclude=./bench-results -cf - . | tar -xf - -C "$source"
cp -r .ci/nixpkgs "$dir/nixpkgs"
printf %s "$(dirname "$initdb"):$PATH" >"$dir/nixpkgs/path"
if [[ $(id -u) == 0 ]]; then chown -R nobody "$source" "$dir"/{home,tmp,store,state,log}; fi
cd "$dir"
nix --version

step "flake.lock pins what flake.nix asks for"
nix flake metadata --no-update-lock-file "path:$source" | sed -n '/Inputs/,$p'
# From here on with the stand-in.
nix flake lock --override-input nixpkgs "path:$dir/nixpkgs" "path:$source"

step "nix flake check --all-systems --no-build"
nix flake check --all-systems --no-build "path:$source"

system=$(nix eval --raw --impure --expr builtins.currentSystem)
targets=("path:$source#checks.$system".{package,quickstart,format,imports,nixos})

step "packages by npm"
# All but one, which Nix fetches by itself below. Nix takes those that have the right hash for its own.
nix derivation show --recursive "${targets[@]}" | grep -oP '"npmPackage":"\K[^"]+' | sort -u >packages
(cd tarballs && tail -n +2 ../packages | xargs npm pack --silent >/dev/null)
program=nix-store nix --add-fixed sha512 tarballs/*.tgz >/dev/null
echo "$(wc -l <packages) packages"

step "nix build"
nix build --no-link --print-out-paths "${targets[@]}"

step "systemd-analyze verify"
machines=$(nix build --no-link --print-out-paths "path:$source#checks.$system.nixos")
for machine in "$machines"/*; do
  SYSTEMD_UNIT_PATH=$machine:$dir/systemd/usr/lib/systemd/system "$dir/systemd/bin/systemd-analyze" verify --man=no \
    "$machine/parley.service"
  echo "${machine##*/}: valid"
done

step "nix develop"
cd "$source"
url=$(nix develop "path:$source" --command bun --config=/dev/null -e '
  await new Bun.SQL(process.env.DATABASE_URL)`create extension vector`
  console.log(process.env.DATABASE_URL)
  process.exit()
')
echo "$url"
port=${url%/*}
port=${port##*:}
for _ in {1..3000}; do
  (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || exit 0
  sleep 0.1
done
fail "PostgreSQL goes on after the shell has ended."
