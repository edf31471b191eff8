import { describe, expect, test } from "bun:test"
import * as fc from "fast-check"
import { withoutSecrets } from "../../../src/agent/tools/EchoedSecrets.ts"

const visible = (alphabet: string) => fc.string({ unit: fc.constantFrom(...alphabet), minLength: 6, maxLength: 40 })
const ascii = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join("")
/** A secret as a header may hold one: a token, or any text. */
const secret = fc
  .oneof(visible("abcdefghijABCDEFGHIJ0123456789-_"), visible(ascii))
  .map((text) => text.trim())
  .filter((text) => text.length >= 6)

/** The ways in which a server may write a text of the request. */
const ways: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "as JSON": (text) => JSON.stringify(text),
  "percent-encoded": encodeURIComponent,
  "percent-encoded in lower case": (text) => encodeURIComponent(text).replaceAll(/%../g, (one) => one.toLowerCase()),
  "in a form": (text) => new URLSearchParams({ text }).toString(),
}

describe("a secret that a server repeats is blotted out", () => {
  const around = fc.string({ unit: fc.constantFrom(..."xyz {}:,"), maxLength: 10 })

  for (const [way, write] of Object.entries(ways)) {
    test(`${way}, wherever it stands`, () => {
      fc.assert(
        fc.property(secret, around, around, (value, before, after) => {
          const written = write(value)
          const clean = withoutSecrets(`${before} ${written} ${after}`, { authorization: `Token ${value} ` })
          expect(clean).toContain("[secret]")
          expect(clean).not.toContain(written)
          expect(clean.startsWith(`${before} `) && clean.endsWith(` ${after}`)).toBe(true)
        }),
      )
    })
  }

  const bytes = fc.string({ unit: fc.constantFrom(...ascii), maxLength: 8 })
  /** What any run of characters of base64 in a text decodes to, from each of its first characters on. */
  const decoded = (text: string) =>
    Array.from(text.matchAll(/[\w+/-]+/g)).flatMap(([run]) =>
      [0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), "base64").toString("latin1")),
    )

  test.each(["base64", "base64url"] as const)("inside of anything in %s, with and without padding", (encoding) => {
    fc.assert(
      fc.property(secret, bytes, bytes, fc.boolean(), (value, before, after, isEscaped) => {
        fc.pre(!`${before} ${after}`.includes(value.slice(1, -1)))
        const written = Buffer.from(before + value + after).toString(encoding)
        const text = isEscaped ? `{"echo":"${written.replaceAll("/", String.raw`\/`)}"}` : `echo ${written} end`
        expect(decoded(text.replaceAll("\\", "")).some((one) => one.includes(value))).toBe(true)
        const clean = withoutSecrets(text, { "x-key": value })
        expect(clean).toContain("[secret]")
        expect(decoded(clean).filter((one) => one.includes(value.slice(1, -1)))).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  test("also where it is the password inside of basic authentication", () => {
    const authorization = `Basic ${Buffer.from("parley:correct horse").toString("base64")}`
    expect(withoutSecrets('{"user":"parley","password":"correct horse"}', { authorization })).toBe(
      '{"user":"parley","password":"[secret]"}',
    )
  })
})

test("an answer that repeats no secret stays as it is", () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(withoutSecrets(json, { authorization: "Bearer ~never-in-there~", short: "a", empty: "" })).toBe(json)
    }),
  )
})

test("two secrets of which one is part of the other leave nothing of either", () => {
  expect(withoutSecrets("<abcdefghi> <defghi>", { one: "abcdefghi", two: "defghi" })).toBe("<[secret]> <[secret]>")
})
