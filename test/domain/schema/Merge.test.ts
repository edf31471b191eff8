import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import * as fc from "fast-check"
import { difference, merge } from "../../../src/domain/schema/Merge.ts"

/** A JSON object, whose fields may have names such as `__proto__`. */
const jsonObject = fc.dictionary(
  fc.oneof(fc.constantFrom("a", "b", "__proto__", "constructor", "toString"), fc.string()),
  fc.jsonValue({ maxDepth: 2 }),
)
const asJson = (value: object): Schema.JsonObject => Schema.decodeUnknownSync(Schema.JsonObject)(value)
const sameJson = (a: Schema.JsonObject, b: Schema.JsonObject) => expect(JSON.stringify(a)).toBe(JSON.stringify(b))

/** Objects of one shape: `plain` fields never hold objects, `nested` fields always do. */
const formed = fc.letrec<{ object: Schema.JsonObject }>((tie) => ({
  object: fc
    .record(
      {
        plain1: fc.oneof(fc.integer(), fc.string(), fc.array(fc.integer(), { maxLength: 2 })),
        plain2: fc.boolean(),
        nested1: fc.oneof({ maxDepth: 3 }, fc.constant({}), tie("object")),
        nested2: fc.oneof({ maxDepth: 3 }, fc.constant({}), tie("object")),
      },
      { requiredKeys: [] },
    )
    .map((value) => ({ ...value })),
})).object

/** Replaces every null, which a merge would read as a removal, with 0. */
const withoutNull = (value: Schema.JsonObject) => asJson(JSON.parse(JSON.stringify(value, (_, item) => item ?? 0)))

describe("merge", () => {
  test("of an empty patch, or of the value itself, changes nothing", () =>
    fc.assert(
      fc.property(jsonObject, (value) => {
        const a = withoutNull(asJson(value))
        sameJson(merge(a, {}), a)
        sameJson(merge(a, a), a)
        expect(merge({}, a)).toEqual(a)
      }),
    ))

  test("has every field of the patch, and the other fields unchanged", () =>
    fc.assert(
      fc.property(jsonObject, jsonObject, (one, other) => {
        const [before, patch] = [withoutNull(asJson(one)), withoutNull(asJson(other))]
        const merged = merge(before, patch)
        expect(new Set(Object.keys(merged))).toEqual(new Set([...Object.keys(before), ...Object.keys(patch)]))
        for (const [key, value] of Object.entries(merged)) {
          if (!Object.hasOwn(patch, key)) expect<unknown>(value).toEqual(before[key] ?? null)
          else if (typeof value !== "object" || Array.isArray(value)) expect<unknown>(value).toEqual(patch[key] ?? null)
        }
      }),
    ))

  test("of two merged patches equals that of one after the other", () =>
    fc.assert(
      fc.property(formed, formed, formed, (a, b, c) => expect(merge(merge(a, b), c)).toEqual(merge(a, merge(b, c)))),
    ))

  test("is the same in either order when the patches have different fields", () =>
    fc.assert(
      fc.property(formed, formed, formed, (a, left, right) => {
        const b = { plain1: 1, nested1: left }
        const c = { plain2: true, nested2: right }
        expect(merge(merge(a, b), c)).toEqual(merge(merge(a, c), b))
      }),
    ))

  test("with null removes a field, as in RFC 7396", () => {
    expect(merge({ a: 1, b: { c: 1, d: 2 } }, { a: null, b: { c: null }, e: null })).toEqual({ b: { d: 2 } })
    expect(merge({}, { a: { b: { c: null } } })).toEqual({ a: { b: {} } })
    expect(merge({ a: [1] }, { a: { b: 1 } })).toEqual({ a: { b: 1 } })
  })
})

describe("the difference", () => {
  test("between equal values is empty", () =>
    fc.assert(fc.property(jsonObject, (value) => sameJson(difference(asJson(value), asJson(value)), {}))))

  test("changes what the whole value would change", () =>
    fc.assert(
      fc.property(jsonObject, fc.array(jsonObject, { maxLength: 3 }), (value, patches) => {
        const shown = withoutNull(asJson(value))
        const sent = patches.reduce<Schema.JsonObject>((into, patch) => ({ ...into, ...asJson(patch) }), shown)
        expect(merge(shown, difference(shown, sent))).toEqual(merge(shown, sent))
      }),
    ))

  test("has no field that is the same in both, except within values that are replaced whole", () => {
    const shown = { a: { b: 1, c: { d: 1 } }, list: [1, 2] }
    const sent = { a: { b: 1, c: { d: 2 } }, list: [1, 2], new: 1 }
    expect(difference(shown, sent)).toEqual({ a: { c: { d: 2 } }, new: 1 })
    expect(difference(shown, sent, ["a"])).toEqual({ a: { b: 1, c: { d: 2 } }, new: 1 })
  })
})
