# The NixOS module in virtual machines: a server with the embedded database, and one with everything that the module
# offers.
{ pkgs, module }:
let
  key = "${pkgs.lib.concatStrings (pkgs.lib.genList (_: "0123456789abcdef") 3)}";
in
pkgs.testers.runNixOSTest {
  name = "parley";

  nodes.embedded = {
    imports = [ module ];
    services.parley.enable = true;
  };

  nodes.complete = {
    imports = [ module ];
    services.parley = {
      enable = true;
      port = 8080;
      host = "0.0.0.0";
      openFirewall = true;
      postgres.enable = true;
      settings.EXTRACT_SANDBOX = "required";
      # Of a test, and so in the store, where no secret belongs.
      secrets.BOOTSTRAP_API_KEY = pkgs.writeText "key" key;
    };
  };

  testScript = ''
    start_all()

    with subtest("the embedded database"):
        embedded.wait_for_unit("parley.service")
        embedded.wait_until_succeeds("curl --fail --silent http://127.0.0.1:3000/readyz")
        embedded.succeed("test -s /var/lib/parley/first-api-key")
        embedded.fail("ss --listening --no-header --tcp --numeric | grep --fixed-strings 0.0.0.0:3000")

    with subtest("Postgres, a secret and another machine"):
        complete.wait_for_unit("parley.service")
        embedded.wait_until_succeeds("curl --fail --silent http://complete:8080/readyz")
        complete.succeed("sudo -u postgres psql parley --command 'select from chatbots'")
        embedded.succeed(
            "curl --fail --silent http://complete:8080/api/external/chatbots --header 'x-api-key: ${key}'"
        )

    with subtest("the hardening leaves readers their namespaces"):
        complete.succeed("parley doctor | grep 'confined by bwrap: no network'")

    with subtest("a stop that drains"):
        complete.succeed("systemctl reload parley.service")
        complete.succeed("systemctl stop parley.service")
        complete.succeed("test $(systemctl show parley.service --property=Result --value) = success")
  '';
}
