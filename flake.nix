{
  description = "Parley: a self-hosted chatbot platform";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "aarch64-darwin"
      ];
      forAllSystems =
        make:
        nixpkgs.lib.genAttrs systems (
          system:
          make (
            import ./nix {
              pkgs = nixpkgs.legacyPackages.${system};
              checkout = self;
            }
          )
        );
    in
    {
      packages = forAllSystems (parley: {
        default = parley.package;
        inherit (parley) bun;
      });

      apps = forAllSystems (parley: rec {
        default = server;
        server = {
          type = "app";
          program = "${parley.package}/bin/parley";
          meta.description = "Start the server, or run another command of Parley";
        };
        quickstart = {
          type = "app";
          program = "${parley.package}/bin/parley-quickstart";
          meta.description = "Tell the whole story of Parley on a server that is gone at the end";
        };
        verify = {
          type = "app";
          program = "${parley.verify}/bin/parley-verify";
          meta.description = "Check types, lint, format and imports, and run every test";
        };
      });

      nixosModules.default = import ./nix/module.nix { package = system: self.packages.${system}.default; };

      checks = forAllSystems (parley: {
        inherit (parley) package quickstart;
        types = parley.verified "types";
        lint = parley.verified "lint";
        format = parley.verified "format";
        imports = parley.verified "imports";
        tests = parley.verified "tests";
        tests-postgres = parley.testsOnPostgres;
      } // parley.nixosTests self.nixosModules.default);

      devShells = forAllSystems (parley: {
        default = parley.shell;
      });

      formatter = forAllSystems (parley: parley.formatter);
    };
}
