import type { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../../api/Api.ts"
import { pagePath } from "../../../api/Docs.ts"
import { escape } from "../Html.ts"
import { anchorOf, htmlOf } from "./Markdown.ts"

/*
 * The OpenAPI document by the pages of the reference, and its schemas as HTML.
 */

type Operations = Readonly<Record<string, Readonly<Record<string, OpenApi.OpenAPISpecOperation>>>>
interface Document extends Omit<OpenApi.OpenAPISpec, "paths"> {
  readonly paths: Operations
  readonly webhooks: Operations
}

export const { components, info, paths, tags, webhooks } = OpenApi.fromApi(Api) as unknown as Document

const operationsIn = (paths: Operations) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, path })),
  )

export type Operation = ReturnType<typeof operationsIn>[number]

const EVENTS = "Webhook events"
/** What is below a path, and the events, which have none. */
const operations = [
  ...operationsIn(paths),
  ...operationsIn(webhooks).map((event): Operation => ({ ...event, path: "", security: [], tags: [EVENTS] })),
]

/** The groups of operations, each with the path of its page. */
export const groups = [...tags, { name: EVENTS }].map(({ description = "", name }) => ({
  path: pagePath(`api-${anchorOf(name)}`),
  title: name,
  description,
  operations: operations.filter((one) => one.tags.includes(name)),
}))

/** A JSON Schema with what this API uses of it. */
export interface Shape extends Partial<
  Record<"$ref" | "description" | "format" | "type", string> &
    Record<"maximum" | "maxItems" | "maxLength" | "minimum" | "minItems" | "minLength", number> &
    Record<"enum" | "examples", ReadonlyArray<Schema.Json>>
> {
  readonly additionalProperties?: Shape | boolean
  readonly anyOf?: ReadonlyArray<Shape>
  readonly default?: Schema.Json
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: ReadonlyArray<string>
}

const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf("/") + 1)

/** The schema itself, or the one that it refers to. */
export const resolve = (schema: Shape): Shape =>
  schema.$ref === undefined ? schema : (components.schemas[nameOf(schema.$ref)] ?? {})

/** The path of the page of each schema by its name, that of the first group that uses it; the page about errors has the problems. */
export const homes = new Map<string, string>()
const settle = (path: string, value: unknown): void => {
  for (const [, $ref = ""] of JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g)) {
    const name = nameOf($ref)
    if (name.startsWith("Problem.") || homes.has(name)) continue
    homes.set(name, path)
    settle(path, components.schemas[name])
  }
}
for (const { operations, path } of groups) settle(path, operations)

const code = (value: Schema.Json): string =>
  `<code>${escape(typeof value === "string" ? value : JSON.stringify(value))}</code>`

/** The type of a value, such as `string (uuid)`, a list of values that are allowed, or a link to a schema. */
export const typeOf = (schema: Shape): string => {
  const { $ref, additionalProperties, anyOf, format, items, type = "any value" } = schema
  if ($ref !== undefined) return `<a href="..${homes.get(nameOf($ref))}#schema-${nameOf($ref)}">${nameOf($ref)}</a>`
  if (schema.enum !== undefined) return schema.enum.map(code).join(" or ")
  if (anyOf !== undefined) return Array.from(new Set(anyOf.map(typeOf))).join(" or ")
  if (items !== undefined) return `list of ${typeOf(items)}`
  if (typeof additionalProperties === "object" && schema.properties === undefined)
    return `object of ${typeOf(additionalProperties)}`
  return format === undefined ? type : `${type} (${format})`
}

/** A lower and an upper bound in words, such as `1 to 200 characters`. JavaScript's largest integer is no bound. */
const bounds = (lowest = 0, highest = Number.MAX_SAFE_INTEGER, unit = ""): ReadonlyArray<string> => {
  if (highest !== Number.MAX_SAFE_INTEGER) return [`${lowest === 0 ? "at most" : `${lowest} to`} ${highest}${unit}`]
  return lowest === 0 ? [] : [`at least ${lowest}${unit}`]
}

export const list = (fields: ReadonlyArray<string>): string =>
  fields.length === 0 ? "" : `<ul class="fields">${fields.join("\n")}</ul>`

/** A field with its type, its bounds, what it means, and the fields within it; `required` says whether it is marked so. */
export const field = (name: string, schema: Shape, isSent: boolean, isRequired: boolean, meaning?: string): string => {
  const type = [
    typeOf(schema),
    ...bounds(schema.minLength, schema.maxLength, " characters"),
    ...bounds(schema.minimum, schema.maximum),
    ...bounds(schema.minItems, schema.maxItems, " items"),
    ...(schema.default === undefined ? [] : [`default ${code(schema.default)}`]),
  ].join(", ")
  const mark = isSent && isRequired ? ' <strong class="required">required</strong>' : ""
  const rest = htmlOf(meaning ?? schema.description ?? "") + fieldsOf(schema, isSent)
  return `<li><code class="name">${escape(name)}</code> <span class="type">${type}</span>${mark}${rest}</li>`
}

/**
 * The fields of an object, of the items of a list, or of each of several alternatives; empty for any other value. Those
 * that are required are marked in what is sent to the server: in its answers they mean nothing to the reader.
 */
export const fieldsOf = (schema: Shape, isSent: boolean): string => {
  const { additionalProperties, anyOf = [], items, properties = {}, required = [] } = schema
  const own = Object.entries(properties).map(([name, one]) => field(name, one, isSent, required.includes(name)))
  const within = [items, additionalProperties, ...anyOf].filter((one) => typeof one === "object")
  return [list(own), ...within.map((one) => fieldsOf(one, isSent))].join("")
}
