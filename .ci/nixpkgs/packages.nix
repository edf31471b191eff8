{ lib, system }:
let
  hostPlatform = {
    inherit system;
    isAarch64 = builtins.match "aarch64-.*" system != null;
    isDarwin = builtins.match ".*-darwin" system != null;
    isLinux = builtins.match ".*-linux" system != null;
  };

  # `.ci/nix.sh` says here where this machine has its programs.
  path = if builtins.pathExists ./path then builtins.readFile ./path else "/usr/bin:/bin";

  mkDerivation =
    attributes:
    derivation (
      {
        name = "${attributes.pname}-${attributes.version}";
        inherit system;
        builder = "/bin/bash";
        args = [
          "-e"
          ./stdenv/builder.sh
        ];
        outputs = [ "out" ];
        stdenv = ./stdenv;
        PATH = path;
      }
      // removeAttrs attributes [ "meta" ]
    );
  runCommand =
    name: attributes: buildCommand:
    mkDerivation (attributes // { inherit name buildCommand; });

  # A package of programs that this machine has.
  programs =
    name: names:
    runCommand name { inherit names; } ''
      mkdir -p "$out/bin"
      for name in $names; do ln -s "$(command -v "$name")" "$out/bin/$name"; done
    '';

  writeScript =
    name: file: text:
    runCommand name { inherit text; } ''
      mkdir -p "$(dirname "$out${file}")"
      printf '#!/bin/bash\n%s\n' "$text" >"$out${file}"
      chmod +x "$out${file}"
    '';

  pkgs = {
    inherit lib runCommand;
    callPackage =
      file: arguments:
      let
        package = import file;
      in
      package (builtins.intersectAttrs (builtins.functionArgs package) pkgs // arguments);
    stdenv = { inherit hostPlatform mkDerivation; };
    stdenvNoCC = pkgs.stdenv;
    mkShell =
      { packages, shellHook }:
      mkDerivation {
        name = "shell";
        nativeBuildInputs = packages;
        inherit shellHook;
      };
    writeShellScript = name: writeScript name "";
    writeShellScriptBin = name: writeScript name "/bin/${name}";

    autoPatchelfHook = programs "auto-patchelf-hook" [ ];
    bashInteractive = programs "bash" [ "bash" ];
    cacert = runCommand "cacert" { } ''
      mkdir -p "$out/etc/ssl/certs"
      ln -s /etc/ssl/certs/ca-certificates.crt "$out/etc/ssl/certs/ca-bundle.crt"
    '';
    coreutils = programs "coreutils" [
      "chmod"
      "cp"
      "ln"
      "mktemp"
      "rm"
    ];
    # Parley does without it.
    bubblewrap = programs "bubblewrap" [ ];
    nixfmt-tree = programs "nixfmt-tree" [ "treefmt" ];
    nodejs = programs "nodejs" [
      "node"
      "npm"
    ];
    postgresql_18.withPackages =
      choose:
      assert choose { pgvector = "pgvector"; } == [ "pgvector" ];
      programs "postgresql" [
        "initdb"
        "pg_ctl"
        "postgres"
      ];
    procps = programs "procps" [ "ps" ];
  };
in
pkgs
