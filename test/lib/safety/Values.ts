import * as fc from "fast-check"
import type { JsonSchema } from "./ApiDocument.ts"

/*
 * JSON values that fit schemas of the OpenAPI document.
 */

type Resolve = (schema: JsonSchema) => JsonSchema

const typesOf = ({ type }: JsonSchema): ReadonlyArray<string> => (Array.isArray(type) ? type : type ? [type] : [])

/** The most items of an array and fields of an open object that are generated. */
const MANY = 3

const nested = (schemas: unknown): ReadonlyArray<JsonSchema> =>
  Array.isArray(schemas) ? schemas.filter((one): one is JsonSchema => typeof one === "object" && one !== null) : []

/** The schema for the items of an array, or for the further fields of an object. */
const oneSchema = (schema: unknown): JsonSchema => (typeof schema === "object" && schema !== null ? schema : {})

/** Generates values that fit a schema. Patterns are kept to, formats other than `uuid` are not. */
export const valuesOf = (given: JsonSchema, resolve: Resolve): fc.Arbitrary<unknown> => {
  const schema = resolve(given)
  if ("const" in schema) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom<unknown>(...schema.enum)
  const either = nested(schema.anyOf ?? schema.oneOf)
  if (either.length > 0) return fc.oneof(...either.map((one) => valuesOf(one, resolve)))
  const types = typesOf(schema)
  if (types.length === 0) return fc.jsonValue({ maxDepth: 2 })
  const plain = fc.oneof(...types.map((type) => valuesOfType(type, schema, resolve)))
  const examples: ReadonlyArray<unknown> = Array.isArray(schema["examples"]) ? schema["examples"] : []
  return examples.length === 0 ? plain : fc.oneof(fc.constantFrom(...examples), plain)
}

const valuesOfType = (type: string, schema: JsonSchema, resolve: Resolve): fc.Arbitrary<unknown> => {
  switch (type) {
    case "string":
      return textsOf(schema)
    case "integer":
      return fc.integer({ min: schema.minimum ?? -1_000, max: Math.min(schema.maximum ?? 1_000, 2 ** 31 - 1) })
    case "number":
      return fc.double({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000, noNaN: true })
    case "boolean":
      return fc.boolean()
    case "array":
      return fc.array(valuesOf(oneSchema(schema.items), resolve), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? MANY, Math.max(MANY, schema.minItems ?? 0)),
      })
    case "object":
      return objectsOf(schema, resolve)
    default:
      return fc.constant(null)
  }
}

const textsOf = ({ format, maxLength = 200, minLength = 0, pattern }: JsonSchema): fc.Arbitrary<string> => {
  if (format === "uuid") return fc.uuid()
  if (pattern !== undefined) {
    return fc.stringMatching(new RegExp(pattern, "u")).filter((text) => text.length <= maxLength)
  }
  return fc.string({ unit: "grapheme-ascii", minLength, maxLength: Math.max(minLength, Math.min(maxLength, 40)) })
}

const objectsOf = (schema: JsonSchema, resolve: Resolve): fc.Arbitrary<unknown> => {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, field]) => [name, valuesOf(oneSchema(field), resolve)] as const,
  )
  const known = fc.record(Object.fromEntries(fields), {
    requiredKeys: (schema.required ?? []).filter((name) => name in (schema.properties ?? {})),
  })
  const more = schema.additionalProperties
  if (typeof more !== "object" || more === null) return known
  const others = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), valuesOf(more, resolve), { maxKeys: MANY })
  return fc.tuple(others, known).map(([first, second]) => ({ ...first, ...second }))
}

/** The smallest value that fits a schema, with what the schema gives as an example. */
export const sampleOf = (given: JsonSchema, resolve: Resolve): unknown => {
  const schema = resolve(given)
  if ("const" in schema) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (Array.isArray(schema["examples"])) return schema["examples"][0]
  const [either] = nested(schema.anyOf ?? schema.oneOf)
  if (either !== undefined) return sampleOf(either, resolve)
  switch (typesOf(schema)[0]) {
    case "string":
      return schema.pattern === undefined ? "text" : fc.sample(textsOf(schema), { numRuns: 1, seed: 1 })[0]
    case "integer":
    case "number":
      return schema.minimum ?? 1
    case "boolean":
      return true
    case "array":
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(oneSchema(schema.items), resolve))
    case "object":
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sampleOf(oneSchema(schema.properties?.[name]), resolve)]),
      )
    default:
      return null
  }
}
