import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { scripts } from "../package.json" with { type: "json" }
import { settings } from "../src/Config.ts"

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
  expect(commands.length).toBeGreaterThan(2)
  for (const command of commands) {
    const [script = "", bench = ""] = command.slice("bun run ".length).split(" ")
    expect([command, Object.keys(scripts).includes(script)]).toEqual([command, true])
    if (bench !== "") expect([command, existsSync(join(root, "test/bench", `${bench}.ts`))]).toEqual([command, true])
  }
})

test("every setting that SECURITY.md names exists", () => {
  const named = spans.filter((span) => /^(?!PARLEY_)[A-Z][A-Z_]{3,}$/.test(span))
  const known = new Set(settings.map(({ variable }) => variable))
  expect(named.filter((name) => !known.has(name))).toEqual([])
})
