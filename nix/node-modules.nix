# A directory with `node_modules` in it, as Bun installs what `bun.lock` pins: each package by its own hash.
{
  lib,
  stdenv,
  runCommand,
  fetchNpm,
  # Whether the development dependencies belong to it.
  dev,
}:
let
  inherit (stdenv) hostPlatform;
  packages = import ./bun-lock.nix {
    lockFile = ../bun.lock;
    os = if hostPlatform.isDarwin then "darwin" else "linux";
    cpu = if hostPlatform.isAarch64 then "arm64" else "x64";
    inherit dev;
  };
  unpack =
    package:
    let
      tarball = fetchNpm { inherit (package) name version hash; };
    in
    "unpack '${package.path}' ${tarball}\n";
  link =
    { path, bin, ... }: lib.mapAttrsToList (name: file: "link '${name}' '${path}/${file}'\n") bin;
in
runCommand "parley-node-modules${lib.optionalString dev "-dev"}" { } ''
  mkdir -p "$out/node_modules/.bin"
  cd "$out/node_modules"
  unpack() {
    mkdir -p "$1"
    tar -xzf "$2" --strip-components=1 --no-same-owner -C "$1"
  }
  link() {
    chmod +x "$2"
    ln -s "../$2" ".bin/$1"
  }
  ${lib.concatMapStrings unpack packages}
  ${lib.concatStrings (lib.concatMap link packages)}
''
