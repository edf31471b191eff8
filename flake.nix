{
  description = "Parley: a self-hosted chatbot platform";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forAllSystems = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      devShells = forAllSystems (pkgs: {
        default = pkgs.mkShell {
          packages = [
            pkgs.bun
            pkgs.nodejs
            (pkgs.postgresql_18.withPackages (extensions: [ extensions.pgvector ]))
          ];
        };
      });

      apps = forAllSystems (
        pkgs:
        let
          # Packages are installed beside a copy of the source, since the store is read-only. What the server keeps goes
          # where DATA_DIR says, as always: by default into `data` of the current directory.
          parley = pkgs.writeShellApplication {
            name = "parley";
            runtimeInputs = [
              pkgs.bun
              pkgs.coreutils
            ];
            text = ''
              source=''${XDG_CACHE_HOME:-$HOME/.cache}/parley/${baseNameOf self.outPath}
              if [[ ! -e $source/installed ]]; then
                mkdir -p "$source"
                cp -rT --no-preserve=mode ${self} "$source"
                bun install --cwd "$source" --frozen-lockfile --production
                touch "$source/installed"
              fi
              export BUN_CONFIG_MAX_HTTP_REQUESTS=''${BUN_CONFIG_MAX_HTTP_REQUESTS:-65535}
              export BUN_JSC_forceCodeBlockLiveness=''${BUN_JSC_forceCodeBlockLiveness:-1}
              export BUN_JSC_heapGrowthFunctionThresholdInMB=''${BUN_JSC_heapGrowthFunctionThresholdInMB:-1000000}
              exec bun "$source/src/main.ts" "$@"
            '';
          };
        in
        {
          default = {
            type = "app";
            program = "${parley}/bin/parley";
            meta.description = "Start the server, or run another command of Parley";
          };
        }
      );

      formatter = forAllSystems (pkgs: pkgs.nixfmt);
    };
}
