# Evaluates modules as nixpkgs does, as far as the flake's one asks: options with types and defaults, conditions, and
# definitions of several modules for one option. An option that nobody declares, a value of another type, and an option
# that is used without a value fail as they do there.
{ lib }:
let
  inherit (builtins)
    attrNames
    concatMap
    concatStringsSep
    filter
    foldl'
    isAttrs
    isFunction
    isList
    length
    mapAttrs
    ;
  is = type: value: isAttrs value && (value._type or null) == type;

  # Definitions of an attribute set as plain ones, whose conditions have moved to what is in them: whether a condition
  # holds may depend on options beside those that it guards.
  pushDown =
    definition:
    if is "if" definition then
      map (mapAttrs (_: lib.mkIf definition.condition)) (pushDown definition.content)
    else if is "merge" definition then
      concatMap pushDown definition.contents
    else
      [ definition ];

  # The values of a definition whose conditions hold, each with its priority; the lowest number wins.
  discharge =
    definition:
    if is "if" definition then
      lib.optionals definition.condition (discharge definition.content)
    else if is "merge" definition then
      concatMap discharge definition.contents
    else if is "override" definition then
      [ { inherit (definition) content priority; } ]
    else
      [
        {
          content = definition;
          priority = 100;
        }
      ];

  evalOption =
    path: option: definitions:
    let
      name = concatStringsSep "." path;
      found = concatMap discharge definitions;
      strongest = foldl' (least: one: if one.priority < least then one.priority else least) 10000 found;
      values = map (one: one.content) (filter (one: one.priority == strongest) found);
    in
    if values == [ ] then
      option.default or (throw "The option `${name}' was accessed but has no value defined.")
    else if !(lib.all option.type.check values) then
      throw "A definition for option `${name}' is not of type `${option.type.name}'."
    else
      option.type.merge path values;

  evalOptions =
    path: options: definitions:
    let
      plain = concatMap pushDown definitions;
      unknown = filter (name: !(options ? ${name})) (concatMap attrNames plain);
      definitionsOf = name: concatMap (one: lib.optional (one ? ${name}) one.${name}) plain;
    in
    if unknown != [ ] then
      throw "The option `${concatStringsSep "." (path ++ [ (builtins.head unknown) ])}' does not exist."
    else
      mapAttrs (
        name: option:
        (if is "option" option then evalOption else evalOptions) (path ++ [ name ]) option (
          definitionsOf name
        )
      ) options;

  type = name: check: merge: { inherit name check merge; };
  single =
    path: values:
    if length values == 1 then
      builtins.head values
    else
      throw "The option `${concatStringsSep "." path}' is defined multiple times.";
  concatenated = _: foldl' (all: one: all ++ one) [ ];
  merged = foldl' (all: one: all // one) { };
in
{
  types = rec {
    str = type "string" builtins.isString single;
    bool = type "boolean" builtins.isBool single;
    port = type "16 bit unsigned integer" (value: builtins.isInt value && value >= 0 && value < 65536) single;
    path =
      type "absolute path" (value: builtins.match "/.*" (toString value) != null) single;
    package = type "package" (value: isAttrs value && value ? outPath) single;
    raw = type "raw value" (_: true) single;
    function = type "function" isFunction single;
    listOf = element: type "list of ${element.name}" (value: isList value && lib.all element.check value) concatenated;
    attrsOf =
      element:
      type "attribute set of ${element.name}" isAttrs (
        path: values:
        let
          sets = concatMap pushDown values;
          definitionsOf = name: concatMap (one: lib.optional (one ? ${name}) one.${name}) sets;
          names = filter (name: concatMap discharge (definitionsOf name) != [ ]) (attrNames (merged sets));
        in
        lib.genAttrs names (
          name: evalOption (path ++ [ name ]) { type = element; } (definitionsOf name)
        )
      );
    submodule = { options }: type "submodule" isAttrs (path: evalOptions path options);
  };

  # The configuration of these modules.
  evalModules =
    { modules, pkgs }:
    let
      expand =
        module:
        let
          loaded = if builtins.isPath module then import module else module;
          value = if isFunction loaded then loaded { inherit config lib pkgs; } else loaded;
        in
        concatMap expand (value.imports or [ ]) ++ [ value ];
      all = concatMap expand modules;
      declared = foldl' lib.recursiveUpdate { } (map (module: module.options or { }) all);
      config = evalOptions [ ] declared (
        map (module: module.config or (removeAttrs module [ "imports" "options" ])) all
      );
    in
    config;
}
