# A server of Parley as a service of NixOS: `nixosModules.default` of the flake.
{ package }:
{
  config,
  lib,
  pkgs,
  ...
}:
let
  inherit (lib)
    mkEnableOption
    mkIf
    mkOption
    types
    ;
  cfg = config.services.parley;
  environment = {
    DATA_DIR = "/var/lib/parley";
    HOST = cfg.host;
    PORT = toString cfg.port;
  }
  // lib.optionalAttrs cfg.postgres.enable {
    # By the socket, on which Postgres knows the user of the service by the system.
    DATABASE_URL = "postgres:///parley?host=/run/postgresql&user=parley";
  }
  // cfg.settings;

  # A credential is a file that only the service can read; its name is that of the setting.
  program = pkgs.writeShellScript "parley-with-credentials" ''
    for secret in ${toString (lib.attrNames cfg.secrets)}; do
      export "$secret=$(<"$CREDENTIALS_DIRECTORY/$secret")"
    done
    exec ${cfg.package}/bin/parley "$@"
  '';

  # What holds for the server holds for the commands, which read the same directory and database.
  serviceConfig = {
    User = "parley";
    DynamicUser = true;
    StateDirectory = "parley";
    StateDirectoryMode = "0700";
    UMask = "0077";
    LoadCredential = lib.mapAttrsToList (name: file: "${name}:${toString file}") cfg.secrets;

    CapabilityBoundingSet = "";
    LockPersonality = true;
    NoNewPrivileges = true;
    PrivateDevices = true;
    PrivateTmp = true;
    ProtectClock = true;
    ProtectControlGroups = true;
    ProtectHome = true;
    ProtectHostname = true;
    ProtectKernelModules = true;
    ProtectSystem = "strict";
    RemoveIPC = true;
    # bwrap speaks to the network of its own namespace by netlink.
    RestrictAddressFamilies = [
      "AF_UNIX"
      "AF_INET"
      "AF_INET6"
      "AF_NETLINK"
    ];
    RestrictRealtime = true;
    RestrictSUIDSGID = true;
    SystemCallArchitectures = "native";
    # Documents are read in namespaces of their own, with mounts of their own. So these two stay as they are:
    # RestrictNamespaces, and whatever hides a part of /proc (ProtectKernelTunables, ProtectKernelLogs, ProcSubset), since
    # Linux then refuses another /proc. MemoryDenyWriteExecute would forbid the compiler of JavaScript.
    SystemCallFilter = [
      "@system-service"
      "@mount"
    ];
    SystemCallErrorNumber = "EPERM";
  };

  # `parley doctor`, for root: systemd runs one command as it runs the service.
  property =
    name: value:
    map (one: "--property=${name}=${toString one}") (
      # Each credential is one of its own; the elements of any other list belong together.
      if name == "LoadCredential" then value else [ value ]
    );
  command = pkgs.writeShellScriptBin "parley" ''
    exec ${pkgs.systemd}/bin/systemd-run --quiet --pipe --wait --collect --service-type=exec ${
      lib.escapeShellArgs (
        lib.concatLists (lib.mapAttrsToList property serviceConfig)
        ++ lib.mapAttrsToList (name: value: "--setenv=${name}=${value}") environment
      )
    } ${program} "$@"
  '';
in
{
  options.services.parley = {
    enable = mkEnableOption "Parley, a self-hosted chatbot platform";

    package = mkOption {
      type = types.package;
      default = package pkgs.stdenv.hostPlatform.system;
      defaultText = lib.literalMD "the package of Parley's flake";
      description = "The package of the server.";
    };

    host = mkOption {
      type = types.str;
      default = "127.0.0.1";
      example = "0.0.0.0";
      description = "Address to listen on. Change it when clients, or a proxy, connect from other machines.";
    };

    port = mkOption {
      type = types.port;
      default = 3000;
      description = "Port to listen on.";
    };

    openFirewall = mkOption {
      type = types.bool;
      default = false;
      description = "Whether the firewall lets others connect to the port. Parley speaks plain HTTP.";
    };

    settings = mkOption {
      type = types.attrsOf types.str;
      default = { };
      example = {
        PUBLIC_URL = "https://chat.example.com";
        TRUSTED_PROXIES = "loopback";
      };
      description = "Settings by the names of `docs/settings.md`. Everyone on the machine can read them.";
    };

    secrets = mkOption {
      type = types.attrsOf types.path;
      default = { };
      example = {
        SECRETS_KEY = "/run/secrets/parley-secrets-key";
        ANTHROPIC_API_KEY = "/run/secrets/anthropic";
      };
      description = ''
        Settings that are secrets, by their names: files of which each holds one value. The service gets them as
        systemd's credentials, so that nobody but root has to be able to read the files.
      '';
    };

    postgres.enable = mkOption {
      type = types.bool;
      default = false;
      description = ''
        Whether to keep the data in a Postgres on this machine, with the extension pgvector and a database of its own.
        Without it, and without `DATABASE_URL`, the server has its embedded database.
      '';
    };

    stopTimeout = mkOption {
      type = types.str;
      default = "60s";
      description = "How long the server may take to stop. Keep it above the setting `DRAIN_TIMEOUT`.";
    };
  };

  config = mkIf cfg.enable {
    systemd.services.parley = {
      description = "Parley, a chatbot platform";
      wantedBy = [ "multi-user.target" ];
      wants = [ "network-online.target" ];
      after = [ "network-online.target" ] ++ lib.optional cfg.postgres.enable "postgresql.target";
      requires = lib.optional cfg.postgres.enable "postgresql.target";
      inherit environment;
      serviceConfig = serviceConfig // {
        Type = "exec";
        ExecStart = "${program}";
        # With several workers they are replaced one by one; a server alone ignores it.
        ExecReload = "${pkgs.coreutils}/bin/kill -HUP $MAINPID";
        Restart = "on-failure";
        RestartSec = "2s";
        TimeoutStopSec = cfg.stopTimeout;
        # The server drains before it ends what it has started.
        KillMode = "mixed";
        LimitNOFILE = 65536;
      };
    };

    # Only a superuser may add the extension, and an extension belongs to a database.
    systemd.services.postgresql-setup = mkIf cfg.postgres.enable {
      serviceConfig.ExecStartPost = ''
        ${config.services.postgresql.package}/bin/psql parley --command "CREATE EXTENSION IF NOT EXISTS vector"
      '';
    };

    environment.systemPackages = [ command ];

    networking.firewall.allowedTCPPorts = mkIf cfg.openFirewall [ cfg.port ];

    services.postgresql = mkIf cfg.postgres.enable {
      enable = true;
      package = lib.mkDefault pkgs.postgresql_18;
      extensions = extensions: [ extensions.pgvector ];
      ensureDatabases = [ "parley" ];
      ensureUsers = [
        {
          name = "parley";
          ensureDBOwnership = true;
          # For the role of tenants, which the first start makes.
          ensureClauses.createrole = true;
        }
      ];
    };
  };
}
