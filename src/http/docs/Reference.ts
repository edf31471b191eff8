import { Effect, type Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { isObject } from "../../domain/schema/Merge.ts"
import { escape } from "../web/Html.ts"
import { curl, schemesOf } from "./Example.ts"
import { anchorOf, converter } from "./Pages.ts"
import { field, fieldsOf, list, object, schemaAnchor, type Showing, text, typeOf } from "./SchemaHtml.ts"

/*
 * The reference of the API, rendered from the OpenAPI document: every operation by its group, then the schemas.
 */

/** Schemas of problems, which the page about errors describes. */
const isProblem = (name: string): boolean => name.startsWith("Problem.")

/** Headers that many responses have, which the beginning of the reference describes. */
const commonHeaders: ReadonlySet<string> = new Set(["RateLimit", "RateLimit-Policy", "Retry-After"])

const credentials = (operation: Schema.JsonObject): string => {
  const names = schemesOf(operation)
  if (names.has("apiKey")) return "API key"
  return names.has("visitor") ? "visitor token" : "no key"
}

const parameters = (operation: Schema.JsonObject, showing: Showing): string =>
  ["path", "query", "header"]
    .map((place) => {
      const fields = list(operation["parameters"])
        .map(object)
        .filter((one) => one["in"] === place)
        .map((one) =>
          field(text(one["name"]), object(one["schema"]), one["required"] === true, showing, text(one["description"])),
        )
      const title = { path: "Path", query: "Query", header: "Headers" }[place]
      return fields.length === 0 ? "" : `<h4>${title}</h4>\n<ul class="fields">${fields.join("\n")}</ul>\n`
    })
    .join("")

/** The forms of a body, each with its media type. */
const bodies = (title: string, content: Schema.JsonObject, showing: Showing): string =>
  Object.entries(content)
    .map(([mediaType, form]) => {
      const schema = object(object(form)["schema"])
      const fields = fieldsOf(schema, showing)
      const type =
        fields === "" || schema["type"] === "array" || "anyOf" in schema ? `<p class="type">${typeOf(schema)}</p>` : ""
      return `<h4>${title} <code>${escape(mediaType)}</code></h4>\n${type}${fields}\n`
    })
    .join("")

const success = (status: string, response: Schema.JsonObject, showing: Showing): string => {
  const headers = Object.entries(object(response["headers"])).filter(([name]) => !commonHeaders.has(name))
  const shown = headers.map(([name, header]) => field(name, object(object(header)["schema"]), false, showing))
  const content = object(response["content"])
  return [
    Object.keys(content).length === 0 ? `<h4>Response ${status}</h4>\n<p>No body.</p>\n` : "",
    bodies(`Response ${status}`, content, showing),
    shown.length === 0 ? "" : `<h4>Response headers</h4>\n<ul class="fields">${shown.join("\n")}</ul>\n`,
  ].join("")
}

/** The failures of an operation: each status with its codes, as the description of the response lists them. */
const failures = (responses: ReadonlyArray<readonly [string, Schema.JsonObject]>, showing: Showing): string => {
  if (responses.length === 0) return ""
  const items = responses.map(([status, response]) => {
    const codes = text(response["description"]).split(" | ")
    return `<li><strong>${status}</strong>${codes.map(showing.markdown).join("")}</li>`
  })
  const statuses = responses.map(([status]) => status).join(", ")
  return `<details data-unsearched><summary>Errors: ${statuses}</summary><ul class="failures">${items.join("\n")}</ul></details>\n`
}

/** The reference of the API as HTML. */
export const reference = Effect.map(converter("./"), (markdown) => {
  const request: Showing = { markdown, marksRequired: true }
  const answer: Showing = { markdown, marksRequired: false }
  // Plain data, as clients read it.
  const document = object(OpenApi.fromApi(Api) as unknown as Schema.Json)
  const schemas = object(object(document["components"])["schemas"])
  const resolve = (schema: Schema.JsonObject): Schema.JsonObject => {
    const { $ref } = schema
    return typeof $ref === "string" ? object(schemas[$ref.slice($ref.lastIndexOf("/") + 1)]) : schema
  }

  const section = (method: string, path: string, operation: Schema.JsonObject, isSent: boolean): string => {
    const responses = Object.entries(object(operation["responses"])).map(
      ([status, response]) => [status, object(response)] as const,
    )
    const succeeds = ([status]: readonly [string, unknown]) => status < "4"
    return [
      `<h3 id="${text(operation["operationId"])}">${escape(text(operation["summary"]))}</h3>`,
      isSent
        ? `<p class="route"><strong class="method">${method.toUpperCase()}</strong> <code>${escape(path)}</code> <span class="type">${credentials(operation)}</span></p>`
        : "",
      markdown(text(operation["description"])),
      isSent ? `<pre tabindex="0"><code>${escape(curl(method, path, operation, resolve))}\n</code></pre>` : "",
      parameters(operation, request),
      bodies("Body", object(object(operation["requestBody"])["content"]), request),
      isSent
        ? responses
            .filter(succeeds)
            .map(([status, response]) => success(status, response, answer))
            .join("")
        : "",
      isSent
        ? failures(
            responses.filter((one) => !succeeds(one)),
            answer,
          )
        : "",
    ].join("\n")
  }

  const operations = Object.entries(object(document["paths"])).flatMap(([path, methods]) =>
    Object.entries(object(methods)).map(([method, operation]) => ({ method, path, operation: object(operation) })),
  )
  const groups = list(document["tags"]).map((tag) => {
    const { description, name } = object(tag)
    const own = operations.filter(({ operation }) => list(operation["tags"]).includes(name ?? ""))
    return [
      `<h2 id="${anchorOf(text(name))}">${escape(text(name))}</h2>`,
      markdown(text(description)),
      ...own.map(({ method, operation, path }) => section(method, path, operation, true)),
    ].join("\n")
  })
  const events = Object.values(object(document["webhooks"])).map((event) =>
    section("post", "", object(object(event)["post"]), false),
  )
  const described = Object.entries(schemas).flatMap(([name, schema]) =>
    isProblem(name) || !isObject(schema)
      ? []
      : [
          `<h3 id="${schemaAnchor(name)}">${escape(name)}</h3>\n${markdown(text(schema["description"]))}${
            fieldsOf(schema, answer) || `<p class="type">${typeOf(schema)}</p>`
          }`,
        ],
  )
  return [
    '<h1 id="api-reference">API reference</h1>',
    markdown(text(object(document["info"])["description"])),
    markdown(
      "The examples use two shell variables: `URL=http://127.0.0.1:3000` and `KEY='x-api-key: prl_…'`. For tools, there is the [OpenAPI document](/openapi.json).",
    ),
    ...groups,
    '<h2 id="webhook-events">Webhook events</h2>',
    ...events,
    '<h2 id="schemas">Schemas</h2>',
    ...described.toSorted(),
    "",
  ].join("\n")
})
