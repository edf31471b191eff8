#!/usr/bin/env bash
# usage: bash .ci/image.sh DIR [--unpack]
# Builds the image of the Dockerfile with a real buildah, which is unpacked from Debian into DIR, and examines it: what is
# in it, and a container of it from its first start to its last. No registry of images is asked: the base is made of
# Debian's packages and this machine's Bun. Validates the compose file as well. With --unpack it only gets what it needs
# from Debian. Needs root that may mount, Debian's mirror and npm.
set -euo pipefail
cd "$(dirname "$0")/.."
source .ci/debian.sh

# The suites of Debian that have a current buildah, and that the default base is made of.
suite=sid
base_suite=trixie
dir=$(realpath -m "${1:?usage: image.sh DIR [--unpack]}")
checkout=$PWD
root=$dir/buildah
base=$dir/base

# What programs name as dependencies and do not need to run here.
not_needed='perl|adduser|passwd|debconf|^systemd|^login|-base$'

step() { printf -- '\n--- %s\n' "$*"; }

# Both work without being installed; buildah in a root directory of its own, because it starts itself again.
unpack() {
  unpack_debian "$root" "$suite" buildah "$not_needed"
  # It does not start without, though the network of a build is this machine's.
  unpack_debian "$root" "$suite" netavark "$not_needed"
  for name in bin sbin lib lib64; do ln -sfn "usr/$name" "$root/$name"; done
  unpack_debian "$dir/compose" "$suite" docker-compose "$not_needed|docker.io|containerd|runc|tini|buildx"
  wrap_programs "$dir/compose" "$dir/compose/usr/libexec/docker/cli-plugins"
  unpack_debian "$dir/tools" "$base_suite" debootstrap "$not_needed|^lib|^wget|gpg|apt|dpkg|keyring"
  local mirror
  mirror=$(awk '/^URIs:/ { print $2; exit }' /etc/apt/sources.list.d/debian.sources)
  DEBOOTSTRAP_DIR=$dir/tools/usr/share/debootstrap bash "$dir/tools/usr/sbin/debootstrap" \
    --variant=minbase --include=ca-certificates "$base_suite" "$base" "$mirror"
  rm -rf "$base"/var/cache/apt/* "$base"/var/lib/apt/lists/* "$base"/usr/share/{doc,locale,man}/*
  touch "$dir/unpacked"
}

[[ -e $dir/unpacked ]] || { rm -rf "$root" "$base" && mkdir -p "$dir" && unpack >"$dir/unpack.log" 2>&1; } ||
  { tail -n 20 "$dir/unpack.log" >&2 && exit 1; }
[[ ${2:-} != --unpack ]] || exit 0

step "docker compose config"
for profiles in "" s3; do
  env -i PATH="$PATH" HOME="$dir" POSTGRES_PASSWORD=p SECRETS_KEY=k S3_SECRET_ACCESS_KEY=s COMPOSE_PROFILES="$profiles" \
    "$dir/compose/usr/libexec/docker/cli-plugins/docker-compose" -f compose.yaml config --quiet
  echo "compose.yaml ${profiles:+with $profiles}: valid"
done

# in_buildah COMMAND…: in mounts of its own that end with it. The checkout is at /checkout, and what is kept at /kept.
in_buildah() {
  mkdir -p "$root"/{checkout,kept,proc,sys,dev,tmp,var/tmp,run} "$dir/kept"
  cp -L /etc/{resolv.conf,hosts,passwd,group} "$root/etc/"
  # shellcheck disable=SC2016 # expanded by the inner shell
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/kept STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot \
    unshare --mount bash -ec '
      root=$1
      mount --bind "$root" "$root"
      for shared in proc sys dev; do mount --rbind "/$shared" "$root/$shared"; done
      mount --bind "$2" "$root/checkout"
      mount --bind "$3" "$root/kept"
      shift 3
      exec chroot "$root" "$@"
    ' in_buildah "$root" "$checkout" "$dir/kept" "$@"
}
buildah() { in_buildah buildah --root /kept/storage --runroot /kept/run "$@"; }

step "base of Debian $base_suite and Bun $("${BUN:-bun}" --version)"
bun=$("${BUN:-bun}" -p 'require("node:fs").realpathSync(process.execPath)')
install -m 755 "$bun" "$base/usr/local/bin/bun"
# It trusts whom this machine trusts, to which a mirror of npm may belong.
cp -L "${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}" "$base/etc/ssl/certs/ca-certificates.crt"
mkdir -p "$dir/kept" && rm -rf "$dir/kept/base" && cp -al "$base" "$dir/kept/base"
container=$(buildah from scratch)
buildah add --quiet "$container" /kept/base / >/dev/null
buildah commit --quiet --rm "$container" localhost/base >/dev/null

step "buildah build"
printf 'registry=%s\ncafile=/etc/ssl/certs/ca-certificates.crt\n' "$(npm config get registry 2>/dev/null)" \
  >"$dir/kept/npmrc"
started=$SECONDS
buildah build --quiet --format docker --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 \
  --build-arg BASE=localhost/base --secret id=npmrc,src=/kept/npmrc --tag localhost/parley /checkout
echo "built in $((SECONDS - started)) s"

container=$(buildah from localhost/parley)
export PARLEY_IMAGE_ROOT PARLEY_IMAGE_CONFIG=$dir/config.json
PARLEY_IMAGE_ROOT=$(realpath "$dir/$(buildah mount "$container")")
buildah inspect --type image localhost/parley >"$PARLEY_IMAGE_CONFIG"
echo "$(du -sm "$PARLEY_IMAGE_ROOT" | cut -f 1) MB unpacked, of which the base are $(du -sm "$base" | cut -f 1) MB"

step "the image and its containers"
status=0
"${BUN:-bun}" test/verify.ts image || status=$?
cat "$PARLEY_IMAGE_CONFIG.times" || true
exit "$status"
