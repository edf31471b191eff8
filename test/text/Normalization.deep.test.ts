import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { normalize } from "../../src/text/Normalization.ts"
import { least } from "../lib/effort/Guard.ts"

const forms = ["NFC", "NFD", "NFKC", "NFKD"] as const
const JOINER = "\u034f"

/** The most processor time in milliseconds, a multiple of what a slow machine takes. */
const LIMIT = 250

describe("normalize", () => {
  // The engine's own `normalize` takes less than a millisecond for 96,000 letters, and 15 s for these.
  test.each([
    ["Tibetan vowels in the wrong order", "\u0f71\u0f72\u0f73"],
    ["a vowel that decomposes", "\u0f73"],
    ["marks above and below", "\u0315\u0316"],
    ["pairs of marks in the right order", "\u0316\u0300"],
    ["halfwidth sound marks", "\uff9e\u0334"],
    ["musical stems", "\u{1d165}\u{1d16d}"],
    ["runs of the longest length that is not split", `${"\u0f71\u0f72\u0f73".repeat(21)}a`],
    ["runs between joiners", `${"\u0f71\u0f72\u0f73".repeat(30)}${JOINER}`],
    ["a letter that decomposes into eighteen", "\ufdfa\u0301"],
    ["decomposed Hangul", "\u1100\u1161\u11a8"],
  ])("is quick for 96,000 characters of %s", async (_, unit) => {
    const text = unit.repeat(96_000 / unit.length)
    for (const form of forms) {
      expect(await least(() => normalize(text, form), LIMIT)).toBeLessThan(LIMIT)
    }
  })
})

describe("the check of the source code", () => {
  const root = mkdtempSync(join(tmpdir(), "parley-lint-"))
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  const lint = async (file: string, text: string): Promise<string> => {
    const config = join(import.meta.dir, "../../.oxlintrc.json")
    mkdirSync(join(root, file, ".."), { recursive: true })
    writeFileSync(join(root, ".oxlintrc.json"), await Bun.file(config).text())
    writeFileSync(join(root, file), text)
    const oxlint = join(import.meta.dir, "../../node_modules/.bin/oxlint")
    return Bun.spawnSync([process.execPath, oxlint, "--deny-warnings", file], { cwd: root }).stdout.toString()
  }

  test("finds a call of the engine's `normalize`", async () => {
    const text = 'export const key = (text: string): string => text.trim().normalize("NFC")\n'
    expect(await lint("src/domain/Key.ts", text)).toContain("no-restricted-properties")
    expect(await lint("test/domain/Key.ts", text)).not.toContain("no-restricted-properties")
  })

  test("accepts the guarded `normalize`", async () => {
    const text =
      'import { normalize } from "./Normalization.ts"\n\nexport const key = (text: string): string => normalize(text, "NFC")\n'
    expect(await lint("src/domain/Key.ts", text)).not.toContain("no-restricted-properties")
  })
})
