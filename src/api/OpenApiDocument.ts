import type { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { failures } from "../domain/Errors.ts"
import { saysWhen } from "../domain/Failure.ts"
import { IDEMPOTENCY_KEY_MAX_LENGTH } from "../domain/IdempotencyKey.ts"
import { isObject, merge } from "../domain/schema/Merge.ts"
import { webhookOperations as webhooks } from "./webhooks/WebhookOperations.ts"
import { IsCrossOrigin } from "./parts/Annotations.ts"

export const openApiDocument = HttpApiEndpoint.get("openApiDocument", "/openapi.json")

/** The OpenAPI document, as a group with one endpoint. */
export class OpenApiDocumentApi extends HttpApiGroup.make("openApiDocument")
  .add(openApiDocument)
  .annotate(IsCrossOrigin, false) {}

/*
 * The OpenAPI document that Effect derives lacks what linters and generators of clients need. These functions add it.
 */

/** The keywords of JSON Schema that hold values rather than schemas. */
const valueKeywords: ReadonlySet<string> = new Set(["const", "default", "enum", "example", "examples"])
/** The keywords of JSON Schema that say which fields an object has. */
const fieldKeywords = ["additionalProperties", "patternProperties", "properties"]

const mapFields = (
  value: Schema.Json | undefined,
  change: (item: Schema.Json, key: string) => Schema.Json,
): Schema.JsonObject =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item, key)])) : {}

/**
 * Rewrites every schema in a document to an equivalent one that generators of clients understand: keywords within
 * `allOf` move into the schema around it, arrays and objects without a description of their contents say that anything
 * is allowed, and `anyOf` lists each alternative once.
 */
export const plainSchemas = (value: Schema.JsonObject): Schema.JsonObject =>
  plain(mapFields(value, (item, key) => (valueKeywords.has(key) ? item : plainIn(item))))

const plainIn = (value: Schema.Json): Schema.Json => {
  if (Array.isArray(value)) return value.map(plainIn)
  return isObject(value) ? plainSchemas(value) : value
}

const plain = (schema: Schema.JsonObject): Schema.JsonObject => withoutRepeats(withContents(withoutAllOf(schema)))

const withoutAllOf = (schema: Schema.JsonObject): Schema.JsonObject => {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf) || !allOf.every(isObject)) return schema
  const keys = [rest, ...allOf].flatMap((part) => Object.keys(part))
  // A check may declare that a string represents another type, such as a number in a query; that type wins.
  const said = allOf.some((part) => "type" in part) ? keys.filter((key) => key !== "type") : keys
  return new Set(said).size === said.length ? Object.assign({}, rest, ...allOf) : schema
}

const withContents = (schema: Schema.JsonObject): Schema.JsonObject => {
  if (schema["type"] === "array" && !("items" in schema) && !("prefixItems" in schema)) return { ...schema, items: {} }
  return schema["type"] === "object" && !fieldKeywords.some((keyword) => keyword in schema)
    ? { ...schema, additionalProperties: true }
    : schema
}

const withoutRepeats = (schema: Schema.JsonObject): Schema.JsonObject => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const different = Array.from(new Map(anyOf.map((one) => [JSON.stringify(one), one])).values())
  const [only] = different
  return different.length === 1 && isObject(only) ? { ...only, ...rest } : { ...schema, anyOf: different }
}

/** Copies the description of a parameter's schema to the parameter itself, where linters look for it. */
const describedParameter = (parameter: Schema.Json): Schema.Json => {
  if (!isObject(parameter) || !isObject(parameter["schema"])) return parameter
  const { description } = parameter["schema"]
  return description === undefined ? parameter : { ...parameter, description }
}

const failuresByStatus = Map.groupBy(Object.values(failures), ({ declaration }) => String(declaration.status))

/** The failures that a response stands for: those of its status that its description names, else all of its status. */
const failuresOf = (status: string, description: Schema.Json | undefined) => {
  const all = failuresByStatus.get(status) ?? []
  const named = all.filter(({ declaration }) => String(description).includes(`\`${declaration.code}\``))
  return named.length === 0 ? all : named
}

const retryAfter = (required: boolean) => ({
  headers: {
    "Retry-After": {
      description: "Seconds to wait before the request is sent again.",
      required,
      schema: { type: "integer", minimum: 1, examples: [5] },
    },
  },
})

/** The request header that every operation which may change anything understands. */
const idempotencyKey = {
  name: "idempotency-key",
  in: "header",
  required: false,
  schema: {
    type: "string",
    minLength: 1,
    // The longest key, with each character escaped, in quotes.
    maxLength: 2 * IDEMPOTENCY_KEY_MAX_LENGTH + 2,
    description: `Makes it safe to send this request again: it is done once, and the same request with the same key is sent the first answer for 24 hours, with \`Idempotency-Replayed: true\`. At most ${IDEMPOTENCY_KEY_MAX_LENGTH} visible ASCII characters that nobody chooses twice, such as a UUID. 409 while the first request is running, 422 with another request.`,
    examples: ["01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"],
  },
}

const rateLimits = {
  headers: {
    RateLimit: {
      description: "What remains of the rate limit of the API key; absent when there is no limit.",
      schema: { type: "string", examples: ['"key";r=57;t=3'] },
    },
    "RateLimit-Policy": {
      description: "The rate limit of the API key: a quota `q` within `w` seconds.",
      schema: { type: "string", examples: ['"key";q=100;w=10'] },
    },
  },
}

const changingMethods: ReadonlySet<string> = new Set(["patch", "post"])

/** Whether an operation needs an API key, and not the token of a visitor. */
const needsKey = ({ security }: Schema.JsonObject): boolean =>
  Array.isArray(security) && security.some((one) => isObject(one) && "apiKey" in one)

const parametersOf = (operation: Schema.JsonObject, method: string): ReadonlyArray<Schema.Json> => {
  const { parameters } = operation
  const isIdempotent = changingMethods.has(method) && needsKey(operation)
  return [...(Array.isArray(parameters) ? parameters : []), ...(isIdempotent ? [idempotencyKey] : [])]
}

const completeOperation = (operation: Schema.Json, method: string): Schema.Json =>
  isObject(operation)
    ? {
        ...operation,
        parameters: parametersOf(operation, method).map(describedParameter),
        responses: mapFields(operation["responses"], (response, status) => {
          if (!isObject(response)) return response
          const found = failuresOf(status, response["description"])
          const timed = found.some(saysWhen) ? merge(response, retryAfter(found.every(saysWhen))) : response
          // Without a valid key no key's limit is known.
          return needsKey(operation) && status !== "401" ? merge(timed, rateLimits) : timed
        }),
      }
    : operation

const webhookOperations = plainSchemas(webhooks)

/** Completes the OpenAPI document that Effect derives, for linters and for generators of clients. */
export const completeDocument = (document: Schema.JsonObject): Schema.JsonObject => {
  const plain = plainSchemas(document)
  return {
    ...plain,
    info: { ...mapFields(plain["info"], (item) => item), contact: { name: "The operator of this server" } },
    paths: mapFields(plain["paths"], (path) => mapFields(path, completeOperation)),
    webhooks: webhookOperations,
  }
}
