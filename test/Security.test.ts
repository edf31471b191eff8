import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { scripts } from "../package.json" with { type: "json" }
import { settings } from "../src/Config.ts"
import { parts } from "./bench/safety.ts"

const root = join(import.meta.dir, "..")
const spans = Array.from(
  readFileSync(join(root, "SECURITY.md"), "utf8").matchAll(/`([^`]+)`/g),
  ([, span = ""]) => span,
)

test("every test file that SECURITY.md names exists", () => {
  const files = spans.filter((span) => span.startsWith("test/"))
  expect(files.length).toBeGreaterThan(10)
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test("every command that SECURITY.md names exists", () => {
  const commands = spans.filter((span) => span.startsWith("bun run "))
  expect(commands.length).toBeGreaterThan(5)
  for (const command of commands) {
    const [script = "", bench = "", ...names] = command.slice("bun run ".length).split(" ")
    expect([command, Object.keys(scripts).includes(script)]).toEqual([command, true])
    if (bench !== "") expect([command, existsSync(join(root, "test/bench", `${bench}.ts`))]).toEqual([command, true])
    expect([command, names.filter((name) => parts[name] === undefined)]).toEqual([command, []])
  }
})

test("every setting that SECURITY.md names exists", () => {
  const named = spans.filter((span) => /^[A-Z][A-Z_]{3,}$/.test(span))
  const known = new Set(settings.map(({ variable }) => variable))
  expect(named.filter((name) => !known.has(name))).toEqual([])
})

test("every part of the benchmark of safety is a promise of SECURITY.md", () => {
  const named = new Set(
    spans.flatMap((span) => (span.startsWith("bun run bench safety ") ? span.split(" ").slice(4) : [])),
  )
  expect(Object.keys(parts).filter((name) => !named.has(name))).toEqual([])
})
