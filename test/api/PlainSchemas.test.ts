import { expect, test } from "bun:test"
import { plainSchemas } from "../../src/api/PlainSchemas.ts"

test("what `allOf` adds stands beside the rest, however deep", () => {
  const id = { type: "string", allOf: [{ format: "uuid", description: "Whose." }] }
  expect(plainSchemas({ schemas: { One: { properties: { id }, anyOf: [id, { type: "null" }] } } })).toEqual({
    schemas: {
      One: {
        properties: { id: { type: "string", format: "uuid", description: "Whose." } },
        anyOf: [{ type: "string", format: "uuid", description: "Whose." }, { type: "null" }],
      },
    },
  })
})

test("what is said twice is left as it is", () => {
  for (const schema of [
    { type: "string", maxLength: 3, allOf: [{ maxLength: 2 }] },
    { type: "string", allOf: [{ pattern: "^a" }, { pattern: "b$" }] },
  ]) {
    expect(plainSchemas({ schema })).toEqual({ schema })
  }
})

test("an object of any fields says so, and another is left as it is", () => {
  const closed = { type: "object", properties: {}, additionalProperties: false }
  expect(plainSchemas({ open: { type: "object" }, closed })).toEqual({
    open: { type: "object", additionalProperties: true },
    closed,
  })
})

test("values are no schemas", () => {
  const value = { type: "object", allOf: [{ a: 1 }] }
  const schema = { const: value, default: value, enum: [value], example: value, examples: [value] }
  expect(plainSchemas(schema)).toEqual(schema)
})
