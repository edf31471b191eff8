import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Glob } from "bun"
import lock from "../bun.lock"
import manifest from "../package.json" with { type: "json" }
import { entries } from "../src/http/web/docs/Markdown.ts"
import { files as uploads } from "../src/quickstart/Story.ts"

/*
 * Checks of the flake that need no Nix. `.ci/nix.sh` evaluates and builds the flake with Nix. These tests fail when
 * packages change or files move and the flake does not follow.
 */

const root = join(import.meta.dir, "..")
const read = (path: string) => readFileSync(join(root, path), "utf8")
const nixFiles = ["flake.nix", ...new Glob("nix/*.nix").scanSync(root)]
const bunNix = read("nix/bun.nix")
const withoutComments = (text: string) => text.replaceAll(/^ *#.*$/gm, "")

describe("Bun in the flake", () => {
  test("has the version of the types, of CI, of the script for commands and of `engines`", () => {
    const version = /version = "([^"]+)"/.exec(bunNix)?.[1] ?? ""
    expect(manifest.devDependencies["bun-types"]).toBe(version)
    for (const script of [".ci/run", "src/parley"]) expect(read(script)).toContain(`bun@${version}`)
    expect(Bun.semver.satisfies(version, manifest.engines.bun)).toBe(true)
  })

  test("has a SHA-512 for every system", () => {
    const systems = read("flake.nix").match(/"(?:x86_64|aarch64)-(?:linux|darwin)"/g) ?? []
    const builds = bunNix.matchAll(/^ {4}(\S+) = \{\s+name = "([^"]+)";\s+hash = "sha512-[\w+/]{86}==";\s+\};$/gm)
    const packages: Record<string, string> = {
      "x86_64-linux": "@oven/bun-linux-x64",
      "aarch64-linux": "@oven/bun-linux-aarch64",
      "aarch64-darwin": "@oven/bun-darwin-aarch64",
    }
    expect(systems.map((system) => JSON.parse(system))).toEqual(Object.keys(packages))
    expect(Object.fromEntries(Array.from(builds, ([, system, name]) => [system, name]))).toEqual(packages)
  })
})

describe("bun.lock, which nix/bun-lock.nix reads,", () => {
  test("has the dependencies of package.json", () => {
    expect(Object.keys(lock.workspaces)).toEqual([""])
    const { dependencies, devDependencies } = lock.workspaces[""] ?? {}
    expect({ dependencies, devDependencies }).toEqual({
      dependencies: manifest.dependencies,
      devDependencies: manifest.devDependencies,
    })
  })

  test("has a SHA-512 and no address for each package", () => {
    const pinned = [
      expect.stringMatching(/^@?[^@]+@\d+\.\d+\.\d+[\w.+-]*$/),
      "",
      expect.objectContaining({}),
      expect.stringMatching(/^sha512-[\w+/]{86}==$/),
    ]
    for (const one of Object.values(lock.packages)) expect<unknown>(one).toEqual(pinned)
  })

  test("has programs and platforms in the form that is supported", () => {
    const wrong = read("bun.lock").match(/"(?:binDir"|(?:os|cpu)": \[?"!)/g) ?? []
    expect(wrong).toEqual([])
  })

  test("has no string with a comma before a bracket, which would be taken for a trailing comma", () => {
    const strings = read("bun.lock").match(/"[^"\n]*"/g) ?? []
    expect(strings.filter((string) => /,\s*[\]}]/.test(string))).toEqual([])
  })
})

test("flake.lock pins the one input by revision and hash", () => {
  const { nodes, root: name, version } = JSON.parse(read("flake.lock"))
  const [, owner, repo, ref] = /inputs\.nixpkgs\.url = "github:(\w+)\/(\w+)\/([\w.-]+)";/.exec(read("flake.nix")) ?? []
  const type = "github"
  expect({ name, version }).toEqual({ name: "root", version: 7 })
  expect(nodes).toEqual({
    root: { inputs: { nixpkgs: "nixpkgs" } },
    nixpkgs: {
      original: { owner, repo, ref, type },
      locked: {
        owner,
        repo,
        type,
        lastModified: expect.any(Number),
        narHash: expect.stringMatching(/^sha256-[\w+/]{43}=$/),
        rev: expect.stringMatching(/^[\da-f]{40}$/),
      },
    },
  })
})

test.each(nixFiles)("%s names files that exist", (file) => {
  const paths = withoutComments(read(file)).match(/(?<![\w"}])\.{1,2}\/[\w.-]+(?:\/[\w.-]+)*/g) ?? []
  expect(paths.filter((path) => !existsSync(join(root, dirname(file), path)))).toEqual([])
})

test("the package of the flake has every page that the server offers and every file that the quickstart uploads", () => {
  const [, list = ""] = /serverFiles = \[([^\]]*)\]/.exec(read("nix/default.nix")) ?? []
  const files = list.split(/\s+/).flatMap((path) => path.replace("../", "") || [])
  const needed = [...entries.map(({ file }) => file), ...uploads]
  expect(needed.filter((path) => files.every((file) => path !== file && !path.startsWith(`${file}/`)))).toEqual([])
})

/** The module and its test name addresses of servers, and fetch nothing. */
const fetching = nixFiles.filter((file) => !["nix/module.nix", "nix/test.nix"].includes(file))
test.each(fetching)("%s has no address of a registry", (file) => {
  expect(read(file)).not.toContain("://")
})

test("the programs of the flake are scripts of package.json in the form that is supported", () => {
  const scripts = Array.from(read("nix/default.nix").matchAll(/\$\{program "[^"]+" "([^"]+)"\}/g), ([, name]) => name)
  expect(scripts).toEqual(["parley", "quickstart"])
  const { parley, quickstart } = manifest.scripts
  const prefix = "bun install --production --frozen-lockfile --silent && "
  expect(read("nix/default.nix")).toContain(`"${prefix}"`)
  expect(quickstart).toStartWith(prefix)
  for (const script of [parley, quickstart.slice(prefix.length)]) {
    expect(script).toMatch(/^([A-Z]\w*=\S+ )*exec bun( src\/\S+\.ts)+$/i)
  }
})
