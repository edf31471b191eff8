import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { dependencies, devDependencies } from "../package.json" with { type: "json" }
import { sbom } from "./lib/Sbom.ts"

const root = join(import.meta.dir, "..")
const made = sbom()
const scopeOf = (name: string, version: string) =>
  made.components.find((one) => one.name === name && one.version === version)?.scope

test("the bill of materials has every package of bun.lock with its version and hash, and nothing else", () => {
  // Read by a pattern, independently of the program: `"path": ["name@version", "", {…}, "sha512-…"]`.
  const locked = Array.from(
    readFileSync(join(root, "bun.lock"), "utf8").matchAll(
      /^ {4}"[^"]+": \["(.+?)@([^@"]+)", .*"sha512-([^"]+)"\],?$/gm,
    ),
    ([, name, version, hash = ""]) => `${name} ${version} ${Buffer.from(hash, "base64").toString("hex")}`,
  )
  expect(locked.length).toBeGreaterThan(100)
  const listed = made.components.map(({ hashes, name, version }) => `${name} ${version} ${hashes[0]?.content}`)
  expect(listed.toSorted()).toEqual(Array.from(new Set(locked)).toSorted())
  for (const { purl } of made.components) expect(purl).toMatch(/^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@[\w.%+-]+$/)
})

test("the bill of materials tells what a server needs from what only its development needs", () => {
  for (const [name, version] of Object.entries(dependencies))
    expect([name, scopeOf(name, version)]).toEqual([name, "required"])
  // What the server's packages need as well.
  const shared = new Set(["fast-check", "standardwebhooks", "zod"])
  for (const [name, version] of Object.entries(devDependencies)) {
    if (!shared.has(name)) expect([name, scopeOf(name, version)]).toEqual([name, "excluded"])
  }
  const refs = new Map(made.components.map((one) => [one["bom-ref"], one.scope]))
  const known = new Set([...refs.keys(), made.metadata.component["bom-ref"]])
  for (const { dependsOn, ref } of made.dependencies) {
    expect(known).toContain(ref)
    for (const other of dependsOn) {
      expect(known).toContain(other)
      if (refs.get(ref) === "required") expect([ref, other, refs.get(other)]).toEqual([ref, other, "required"])
    }
  }
})

test("the bill of materials is the same each time, with licences and without the place it was made at", () => {
  const text = JSON.stringify(made)
  expect(JSON.stringify(sbom())).toBe(text)
  expect(text).not.toContain(root)
  expect(text).not.toMatch(/"(?:timestamp|serialNumber)"|registry/)
  expect(made.components.filter(({ scope, licenses }) => scope === "required" && licenses === undefined)).toEqual([])
})
