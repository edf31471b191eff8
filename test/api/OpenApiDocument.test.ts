import { expect, test } from "bun:test"
import { completeDocument, plainSchemas } from "../../src/api/OpenApiDocument.ts"

test("keywords within `allOf` move into the schema around it, at any depth", () => {
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

test("keywords within `allOf` stay there when the schema has two of the same", () => {
  for (const schema of [
    { type: "string", maxLength: 3, allOf: [{ maxLength: 2 }] },
    { type: "string", allOf: [{ pattern: "^a" }, { pattern: "b$" }] },
  ]) {
    expect(plainSchemas({ schema })).toEqual({ schema })
  }
})

test("the type that a check declares replaces the type `string`", () => {
  expect(plainSchemas({ type: "string", allOf: [{ type: "integer", minimum: 1 }] })).toEqual({
    type: "integer",
    minimum: 1,
  })
})

test("an array without `items` gets items of any kind, and another array stays as it is", () => {
  expect(plainSchemas({ type: "array" })).toEqual({ type: "array", items: {} })
  const pair = { type: "array", prefixItems: [{ type: "string" }] }
  expect(plainSchemas(pair)).toEqual(pair)
})

test("`anyOf` lists each alternative once, and a single alternative replaces it", () => {
  const [one, other] = [{ $ref: "#/components/schemas/One" }, { type: "null" }]
  expect(plainSchemas({ anyOf: [one, other, one] })).toEqual({ anyOf: [one, other] })
  expect(plainSchemas({ anyOf: [one, one], description: "Once." })).toEqual({ ...one, description: "Once." })
})

test("parameters get the description of their schema, and the responses 429 and 503 the header Retry-After", () => {
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

test("an object without declared fields allows any, and another object stays as it is", () => {
  const closed = { type: "object", properties: {}, additionalProperties: false }
  expect(plainSchemas({ open: { type: "object" }, closed })).toEqual({
    open: { type: "object", additionalProperties: true },
    closed,
  })
})

test("values such as defaults and examples stay as they are, even when they look like schemas", () => {
  const value = { type: "object", allOf: [{ a: 1 }] }
  const schema = { const: value, default: value, enum: [value], example: value, examples: [value] }
  expect(plainSchemas(schema)).toEqual(schema)
})
