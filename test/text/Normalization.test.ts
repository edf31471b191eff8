import { afterAll, describe, expect, test } from "bun:test"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { normalize } from "../../src/text/Normalization.ts"

const forms = ["NFC", "NFD", "NFKC", "NFKD"] as const
const JOINER = "\u034f"

/** Every character of Unicode. */
const characters = function* () {
  for (let code = 0; code <= 0x10ffff; code++) {
    if (code < 0xd800 || code > 0xdfff) yield String.fromCodePoint(code)
  }
}

/** Whether normalization reorders a character next to the marks of the lowest and the highest combining class. */
const isMoved = (character: string): boolean => {
  const [first = ""] = character.normalize("NFKD")
  return `${first}\u0334`.normalize("NFD").startsWith("\u0334") || `\u0345${first}`.normalize("NFD").startsWith(first)
}

const marks = "\u0300\u0301\u0308\u0315\u0316\u0323\u0327\u0334\u0344\u0345\u05b4\u0f71\u0f72\u0f73\u0f75\u3099\uff9e"
const someText = fc
  .array(
    fc.oneof(
      fc.constantFrom("a", "é", "क़", "ᾂ", "ﷺ", "が", "각", " ", JOINER, "\u0958"),
      fc.stringMatching(new RegExp(`^[${marks}]{1,200}$`)),
      fc.string({ unit: "binary" }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""))

describe("normalize", () => {
  test("returns what the engine returns for text with up to 63 marks in a row, once they are decomposed", () => {
    const few = fc
      .array(fc.oneof(fc.stringMatching(new RegExp(`^[${marks}]{1,31}$`)), fc.string({ unit: "grapheme" })), {
        maxLength: 6,
      })
      .map((parts) => parts.join("a"))
    fc.assert(
      fc.property(few, fc.constantFrom(...forms), (text, form) => {
        expect(normalize(text, form)).toBe(text.normalize(form))
      }),
    )
  })

  test.each(forms)("splits a run that only grows long by being decomposed: %s", (form) => {
    for (const text of ["\u0344".repeat(40), `é${"\u0316".repeat(63)}`, `a${"\u0f73".repeat(63)}`]) {
      const once = normalize(text, form)
      expect(once).not.toMatch(/[\p{M}--\u034f]{64}/v)
      expect(normalize(once, form)).toBe(once)
      expect(once.replaceAll(JOINER, "").normalize(form)).toBe(text.normalize(form))
    }
  })

  test("splits a longer run of marks, and adds only invisible joiners", () => {
    const marks = "\u0315\u0316".repeat(50)
    for (const form of forms) {
      const text = normalize(`a${marks}b`, form)
      expect(text).toMatch(/^a.*b$/su)
      expect(text).not.toMatch(/[\p{M}--\u034f]{64}/v)
      expect(text.replaceAll(JOINER, "").normalize(form)).toBe(`a${marks}b`.normalize(form))
      expect(text.match(new RegExp(JOINER, "g"))?.length).toBe(3)
    }
  })

  test("changes nothing the second time", () => {
    fc.assert(
      fc.property(someText, fc.constantFrom(...forms), (text, form) => {
        const once = normalize(text, form)
        expect(normalize(once, form)).toBe(once)
        expect(once.normalize(form)).toBe(once)
      }),
      { numRuns: 500 },
    )
  })

  test("recognizes every character that the engine reorders", () => {
    const unknown: Array<string> = []
    for (const character of characters()) {
      if (!isMoved(character)) continue
      if (!normalize(character.repeat(64), "NFC").includes(JOINER)) unknown.push(character)
    }
    expect(unknown).toEqual([])
  })

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
  ])("is quick for 96,000 characters of %s", (_, unit) => {
    const text = unit.repeat(96_000 / unit.length)
    for (const form of forms) {
      const before = process.threadCpuUsage()
      normalize(text, form)
      const { system, user } = process.threadCpuUsage(before)
      expect(system + user).toBeLessThan(250_000)
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
