import type { OpenApi } from "effect/http-api"
import { escape } from "../Html.ts"
import { credentialOf, curl } from "./Example.ts"
import { anchorOf, htmlOf } from "./Markdown.ts"
import { components, field, fieldsOf, groups, homes, list, type Operation, type Shape, typeOf } from "./Schemas.ts"

/*
 * The reference of the API: a page for each group of operations, with its schemas.
 */

/** Headers that many responses have, which the beginning of the reference describes. */
const commonHeaders: ReadonlySet<string> = new Set(["RateLimit", "RateLimit-Policy", "Retry-After"])

const titled = (title: string, content: string): string => (content === "" ? "" : `<h3>${title}</h3>\n${content}\n`)

const parametersOf = ({ parameters }: Operation): ReadonlyArray<string> =>
  Object.entries({ path: "Path", query: "Query", header: "Headers" }).map(([place, title]) => {
    const own = parameters.filter((one) => one.in === place)
    return titled(title, list(own.map((one) => field(one.name, one.schema, true, one.required, one.description))))
  })

/** The forms of a body, each with its media type. */
const bodies = (title: string, content: OpenApi.OpenApiSpecContent = {}, isSent: boolean): ReadonlyArray<string> =>
  Object.entries(content).map(([mediaType, { schema }]) => {
    const fields = fieldsOf(schema, isSent)
    const needsType = fields === "" || schema["type"] === "array" || "anyOf" in schema
    const type = needsType ? `<p class="type">${typeOf(schema)}</p>` : ""
    return titled(`${title} <code>${escape(mediaType)}</code>`, type + fields)
  })

const answer = ([status, { content, headers = {} }]: readonly [string, OpenApi.OpenApiSpecResponse]) => {
  const title = `Response ${status}`
  const own = Object.entries(headers).filter(([name]) => !commonHeaders.has(name))
  const fields = own.map(([name, { schema }]) => field(name, schema, false, false))
  return [
    ...(content === undefined ? [titled(title, "<p>No body.</p>")] : bodies(title, content, false)),
    titled("Response headers", list(fields)),
  ]
}

/** The failures of an operation: each status with its codes, as the description of the response lists them. */
const failuresOf = (responses: ReadonlyArray<readonly [string, OpenApi.OpenApiSpecResponse]>): string => {
  if (responses.length === 0) return ""
  const items = responses.map(([status, { description }]) => {
    const codes = description.split(" | ").map(htmlOf)
    return `<li><strong>${status}</strong>${codes.join("")}</li>`
  })
  const statuses = responses.map(([status]) => status).join(", ")
  return `<details><summary>Errors: ${statuses}</summary><ul class="failures">${items.join("\n")}</ul></details>\n`
}

const sectionOf = (operation: Operation): string => {
  const { description = "", method, operationId, path, requestBody, summary = "" } = operation
  const [credential] = credentialOf(operation)
  // An event is sent by the server, to no path of its own.
  const isEvent = path === ""
  const responses = isEvent ? [] : Object.entries(operation.responses)
  return [
    `<h2 id="${operationId}">${escape(summary)}</h2>`,
    isEvent
      ? ""
      : `<p class="route"><strong class="method">${method.toUpperCase()}</strong> <code>${escape(path)}</code> <span class="type">${credential}</span></p>`,
    htmlOf(description),
    isEvent ? "" : `<pre class="request" tabindex="0"><code>${escape(curl(operation))}\n</code></pre>`,
    ...parametersOf(operation),
    ...bodies("Body", requestBody?.content, true),
    ...responses.filter(([status]) => status < "4").flatMap(answer),
    failuresOf(responses.filter(([status]) => status >= "4")),
  ].join("\n")
}

const schemaOf = (name: string): string => {
  const schema: Shape = components.schemas[name] ?? {}
  const fields = fieldsOf(schema, false) || `<p class="type">${typeOf(schema)}</p>`
  return `<h2 id="schema-${name}"><code>${name}</code></h2>\n${htmlOf(schema.description ?? "")}${fields}`
}

/** The pages of the reference, each with its path. */
export const reference = groups.map(({ description, operations, path, title }) => {
  const schemas = Array.from(homes).flatMap(([name, home]) => (home === path ? [name] : []))
  const parts = [...operations.map(sectionOf), ...schemas.toSorted().map(schemaOf)]
  const heading = `<h1 id="${anchorOf(title)}">${escape(title)}</h1>`
  return { path, title, content: [heading, htmlOf(description), ...parts, ""].join("\n") }
})
