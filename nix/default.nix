# What the flake offers, for one platform.
{
  pkgs,
  # The checkout, tests included.
  checkout,
}:
let
  inherit (pkgs) lib;
  manifest = lib.importJSON ../package.json;

  fetchNpm = pkgs.callPackage ./fetch-npm.nix { };
  bun = pkgs.callPackage ./bun.nix { inherit fetchNpm; };
  nodeModules = dev: pkgs.callPackage ./node-modules.nix { inherit fetchNpm dev; };
  postgres = pkgs.postgresql_18.withPackages (extensions: [ extensions.pgvector ]);

  # What a server runs on and the documentation that it builds. Each file is named, so that a change to any other builds
  # no new server.
  serverFiles = [
    ../src
    ../sql
    ../docs
    ../package.json
    ../bun.lock
    ../bunfig.toml
    ../README.md
    ../SECURITY.md
    ../CHANGELOG.md
  ];
  server = pkgs.runCommand "parley-server-${manifest.version}" { } ''
    mkdir "$out"
    ${lib.concatMapStrings (file: "cp -r ${file} \"$out/${baseNameOf file}\"\n") serverFiles}
    ln -s ${nodeModules false}/node_modules "$out/node_modules"
    # The widget, the console and the documentation, which a server would otherwise build on the first request for one.
    ${bun}/bin/bun --config=/dev/null "$out/src/http/web/BuildMain.ts" "$out/web"
  '';

  # A script of package.json as a program that installs nothing and can be started in any directory, also in one with a
  # `bunfig.toml` of something else.
  program =
    name: script:
    pkgs.writeShellScript name ''
      export PATH=${lib.makeBinPath serverTools}:$PATH
      ${
        lib.replaceStrings
          [ "bun install --production --frozen-lockfile --silent && " "exec bun" " src/" ]
          [ "" "exec bun --config=/dev/null" " ${server}/src/" ]
          manifest.scripts.${script}
      } "$@"
    '';
  serverTools = [
    bun
    pkgs.procps
  ]
  # Confines the processes that read documents.
  ++ lib.optional pkgs.stdenv.hostPlatform.isLinux pkgs.bubblewrap;

  # `bun run verify` on a copy of the checkout; it installs nothing.
  verify = pkgs.writeShellScriptBin "parley-verify" ''
    set -e
    export PATH=${lib.makeBinPath (serverTools ++ [ pkgs.coreutils ])}:$PATH
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cp -R ${checkout}/. "$work"
    chmod -R u+w "$work"
    ln -s ${nodeModules true}/node_modules "$work/node_modules"
    cd "$work"
    bun test/verify.ts "$@"
  '';

  package = pkgs.runCommand "parley-${manifest.version}" { meta.mainProgram = "parley"; } ''
    mkdir -p "$out/bin"
    ln -s ${program "parley" "parley"} "$out/bin/parley"
    ln -s ${program "parley-quickstart" "quickstart"} "$out/bin/parley-quickstart"
  '';

  # A build that fails when the script does. There is no network but loopback.
  sandboxed =
    name: tools: check:
    pkgs.runCommand "parley-${name}"
      {
        nativeBuildInputs = tools;
        __darwinAllowLocalNetworking = true;
      }
      ''
        export HOME=$PWD
        ${check}
        touch "$out"
      '';
in
{
  inherit bun package verify;

  # The whole story, told by the package.
  quickstart = sandboxed "quickstart" [ package ] "parley-quickstart --once";

  # One of the checks of `verify`.
  verified = check: sandboxed check [ verify ] "parley-verify ${check}";
  testsOnPostgres =
    sandboxed "tests-postgres"
      [
        verify
        bun
        postgres
      ]
      ''
        source ${./database.sh}
        [[ -v DATABASE_URL ]]
        parley-verify tests
      '';

  shell = pkgs.mkShell {
    packages = serverTools ++ [
      pkgs.nodejs
      postgres
    ];
    shellHook = "source ${./database.sh}";
  };

  # The NixOS module in virtual machines.
  nixosTests =
    module:
    lib.optionalAttrs pkgs.stdenv.hostPlatform.isLinux {
      nixos = import ./test.nix { inherit pkgs module; };
    };

  formatter = pkgs.nixfmt-tree;
}
