import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

/*
 * `bun run sbom`: prints the packages of `bun.lock` as a CycloneDX document (ECMA-424, version 1.6), the same for the
 * same lock file and packages. Licences are those that the installed packages state.
 */

const root = join(import.meta.dir, "..", "..")

/** What the lock file says of a package's needs. */
interface Needs {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly optionalPeers?: ReadonlyArray<string>
}

interface Lock {
  readonly workspaces: { readonly "": Needs & { readonly devDependencies: Readonly<Record<string, string>> } }
  /** By the path below `node_modules`: `name`, or `name/other` for a package that only `name` uses. */
  readonly packages: Readonly<Record<string, readonly [id: string, registry: string, needs: Needs, integrity: string]>>
}

export interface Component {
  readonly type: "library"
  readonly "bom-ref": string
  readonly name: string
  readonly version: string
  /** `required` for what a server needs, `excluded` for what only developing it needs. */
  readonly scope: "required" | "excluded"
  readonly hashes: ReadonlyArray<{ readonly alg: "SHA-512"; readonly content: string }>
  readonly licenses?: ReadonlyArray<{ readonly expression: string } | { readonly license: { readonly name: string } }>
  readonly purl: string
}

/** Splits an id such as `@scope/name@1.2.3`. */
const partsOf = (id: string): readonly [name: string, version: string] => {
  const at = id.lastIndexOf("@")
  return [id.slice(0, at), id.slice(at + 1)]
}

const purlOf = (id: string): string => {
  const [name, version] = partsOf(id)
  return `pkg:npm/${name.replace("@", "%40")}@${encodeURIComponent(version)}`
}

const namesOf = ({ dependencies, optionalDependencies, optionalPeers = [], peerDependencies }: Needs) => [
  ...Object.keys({ ...dependencies, ...optionalDependencies }),
  ...Object.keys(peerDependencies ?? {}).filter((name) => !optionalPeers.includes(name)),
]

const NAME = /(?:@[^/]+\/)?[^/]+/g

const licensesOf = (path: string): Pick<Component, "licenses"> => {
  const manifest = join(root, "node_modules", (path.match(NAME) ?? []).join("/node_modules/"), "package.json")
  if (!existsSync(manifest)) return {}
  const { license }: { readonly license?: unknown } = JSON.parse(readFileSync(manifest, "utf8"))
  if (typeof license !== "string") return {}
  return { licenses: [/^SEE /i.test(license) ? { license: { name: license } } : { expression: license }] }
}

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

/** The packages that `bun.lock` names, and which of them needs which. */
export const sbom = () => {
  // Read as JSON with comments and trailing commas.
  const lock = Bun.JSONC.parse(readFileSync(join(root, "bun.lock"), "utf8")) as Lock
  const manifest: { readonly name: string; readonly version: string; readonly license: string } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  )

  /** The path of the package that another one finds by a name, as Node.js looks it up. */
  const resolve = (from: string, name: string): ReadonlyArray<string> => {
    const parts = from.match(NAME) ?? []
    for (let depth = parts.length; depth >= 0; depth--) {
      const path = [...parts.slice(0, depth), name].join("/")
      if (lock.packages[path] !== undefined) return [path]
    }
    // An optional one for another platform.
    return []
  }
  const needsOf = (path: string): ReadonlyArray<string> =>
    namesOf(lock.packages[path]?.[2] ?? {}).flatMap((name) => resolve(path, name))

  const required = new Set<string>()
  const visit = (path: string): void => {
    if (required.has(path)) return
    required.add(path)
    needsOf(path).forEach(visit)
  }
  const own = lock.workspaces[""]
  namesOf(own)
    .flatMap((name) => resolve("", name))
    .forEach(visit)

  const refOf = (path: string): string => purlOf(lock.packages[path]?.[0] ?? "")
  const components = new Map<string, Component>()
  const dependsOn = new Map<string, Set<string>>()
  // Required ones first, since a version that is installed twice is one component.
  for (const path of Object.keys(lock.packages).toSorted((a, b) => Number(required.has(b)) - Number(required.has(a)))) {
    const [id = "", , , integrity = ""] = lock.packages[path] ?? []
    const [name, version] = partsOf(id)
    const ref = refOf(path)
    dependsOn.set(ref, new Set([...(dependsOn.get(ref) ?? []), ...needsOf(path).map(refOf)]))
    if (components.has(ref)) continue
    components.set(ref, {
      type: "library",
      "bom-ref": ref,
      name,
      version,
      scope: required.has(path) ? "required" : "excluded",
      hashes: [{ alg: "SHA-512", content: Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex") }],
      ...licensesOf(path),
      purl: ref,
    })
  }
  const ours = `${manifest.name}@${manifest.version}`
  const direct = [...namesOf(own), ...Object.keys(own.devDependencies)].flatMap((name) => resolve("", name)).map(refOf)
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": ours,
        name: manifest.name,
        version: manifest.version,
        licenses: [{ expression: manifest.license }],
      },
    },
    components: Array.from(components.values()).toSorted((a, b) => compare(a.purl, b.purl)),
    dependencies: [[ours, new Set(direct)] as const, ...dependsOn]
      .map(([ref, refs]) => ({ ref, dependsOn: Array.from(refs).toSorted(compare) }))
      .toSorted((a, b) => compare(a.ref, b.ref)),
  }
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(sbom(), null, 2)}\n`)
