# The tarball of a package, as npm's registry has it. Which registry that is npm knows: the default one, or what
# `npm_config_registry` says in the environment of the Nix daemon. The hash decides whether the right bytes came.
{
  lib,
  runCommand,
  nodejs,
  cacert,
}:
{
  name,
  version,
  hash,
}:
let
  # As `npm pack` names files.
  file = "${lib.replaceStrings [ "@" "/" ] [ "" "-" ] name}-${version}.tgz";
in
runCommand file
  {
    npmPackage = "${name}@${version}";
    nativeBuildInputs = [ nodejs ];
    outputHash = hash;
    outputHashMode = "flat";
    impureEnvVars = lib.fetchers.proxyImpureEnvVars ++ [ "npm_config_registry" ];
    NODE_EXTRA_CA_CERTS = "${cacert}/etc/ssl/certs/ca-bundle.crt";
    SSL_CERT_FILE = "${cacert}/etc/ssl/certs/ca-bundle.crt";
  }
  ''
    export HOME=$PWD
    npm pack --silent --pack-destination . "$npmPackage" >&2
    mv '${file}' "$out"
  ''
