import { expect, test } from "bun:test"
import { completeDocument, plainSchemas } from "../../src/api/OpenApiDocument.ts"

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

test("a check that says what a text stands for wins over its being a text", () => {
  expect(plainSchemas({ type: "string", allOf: [{ type: "integer", minimum: 1 }] })).toEqual({
    type: "integer",
    minimum: 1,
  })
})

test("an array of anything says so, and one of something is left as it is", () => {
  expect(plainSchemas({ type: "array" })).toEqual({ type: "array", items: {} })
  const pair = { type: "array", prefixItems: [{ type: "string" }] }
  expect(plainSchemas(pair)).toEqual(pair)
})

test("an alternative that stands twice is left out, and one alone is no alternative", () => {
  const [one, other] = [{ $ref: "#/components/schemas/One" }, { type: "null" }]
  expect(plainSchemas({ anyOf: [one, other, one] })).toEqual({ anyOf: [one, other] })
  expect(plainSchemas({ anyOf: [one, one], description: "Once." })).toEqual({ ...one, description: "Once." })
})

test("parameters say what they are for, and 429 and 503 when to come back", () => {
  const parameter = { name: "page", in: "query", schema: { type: "integer", description: "Which." } }
  const document = completeDocument({
    info: { title: "Parley" },
    paths: { "/": { get: { parameters: [parameter], responses: { 200: {}, 429: {}, 503: {} } } } },
  })
  expect(document).toMatchObject({
    info: { title: "Parley", contact: { name: expect.any(String) } },
    paths: {
      "/": {
        get: {
          parameters: [{ ...parameter, description: "Which." }],
          responses: { 429: { headers: { "Retry-After": {} } }, 503: { headers: { "Retry-After": {} } } },
        },
      },
    },
  })
  expect(document).toHaveProperty(["paths", "/", "get", "responses", "200"], {})
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
