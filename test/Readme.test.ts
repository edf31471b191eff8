import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { documentation } from "../src/Config.ts"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")

test("the table of settings says what the settings are", () => {
  const rows = readme.split("\n").filter((line) => /^\| `[A-Z][A-Z0-9_]*` \|/.test(line))
  const expected = documentation.map(
    ({ variable, default: value, meaning }) =>
      `| \`${variable}\` | ${value === undefined ? "–" : `\`${value}\``} | ${meaning} |`,
  )
  expect(rows).toEqual(expected)
})
