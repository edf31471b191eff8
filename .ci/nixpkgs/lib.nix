let
  inherit (builtins)
    attrNames
    concatStringsSep
    fromJSON
    listToAttrs
    readFile
    ;
in
rec {
  inherit (builtins) concatMap replaceStrings;
  concatStrings = concatStringsSep "";
  concatMapStrings = make: list: concatStrings (map make list);
  fetchers.proxyImpureEnvVars = [
    "http_proxy"
    "https_proxy"
    "all_proxy"
    "no_proxy"
  ];
  genAttrs =
    names: make:
    listToAttrs (
      map (name: {
        inherit name;
        value = make name;
      }) names
    );
  importJSON = file: fromJSON (readFile file);
  makeBinPath = packages: concatStringsSep ":" (map (package: "${package}/bin") packages);
  mapAttrsToList = make: set: map (name: make name set.${name}) (attrNames set);
  optional = condition: value: optionals condition [ value ];
  optionals = condition: values: if condition then values else [ ];
  optionalString = condition: text: if condition then text else "";
}
