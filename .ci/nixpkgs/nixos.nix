# The options of NixOS that the flake's module sets, under the names and with the types that the real ones have.
{ lib, ... }:
let
  inherit (lib) mkOption types;
  option = type: default: mkOption { inherit type default; };
  # A value of a unit's file; an element of a list has a line of its own.
  unitValue = types.raw;
in
{
  options = {
    environment.systemPackages = option (types.listOf types.package) [ ];
    networking.firewall.allowedTCPPorts = option (types.listOf types.port) [ ];
    services.postgresql = {
      enable = option types.bool false;
      package = option types.package null;
      extensions = option types.function null;
      ensureDatabases = option (types.listOf types.str) [ ];
      ensureUsers = option (types.listOf (
        types.submodule {
          options = {
            name = mkOption { type = types.str; };
            ensureDBOwnership = option types.bool false;
            ensureClauses.createrole = option types.bool false;
          };
        }
      )) [ ];
    };
    systemd.services = option (types.attrsOf (
      types.submodule {
        options = {
          description = option types.str "";
          wantedBy = option (types.listOf types.str) [ ];
          wants = option (types.listOf types.str) [ ];
          requires = option (types.listOf types.str) [ ];
          after = option (types.listOf types.str) [ ];
          environment = option (types.attrsOf types.str) { };
          serviceConfig = option (types.attrsOf unitValue) { };
        };
      }
    )) { };
  };
}
