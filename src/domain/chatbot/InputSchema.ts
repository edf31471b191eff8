import { Predicate, type Schema } from "effect"

/*
 * The JSON Schemas (draft 2020-12) that check the input of a tool. A schema that is accepted here is checked in full:
 * keywords that cannot be are refused instead of being ignored. These are `$ref`, whose expansion may not end, and
 * regular expressions, some of which take exponential time.
 */

/** Longest schema, in UTF-16 code units of its JSON. */
export const INPUT_SCHEMA_MAX_LENGTH = 16_384
/** The deepest nesting of schemas, counting the outermost. */
export const INPUT_SCHEMA_MAX_DEPTH = 8
/** The most schemas in a schema, counting itself: each of them may be checked against each part of an input. */
export const INPUT_SCHEMA_MAX_COUNT = 256

export interface SchemaIssue {
  readonly path: ReadonlyArray<PropertyKey>
  readonly issue: string
}

type Check = (value: unknown) => string | undefined

const isOneOf =
  (...choices: ReadonlyArray<unknown>): Check =>
  (value) =>
    choices.includes(value) ? undefined : `Expected one of ${choices.join(", ")}`

const countDifferent = (values: ReadonlyArray<unknown>) => new Set(values.map((value) => JSON.stringify(value))).size

const listOf =
  (each: Check, minimum: number): Check =>
  (value) => {
    if (!Array.isArray(value) || value.length < minimum || countDifferent(value) !== value.length) {
      return `Expected an array of ${minimum === 0 ? "" : "one or more "}different values`
    }
    return value.map(each).find((problem) => problem !== undefined)
  }

const anything: Check = () => undefined
const text: Check = (value) => (typeof value === "string" ? undefined : "Expected a text")
const flag: Check = (value) => (typeof value === "boolean" ? undefined : "Expected true or false")
const number: Check = (value) => (Number.isFinite(value) ? undefined : "Expected a number")
const positive: Check = (value) =>
  Number.isFinite(value) && Number(value) > 0 ? undefined : "Expected a number over 0"
const count: Check = (value) =>
  Number.isInteger(value) && Number(value) >= 0 ? undefined : "Expected a whole number from 0 on"
const typeName = isOneOf("string", "number", "integer", "boolean", "object", "array", "null")

/** Keywords that hold no schemas. */
const plain: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["type", (value) => (Array.isArray(value) ? listOf(typeName, 1)(value) : typeName(value))],
  ["enum", listOf(anything, 1)],
  ["const", anything],
  ["minimum", number],
  ["maximum", number],
  ["exclusiveMinimum", number],
  ["exclusiveMaximum", number],
  ["multipleOf", positive],
  ["minLength", count],
  ["maxLength", count],
  // The formats that are checked; a validator ignores any other.
  ["format", isOneOf("date", "time", "date-time", "duration", "email", "hostname", "ipv4", "ipv6", "uri", "uuid")],
  ["minItems", count],
  ["maxItems", count],
  ["uniqueItems", flag],
  ["minContains", count],
  ["maxContains", count],
  ["minProperties", count],
  ["maxProperties", count],
  ["required", listOf(text, 0)],
  ["title", text],
  ["description", text],
  ["default", anything],
  ["examples", (value) => (Array.isArray(value) ? undefined : "Expected an array")],
  ["deprecated", flag],
  ["readOnly", flag],
  ["writeOnly", flag],
  ["$comment", text],
  ["$schema", isOneOf("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#")],
])

/** Keywords whose value is a schema, a list of schemas, or a schema for each name. */
const subschemas: ReadonlyMap<string, "one" | "list" | "named"> = new Map([
  ["additionalProperties", "one"],
  ["propertyNames", "one"],
  ["items", "one"],
  ["contains", "one"],
  ["not", "one"],
  ["if", "one"],
  ["then", "one"],
  ["else", "one"],
  ["prefixItems", "list"],
  ["allOf", "list"],
  ["anyOf", "list"],
  ["oneOf", "list"],
  ["properties", "named"],
])

/** Keywords that model providers refuse in the outermost schema. */
const notOutermost = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "enum", "const"]

/**
 * Reasons why a value cannot be the schema of a tool's input, which has to describe an object and its properties; none
 * if it can.
 */
export const inputSchemaIssues = (schema: Schema.JsonObject): ReadonlyArray<SchemaIssue> => {
  if (JSON.stringify(schema).length > INPUT_SCHEMA_MAX_LENGTH) {
    return [{ path: [], issue: `Expected a schema of at most ${INPUT_SCHEMA_MAX_LENGTH} characters` }]
  }
  const issues: Array<SchemaIssue> = []
  if (schema["type"] !== "object") issues.push({ path: ["type"], issue: "Expected object" })
  for (const keyword of notOutermost) {
    if (keyword in schema) issues.push({ path: [keyword], issue: "Not possible in the outermost schema" })
  }
  let schemas = 0
  const visit = (value: unknown, path: ReadonlyArray<PropertyKey>, depth: number): void => {
    schemas++
    if (typeof value === "boolean") return
    if (!Predicate.isObject(value)) return void issues.push({ path, issue: "Expected a JSON Schema" })
    if (depth > INPUT_SCHEMA_MAX_DEPTH) {
      return void issues.push({ path, issue: `Expected schemas that nest at most ${INPUT_SCHEMA_MAX_DEPTH} deep` })
    }
    for (const [keyword, held] of Object.entries(value)) {
      const inner = [...path, keyword]
      const check = plain.get(keyword)
      const kind = subschemas.get(keyword)
      const issue = check?.(held) ?? (kind === undefined ? undefined : wrongForm(kind, held))
      if (check === undefined && kind === undefined)
        issues.push({ path: inner, issue: "Not a keyword that is checked" })
      else if (issue !== undefined) issues.push({ path: inner, issue })
      else if (kind === "one") visit(held, inner, depth + 1)
      else if (kind !== undefined && isContainer(held)) {
        for (const [name, one] of Object.entries(held)) visit(one, [...inner, name], depth + 1)
      }
    }
  }
  visit(schema, [], 1)
  if (schemas > INPUT_SCHEMA_MAX_COUNT) {
    issues.push({ path: [], issue: `Expected at most ${INPUT_SCHEMA_MAX_COUNT} schemas in all` })
  }
  return issues
}

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null

const wrongForm = (kind: "one" | "list" | "named", held: unknown): string | undefined => {
  if (kind === "list") return Array.isArray(held) && held.length > 0 ? undefined : "Expected an array of JSON Schemas"
  return kind === "named" && !Predicate.isObject(held) ? "Expected an object of JSON Schemas" : undefined
}

/** The names of the required properties of an input. */
export const requiredOf = (schema: Schema.JsonObject): ReadonlyArray<string> => {
  const { required } = schema
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : []
}
