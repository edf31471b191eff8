import type { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { failures } from "../domain/Errors.ts"
import { saysWhen } from "../domain/Failure.ts"
import { merge } from "../domain/schema/Merge.ts"
import { IsCrossOrigin } from "./Annotations.ts"

/** The OpenAPI document of this API. */
export const openApiDocument = HttpApiEndpoint.get("openApiDocument", "/openapi.json")

/** What programs read to learn the API. */
export class OpenApiDocumentApi extends HttpApiGroup.make("openApiDocument")
  .add(openApiDocument)
  .annotate(IsCrossOrigin, false) {}

/*
 * What Effect's OpenAPI document lacks for linters and for generators of clients, added to the whole of it at once.
 */

/** What holds values and no schemas. */
const valueKeywords: ReadonlySet<string> = new Set(["const", "default", "enum", "example", "examples"])
/** What says which fields an object has. */
const fieldKeywords = ["additionalProperties", "patternProperties", "properties"]

const isObject = (value: Schema.Json | undefined): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const mapFields = (
  value: Schema.Json | undefined,
  change: (item: Schema.Json, key: string) => Schema.Json,
): Schema.JsonObject =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, change(item, key)])) : {}

/**
 * Says the same of every schema below in the plainest way, since generators of clients take little else for what it is:
 * what `allOf` adds stands beside the rest, an array or object of anything says so, and no alternative stands twice.
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
  // A check may say what a text stands for, such as the number in a query: then that is the type.
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

/** Says what a parameter is for beside its schema too, where documentation and linters look. */
const describedParameter = (parameter: Schema.Json): Schema.Json => {
  if (!isObject(parameter) || !isObject(parameter["schema"])) return parameter
  const { description } = parameter["schema"]
  return description === undefined ? parameter : { ...parameter, description }
}

/** Every failure of these says when the request may be sent again. */
const retryStatuses: ReadonlySet<string> = new Set(
  Object.values(failures).flatMap((failure) => (saysWhen(failure) ? [String(failure.declaration.status)] : [])),
)

const retryAfter = {
  headers: {
    "Retry-After": {
      description: "Seconds to wait before the request is sent again.",
      required: true,
      schema: { type: "integer", minimum: 1, examples: [5] },
    },
  },
}

const completeOperation = (operation: Schema.Json): Schema.Json =>
  isObject(operation)
    ? {
        ...operation,
        ...(Array.isArray(operation["parameters"]) && { parameters: operation["parameters"].map(describedParameter) }),
        responses: mapFields(operation["responses"], (response, status) =>
          isObject(response) && retryStatuses.has(status) ? merge(response, retryAfter) : response,
        ),
      }
    : operation

/** The document as it is served. */
export const completeDocument = (document: Schema.JsonObject): Schema.JsonObject => {
  const plain = plainSchemas(document)
  return {
    ...plain,
    info: { ...mapFields(plain["info"], (item) => item), contact: { name: "The operator of this server" } },
    paths: mapFields(plain["paths"], (path) => mapFields(path, completeOperation)),
  }
}
