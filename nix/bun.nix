# Bun in the version that Parley is tested with, from the packages that its makers publish on npm.
{
  lib,
  stdenvNoCC,
  autoPatchelfHook,
  fetchNpm,
}:
let
  version = "1.4.5";
  builds = {
    x86_64-linux = {
      name = "@oven/bun-linux-x64";
      hash = "sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==";
    };
    aarch64-linux = {
      name = "@oven/bun-linux-aarch64";
      hash = "sha512-4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==";
    };
    aarch64-darwin = {
      name = "@oven/bun-darwin-aarch64";
      hash = "sha512-4MIFXHmctH2EhAxLXm2/qxNtv17dFtLJylvaOCsrgq6KSqHTs6eW5YSrJjRbJxYUJaR901fsN8JfZOa+CsWpWQ==";
    };
  };
in
stdenvNoCC.mkDerivation {
  pname = "bun";
  inherit version;
  src = fetchNpm (builds.${stdenvNoCC.hostPlatform.system} // { inherit version; });
  nativeBuildInputs = lib.optional stdenvNoCC.hostPlatform.isLinux autoPatchelfHook;
  dontConfigure = true;
  dontBuild = true;
  # The program carries its own data behind the code, which stripping would cut off.
  dontStrip = true;
  installPhase = ''
    runHook preInstall
    install -D -m 755 bin/bun "$out/bin/bun"
    ln -s bun "$out/bin/bunx"
    runHook postInstall
  '';
  meta.mainProgram = "bun";
}
