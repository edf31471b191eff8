import { describe, expect, test } from "bun:test"
import { Exit, Schema } from "effect"
import { boundedList, boundedRecord } from "../../../src/domain/schema/Bounded.ts"

/** An element that counts how often it is decoded. */
const counted = () => {
  let looks = 0
  const schema = Schema.String.check(
    Schema.makeFilter(() => {
      looks++
      return true
    }),
  ).annotate({ identifier: "Element" })
  return { schema, looks: () => looks }
}

const many = Array.from({ length: 1_000 }, (_, index) => String(index))

describe.each(["first", "all"] as const)("with %s errors", (errors) => {
  test("the elements of a list are not decoded when it is too long or too short", () => {
    const { looks, schema } = counted()
    const decode = Schema.decodeUnknownExit(Schema.toCodecJson(boundedList(schema, { minimum: 1, maximum: 3 })), {
      errors,
    })
    expect(String(decode(many))).toContain("Expected 1 to 3 elements")
    expect(Exit.isFailure(decode([]))).toBe(true)
    expect(looks()).toBe(0)
    expect(decode(["a", "b", "c"])).toEqual(Exit.succeed(["a", "b", "c"]))
    expect(looks()).toBe(3)
    expect(decode(["a"])).toEqual(Exit.succeed(["a"]))
    expect(String(decode({}))).toContain("Expected array")
    expect(String(decode(["a", 1]))).toContain("Expected Element")
  })

  test("the fields of a record are not decoded when there are too many", () => {
    const { looks, schema } = counted()
    const decode = Schema.decodeUnknownExit(Schema.toCodecJson(boundedRecord(schema, 2)), { errors })
    expect(String(decode(Object.fromEntries(many.map((name) => [name, "a"]))))).toContain("Expected at most 2 fields")
    expect(looks()).toBe(0)
    expect(decode({ a: "1", b: "2" })).toEqual(Exit.succeed({ a: "1", b: "2" }))
    expect(String(decode([]))).toContain("Expected object")
  })
})

test("JSON Schema shows bounded lists and records like any others", () => {
  const { schema } = counted()
  const description = "Some of them."
  const shown = Schema.toJsonSchemaDocument(
    Schema.toCodecJson(
      Schema.Struct({
        list: boundedList(schema, { minimum: 1, maximum: 3 }, { description }),
        record: boundedRecord(schema, 2, { description }),
      }),
    ),
  )
  expect(shown.schema["properties"]).toEqual({
    list: { type: "array", items: { $ref: "#/$defs/Element" }, minItems: 1, maxItems: 3, description },
    record: { type: "object", additionalProperties: { $ref: "#/$defs/Element" }, maxProperties: 2, description },
  })
})
