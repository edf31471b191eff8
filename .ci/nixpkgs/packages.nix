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
      for name in $names; do ln -s "$(type -P "$name")" "$out/bin/$name"; done
    '';

  writeScript =
    name: file: text:
    runCommand name { inherit text; } ''
      mkdir -p "$(dirname "$out${file}")"
      printf '#!/bin/bash\n%s\n' "$text" >"$out${file}"
      chmod +x "$out${file}"
    '';

  # Writes the units of a machine, and asserts that what else its configuration says can be evaluated.
  unitsOf =
    machine: module:
    let
      config = lib.evalModules {
        inherit pkgs;
        modules = [
          ./nixos.nix
          module
        ];
      };
      lines = make: set: lib.concatStrings (lib.concatLists (lib.mapAttrsToList make set));
      line = name: value: "${name}=${if value == true then "true" else toString value}\n";
      setting = name: value: if lib.isList value then map (line name) value else [ (line name value) ];
      words = name: value: lib.optional (value != [ ]) (line name (toString value));
      unit =
        {
          after,
          description,
          environment,
          requires,
          serviceConfig,
          wantedBy,
          wants,
        }:
        "[Unit]\n"
        + line "Description" description
        + lines words {
          Wants = wants;
          Requires = requires;
          After = after;
        }
        + "\n[Service]\n"
        + lines (name: value: [ "Environment=\"${name}=${value}\"\n" ]) environment
        + lines setting serviceConfig
        + "\n[Install]\n"
        + lines words { WantedBy = wantedBy; };
      postgres = config.services.postgresql;
    in
    assert !postgres.enable || postgres.extensions { pgvector = "pgvector"; } == [ "pgvector" ];
    ''
      # ${builtins.toJSON { inherit (config) networking; inherit (postgres) ensureUsers ensureDatabases; }}
      mkdir -p "$out/${machine}"
      # The targets of NixOS that it names and systemd does not bring.
      printf '[Unit]\n' >"$out/${machine}/postgresql.target"
      ln -s ${lib.concatMapStrings (package: "${package}/bin/* ") config.environment.systemPackages} "$out/${machine}/"
    ''
    + lines (name: service: [
      ''
        printf %s ${lib.escapeShellArg (unit service)} >"$out/${machine}/${name}.service"
      ''
    ]) config.systemd.services;

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
      "kill"
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
    postgresql_18 =
      programs "postgresql" [
        "initdb"
        "pg_ctl"
        "postgres"
        "psql"
      ]
      // {
        withPackages =
          choose:
          assert choose { pgvector = "pgvector"; } == [ "pgvector" ];
          pkgs.postgresql_18;
      };
    procps = programs "procps" [ "ps" ];
    # Only named, by what a machine with systemd runs.
    systemd = programs "systemd" [ ];
    # Evaluates the configuration of each machine, and keeps its units in place of running it.
    testers.runNixOSTest =
      {
        name,
        nodes,
        testScript,
      }:
      runCommand "vm-test-${name}" { inherit testScript; } (
        lib.concatStrings (lib.mapAttrsToList unitsOf nodes)
      );
    writeText =
      name: text:
      runCommand name { inherit text; } ''
        printf '%s' "$text" >"$out"
      '';
  };
in
pkgs
