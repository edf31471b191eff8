import { describe, expect, test } from "bun:test"
import { messageAt } from "../../../src/web/console/server/Failure.ts"
import {
  draftOf,
  headersOf,
  inputsOf,
  objectIn,
  sampleOf,
  schemaOf,
} from "../../../src/web/console/screens/tools/ToolForm.ts"

const stored = {
  name: "orderStatus",
  description: "Tells.",
  method: "GET" as const,
  url: "https://shop.example.com/{orderId}",
  input_schema: { type: "object", properties: { orderId: { type: "string" } }, required: ["orderId"] },
  headers: { authorization: null, "x-shop": null },
  timeout_ms: 5_000,
}

describe("the form of a tool", () => {
  test("says why a schema is no JSON object while it is typed", () => {
    expect(objectIn(draftOf().input_schema)).toHaveProperty("object")
    expect(objectIn("{")).toMatchObject({ problem: expect.stringContaining("Invalid JSON") })
    expect(objectIn("[]")).toEqual({ problem: "Enter a JSON object in braces." })
  })

  test("shows what the server refuses at the field that it is about", () => {
    const errors = [
      { path: "input_schema.properties.a.pattern", message: "Not a keyword that is checked" },
      { path: "url", message: "Expected an http(s) URL" },
    ]
    expect(["input_schema", "url", "name"].map((field) => messageAt(errors, field))).toEqual([
      "properties.a.pattern: Not a keyword that is checked",
      "Expected an http(s) URL",
      undefined,
    ])
  })

  test("sends header values that were typed, keeps stored ones and removes those that were taken away", () => {
    const [authorization] = draftOf(stored).headers
    if (authorization === undefined) throw new Error("No header")
    const added = { name: " x-new ", value: "n", isStored: false }
    expect(headersOf([authorization, added], stored.headers)).toEqual({ "x-shop": "", "x-new": "n" })
    const replaced = { name: "x-shop", value: "new", isStored: false }
    expect(headersOf([authorization, replaced], stored.headers)).toEqual({ "x-shop": "new" })
    expect(draftOf(stored).timeout_ms).toBe("5000")
  })
})

describe("the input of a tool", () => {
  const input = { name: "orderId", type: "string", description: "Order number.", isRequired: true } as const
  const count = { name: "count", type: "integer", description: "", isRequired: false } as const
  const schema = {
    type: "object",
    properties: { orderId: { type: "string", description: "Order number." }, count: { type: "integer" } },
    required: ["orderId"],
  }

  test("is shown as fields, and sent as the same schema", () => {
    expect(inputsOf(schema)).toEqual([input, count])
    expect(schemaOf([input, count])).toEqual({ object: schema })
    expect(inputsOf({ type: "object" })).toEqual([])
    expect(draftOf().inputs).toHaveLength(1)
  })

  test("has a name for each field", () => {
    expect(schemaOf([input, { ...count, name: " orderId" }])).toEqual({
      problem: "Give each input a name of its own.",
    })
  })

  test.each([
    { type: "object", properties: { kind: { type: "string", enum: ["a", "b"] } } },
    { type: "object", properties: { deep: { type: "object", properties: {} } } },
    { type: "object", properties: { either: { anyOf: [] } } },
    { type: "object", properties: { any: true } },
    { type: "object", properties: { odd: { type: "constructor" } } },
    { type: "object", properties: { " blank": { type: "string" } } },
    { type: "object", properties: { "": { type: "string" } } },
    { type: "object", properties: {}, additionalProperties: false },
    { type: "object", properties: {}, required: ["missing"] },
    { type: "array" },
    {},
  ])("is shown as text where fields cannot show it whole: %j", (other) => {
    expect(inputsOf(other)).toBeUndefined()
  })
})

describe("a sample input", () => {
  test("has every property of the schema", () => {
    expect(
      sampleOf({
        type: "object",
        properties: {
          id: { type: "string", examples: ["A-4711"] },
          count: { type: "integer", minimum: 1 },
          kind: { enum: ["a", "b"] },
          tags: { type: "array", items: { type: "string" } },
          deep: { type: "object", properties: { on: { type: "boolean" } } },
          either: { anyOf: [] },
        },
      }),
    ).toEqual({ id: "A-4711", count: 1, kind: "a", tags: [""], deep: { on: false }, either: null })
  })
})
