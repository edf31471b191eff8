import { describe, expect, test } from "bun:test"
import { Validator } from "@cfworker/json-schema"
import fc from "fast-check"
import { inputSchemaIssues, INPUT_SCHEMA_MAX_DEPTH, requiredOf } from "../../../src/domain/chatbot/InputSchema.ts"

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more })
const paths = (schema: object) =>
  inputSchemaIssues(JSON.parse(JSON.stringify(schema))).map(({ path }) => path.join("."))

describe("the schema of a tool's input", () => {
  test("may use every supported keyword", () => {
    const schema = object(
      {
        id: { type: "string", minLength: 1, maxLength: 9, format: "uuid", title: "Id", description: "Of it" },
        count: { type: ["integer", "null"], minimum: 0, exclusiveMaximum: 9, multipleOf: 2, default: 2 },
        kind: { enum: ["a", 1, null, { a: 1 }], examples: ["a"] },
        list: { type: "array", items: { const: 1 }, prefixItems: [true], minItems: 1, maxItems: 3, uniqueItems: true },
        any: { anyOf: [{ type: "string" }, { not: { type: "string" } }], oneOf: [true], allOf: [{}] },
        deep: object(
          {
            a: JSON.parse('{"if": {}, "then": {}, "else": false}'),
          },
          { additionalProperties: { type: "string" } },
        ),
        properties: object({ $ref: { type: "string" }, required: true }, { propertyNames: { maxLength: 9 } }),
      },
      { required: ["id"], additionalProperties: false, $schema: "https://json-schema.org/draft/2020-12/schema" },
    )
    expect(inputSchemaIssues(JSON.parse(JSON.stringify(schema)))).toEqual([])
  })

  test.each<readonly [string, object, ReadonlyArray<string>]>([
    ["a type other than object", { type: "string" }, ["type"]],
    ["no type", { properties: {} }, ["type"]],
    ["an unknown type", object({ a: { type: "text" } }), ["properties.a.type"]],
    ["a repeated type", object({ a: { type: ["string", "string"] } }), ["properties.a.type"]],
    ["properties as a list", { type: "object", properties: ["a"] }, ["properties"]],
    ["a property that is not a schema", object({ a: "string" }), ["properties.a"]],
    ["required as a flag", object({}, { required: true }), ["required"]],
    ["required numbers", object({}, { required: [1] }), ["required"]],
    ["an empty enum", object({ a: { enum: [] } }), ["properties.a.enum"]],
    ["a negative length", object({ a: { minLength: -1 } }), ["properties.a.minLength"]],
    ["a fractional length", object({ a: { maxLength: 1.5 } }), ["properties.a.maxLength"]],
    ["a minimum as text", object({ a: { minimum: "1" } }), ["properties.a.minimum"]],
    ["a multiple of zero", object({ a: { multipleOf: 0 } }), ["properties.a.multipleOf"]],
    ["an empty list of alternatives", object({ a: { anyOf: [] } }), ["properties.a.anyOf"]],
    ["items as a list", object({ a: { items: [{}] } }), ["properties.a.items"]],
    ["an unsupported format", object({ a: { format: "phone" } }), ["properties.a.format"]],
    ["a reference", object({ a: { $ref: "#" } }), ["properties.a.$ref"]],
    ["a regular expression", object({ a: { pattern: "(a+)+$" } }), ["properties.a.pattern"]],
    ["a misspelt keyword", object({}, { requird: [] }), ["requird"]],
    ["alternatives at the top", object({}, { oneOf: [{}] }), ["oneOf"]],
    ["another dialect", object({}, { $schema: "http://json-schema.org/draft-04/schema#" }), ["$schema"]],
    ["several mistakes", object({ a: { type: 1 }, b: { items: 1 } }), ["properties.a.type", "properties.b.items"]],
  ])("is refused with %s", (_, schema, wrong) => {
    expect(paths(schema)).toEqual([...wrong])
  })

  test("is limited in length, depth and number of properties", () => {
    const nest = (depth: number): object => (depth === 0 ? {} : { items: nest(depth - 1) })
    expect(paths(object({ a: nest(INPUT_SCHEMA_MAX_DEPTH - 2) }))).toEqual([])
    expect(paths(object({ a: nest(INPUT_SCHEMA_MAX_DEPTH - 1) }))).not.toEqual([])
    expect(paths(object(Object.fromEntries(Array.from({ length: 255 }, (_, index) => [`p${index}`, true]))))).toEqual(
      [],
    )
    expect(paths(object(Object.fromEntries(Array.from({ length: 256 }, (_, index) => [`p${index}`, true]))))).toEqual([
      "",
    ])
    const long = (length: number) =>
      object({}, { description: "x".repeat(length - JSON.stringify(object({}, { description: "" })).length) })
    expect(paths(long(16_384))).toEqual([])
    expect(paths(long(16_385))).toEqual([""])
  })

  test("may bound what there is by nothing", () => {
    expect(paths(object({ a: { minLength: 0, maxItems: 0 } }))).toEqual([])
  })

  test("names what it requires", () => {
    expect(requiredOf({ type: "object", required: ["a", "b"] })).toEqual(["a", "b"])
    expect(requiredOf({ type: "object" })).toEqual([])
  })

  test("never makes the validator throw once it is accepted", () => {
    const keyword = fc.constantFrom(
      "type",
      "items",
      "properties",
      "required",
      "enum",
      "anyOf",
      "minLength",
      "if",
      "not",
      "format",
    )
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.constantFrom("string", "object", "array"),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(keyword, tie("value"), { maxKeys: 4 }),
      ),
    })).value
    let accepted = 0
    fc.assert(
      fc.property(fc.dictionary(keyword, json, { maxKeys: 3 }), fc.jsonValue(), (part, input) => {
        const schema = JSON.parse(JSON.stringify({ type: "object", properties: { a: part } }))
        if (inputSchemaIssues(schema).length > 0) return
        accepted++
        new Validator(schema, "2020-12", false).validate({ a: input })
      }),
      { numRuns: 3_000 },
    )
    expect(accepted).toBeGreaterThan(100)
  })
})
