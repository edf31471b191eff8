import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { Glob } from "bun"
import lock from "../bun.lock"
import manifest from "../package.json" with { type: "json" }
import { entries } from "../src/http/DocsPage.ts"
import { files as uploads } from "../src/quickstart/Story.ts"

/*
 * What can be said of the flake without Nix: `.ci/nix.sh` evaluates and builds it with one. These fail where somebody
 * changes packages or moves files without a thought of Nix.
 */

const root = join(import.meta.dir, "..")
const read = (path: string) => readFileSync(join(root, path), "utf8")
const nixFiles = ["flake.nix", ...new Glob("nix/*.nix").scanSync(root)]
const bunNix = read("nix/bun.nix")
const withoutComments = (text: string) => text.replaceAll(/^ *#.*$/gm, "")

describe("Bun in the flake", () => {
  test("is the version that types, CI and engines name", () => {
    const version = /version = "([^"]+)"/.exec(bunNix)?.[1] ?? ""
    expect(manifest.devDependencies["bun-types"]).toBe(version)
    expect(read(".ci/run")).toContain(`bun@${version}`)
    expect(Bun.semver.satisfies(version, manifest.engines.bun)).toBe(true)
  })

  test("is there for every system, with a SHA-512 each", () => {
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

describe("bun.lock, as nix/bun-lock.nix reads it", () => {
  test("pins what package.json asks for", () => {
    expect(Object.keys(lock.workspaces)).toEqual([""])
    const { dependencies, devDependencies } = lock.workspaces[""] ?? {}
    expect({ dependencies, devDependencies }).toEqual({
      dependencies: manifest.dependencies,
      devDependencies: manifest.devDependencies,
    })
  })

  test("pins each package by a SHA-512, wherever it comes from", () => {
    const pinned = [
      expect.stringMatching(/^@?[^@]+@\d+\.\d+\.\d+[\w.+-]*$/),
      "",
      expect.objectContaining({}),
      expect.stringMatching(/^sha512-[\w+/]{86}==$/),
    ]
    for (const one of Object.values(lock.packages)) expect<unknown>(one).toEqual(pinned)
  })

  test("names programs and platforms in the one way that it knows", () => {
    const wrong = read("bun.lock").match(/"(?:bin": "|binDir"|(?:os|cpu)": \[?"!)/g) ?? []
    expect(wrong).toEqual([])
  })

  test("has a comma before a bracket only behind a last element", () => {
    const strings = read("bun.lock").match(/"[^"\n]*"/g) ?? []
    expect(strings.filter((string) => /,\s*[\]}]/.test(string))).toEqual([])
  })
})

test("flake.lock pins one input, by revision and hash", () => {
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

test.each(nixFiles)("the files that %s names are there", (file) => {
  const paths = withoutComments(read(file)).match(/(?<![\w"}])\.{1,2}\/[\w.-]+(?:\/[\w.-]+)*/g) ?? []
  expect(paths.filter((path) => !existsSync(join(root, dirname(file), path)))).toEqual([])
})

test("the server of the flake has every page that it serves, and what the quickstart uploads", () => {
  const [, list = ""] = /serverFiles = \[([^\]]*)\]/.exec(read("nix/default.nix")) ?? []
  const files = list.split(/\s+/).flatMap((path) => path.replace("../", "") || [])
  const needed = [...entries.map(({ file }) => file), ...uploads]
  expect(needed.filter((path) => files.every((file) => path !== file && !path.startsWith(`${file}/`)))).toEqual([])
})

test.each(nixFiles)("%s leaves it to npm's settings where packages come from", (file) => {
  expect(read(file)).not.toContain("://")
})

test("programs of the flake are scripts of package.json, of the form that it knows", () => {
  const scripts = Array.from(read("nix/default.nix").matchAll(/\$\{program "[^"]+" "([^"]+)"\}/g), ([, name]) => name)
  expect(scripts).toEqual(["parley", "quickstart"])
  const { parley, quickstart } = manifest.scripts
  const prefix = "bun install --frozen-lockfile --silent && "
  expect(read("nix/default.nix")).toContain(`"${prefix}"`)
  expect(quickstart).toStartWith(prefix)
  for (const script of [parley, quickstart.slice(prefix.length)]) {
    expect(script).toMatch(/^([A-Z]\w*=\S+ )*exec bun( src\/\S+\.ts)+$/i)
  }
})
