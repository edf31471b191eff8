import { expect, test } from "bun:test"
import type { Schema } from "effect"
import * as fc from "fast-check"
import { isCutObject, jsonDepth, jsonSize } from "../../src/text/Json.ts"
import { anyString } from "../lib/Arbitraries.ts"

/** The depth of a parsed value. */
const depthOf = (value: Schema.Json): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

/** The number of fields of the largest object in a value. */
const widthOf = (value: Schema.Json): number => {
  if (typeof value !== "object" || value === null) return 0
  return Math.max(Array.isArray(value) ? 0 : Object.keys(value).length, ...Object.values(value).map(widthOf))
}

/** The number of values in a value, itself included. */
const countOf = (value: Schema.Json): number =>
  typeof value === "object" && value !== null
    ? Object.values(value).reduce((sum: number, one: Schema.Json) => sum + countOf(one), 1)
    : 1

const json = fc.letrec<{ value: Schema.Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(
      anyString,
      fc.constantFrom('"', "[[", "}", '\\"[', "\\\\", '{"a":['),
      fc.double({ noNaN: true }),
      fc.boolean(),
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.oneof(anyString, fc.constantFrom('"{', "[\\")), tie("value"), { maxKeys: 3 }),
  ),
})).value

test("the depth of JSON is that of its arrays and objects, whatever its strings contain", () =>
  fc.assert(
    fc.property(json, fc.constantFrom("", " ", "\n\t"), (value, space) => {
      expect(jsonDepth(JSON.stringify(value, undefined, space))).toBe(depthOf(value))
    }),
    { numRuns: 500 },
  ))

test("the size of JSON bounds the values and the fields that parsing it makes", () =>
  fc.assert(
    fc.property(json, (value) => {
      const { values, widest } = jsonSize(JSON.stringify(value))
      expect(values).toBeGreaterThanOrEqual(countOf(value))
      expect(widest).toBe(widthOf(value) > 1 ? widthOf(value) : 0)
    }),
    { numRuns: 500 },
  ))

test("the depth of any text is found, even when it is not JSON", () =>
  fc.assert(
    fc.property(fc.oneof(anyString, fc.string({ unit: fc.constantFrom(...'[]{}"\\a') })), (text) => {
      expect(jsonDepth(text)).toBeLessThanOrEqual(text.length)
    }),
  ))

test("the depth of a text is found even when it would overflow a parser's stack", () => {
  expect(jsonDepth("[".repeat(500_000) + "]".repeat(500_000))).toBe(500_000)
  expect(jsonDepth('{"a":'.repeat(100_000) + "1" + "}".repeat(100_000))).toBe(100_000)
})

test("an object is recognized as cut off wherever it ends, and invalid JSON is not", () =>
  fc.assert(
    fc.property(
      fc.dictionary(anyString, json, { minKeys: 1 }),
      fc.nat(),
      fc.constantFrom("", "\n"),
      (value, at, space) => {
        const whole = space + JSON.stringify(value)
        expect(isCutObject(whole.slice(0, at % whole.length))).toBe(true)
        for (const broken of [whole, `${whole},`, `${whole.slice(0, -1)},}`, `[${whole}`, `<p>${whole}`]) {
          expect(isCutObject(broken)).toBe(false)
        }
      },
    ),
  ))
