# Stands in for nixpkgs in `.ci/nix.sh`, where the real one cannot be reached: just what the flake asks of it, under the
# names that the real one has. Packages are the programs of this machine; what is not here fails to evaluate, as a wrong
# name does with the real one.
{
  outputs =
    { self }:
    let
      lib = import ./lib.nix;
    in
    {
      inherit lib;
      legacyPackages = lib.genAttrs [
        "x86_64-linux"
        "aarch64-linux"
        "aarch64-darwin"
      ] (system: import ./packages.nix { inherit lib system; });
    };
}
