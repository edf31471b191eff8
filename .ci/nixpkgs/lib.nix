let
  inherit (builtins)
    attrNames
    concatStringsSep
    fromJSON
    listToAttrs
    readFile
    ;
  lib = rec {
    inherit (builtins)
      all
      attrNames
      concatLists
      concatMap
      genList
      isList
      replaceStrings
      ;
    inherit (import ./modules.nix { inherit lib; }) evalModules types;
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
    escapeShellArg = text: "'${builtins.replaceStrings [ "'" ] [ "'\\''" ] (toString text)}'";
    escapeShellArgs = list: concatStringsSep " " (map escapeShellArg list);
    importJSON = file: fromJSON (readFile file);
    makeBinPath = packages: concatStringsSep ":" (map (package: "${package}/bin") packages);
    mapAttrsToList = make: set: map (name: make name set.${name}) (attrNames set);
    literalMD = text: {
      _type = "literalMD";
      inherit text;
    };
    mkDefault = content: {
      _type = "override";
      priority = 1000;
      inherit content;
    };
    mkEnableOption =
      name:
      mkOption {
        type = types.bool;
        default = false;
        description = "Whether to enable ${name}.";
      };
    mkIf = condition: content: {
      _type = "if";
      inherit condition content;
    };
    mkOption = option: option // { _type = "option"; };
    optional = condition: value: optionals condition [ value ];
    optionalAttrs = condition: set: if condition then set else { };
    optionals = condition: values: if condition then values else [ ];
    recursiveUpdate =
      one: other:
      one
      // builtins.mapAttrs (
        name: value:
        if one ? ${name} && builtins.isAttrs value && !(value ? _type) then
          recursiveUpdate one.${name} value
        else
          value
      ) other;
    optionalString = condition: text: if condition then text else "";
  };
in
lib
