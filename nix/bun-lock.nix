# What `bun.lock` pins for one platform: a list of { path, name, version, hash, bin }, one for each package. `path` is its
# place below `node_modules`, `hash` that of its tarball, and `bin` has the files of its programs by name. Everything is
# read from the lock file itself, so nothing is generated and nothing can drift.
{
  lockFile,
  # In npm's words: "linux" or "darwin", "x64" or "arm64".
  os,
  cpu,
  # Whether the development dependencies belong to it.
  dev,
}:
let
  inherit (builtins)
    attrNames
    concatMap
    concatStringsSep
    elem
    elemAt
    filter
    fromJSON
    genList
    genericClosure
    head
    isList
    isString
    length
    match
    readFile
    split
    ;

  # It is JSON but for commas behind the last element.
  trailingComma = ",([[:space:]]*[]}])";
  parts = split trailingComma (readFile lockFile);
  lock = fromJSON (
    concatStringsSep "" (map (part: if isString part then part else head part) parts)
  );
  inherit (lock) packages;
  workspace = lock.workspaces."";

  # A package is [ "name@version" registry information hash ]. Its key says where it is installed: "a/b" is the `b` of `a`,
  # and `b` the one of everybody else.
  specification = key: match "(@?[^@]+)@(.*)" (head packages.${key});
  information = key: elemAt packages.${key} 2;

  # "a/@b/c" is [ "a" "@b/c" ].
  names = key: map head (filter isList (split "(@[^/]+/[^/]+|[^@/][^/]*)" key));
  take = count: list: genList (elemAt list) count;

  # The package that `dependency` means inside of `key`, which is the nearest one around it: a list, empty when it is
  # optional and nowhere.
  resolve =
    key: dependency:
    let
      around = names key;
      depth = length around;
      candidate = up: concatStringsSep "/" (take (depth - up) around ++ [ dependency ]);
      found = filter (one: packages ? ${one}) (genList candidate (depth + 1));
    in
    if found == [ ] then [ ] else [ (head found) ];

  dependenciesOf =
    key:
    let
      package = information key;
    in
    attrNames (
      (package.dependencies or { })
      // (package.optionalDependencies or { })
      // removeAttrs (package.peerDependencies or { }) (package.optionalPeers or [ ])
    );

  allows = value: allowed: elem value (if isList allowed then allowed else [ allowed ]);
  isForPlatform =
    key:
    let
      package = information key;
    in
    allows os (package.os or os) && allows cpu (package.cpu or cpu);

  keyed = map (key: { inherit key; });
  installed = genericClosure {
    startSet = keyed (
      attrNames (workspace.dependencies // (if dev then workspace.devDependencies else { }))
    );
    operator =
      { key }: keyed (filter isForPlatform (concatMap (resolve key) (dependenciesOf key)));
  };
in
map (
  { key }:
  {
    path = concatStringsSep "/node_modules/" (names key);
    name = elemAt (specification key) 0;
    version = elemAt (specification key) 1;
    hash = elemAt packages.${key} 3;
    bin =
      let
        programs = (information key).bin or { };
      in
      # A path alone is the program that has the name of the package.
      if isString programs then
        { ${baseNameOf (elemAt (specification key) 0)} = programs; }
      else
        programs;
  }
) installed
