import type { ApiDocument, Operation } from "../ApiDocument.ts"
import { isObject } from "../ValidRequests.ts"
import type { Draw } from "./Draw.ts"
import { hostileForm, hostileJson, hostileMediaTypes, hostileText, hostileTexts, hostileValue } from "./Hostile.ts"

/*
 * What is done to valid requests before they are sent.
 */

/** The parts of a request before they become bytes. */
export interface Parts {
  label: string
  method: string
  target: string
  headers: Array<readonly [name: string, value: string]>
  body: Uint8Array | undefined
  operation: Operation | undefined
  isMalformed: boolean
  /** The share of the bytes that is sent. */
  sent: number
  isChunked: boolean
}

/** What separates the parts of forms. */
export const boundary = "----parley-boundary"

/** Puts one fault into a request: into a field of its body, its query, its path or its headers. */
export const changeOne = (parts: Parts, operation: Operation, draw: Draw, { resolve }: ApiDocument): void => {
  const where = draw.below(operation.body === undefined ? 3 : 6)
  const text = draw.oneOf(hostileTexts)
  if (where === 0) {
    parts.label = "query"
    const name =
      draw.any(operation.parameters.filter((one) => one.in === "query"))?.name ?? draw.oneOf(hostileTexts).slice(0, 100)
    const value = hostileText(draw, name).slice(0, 3_000).toWellFormed()
    parts.target += `${parts.target.includes("?") ? "&" : "?"}${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value)}`
  } else if (where === 1) {
    parts.label = "header"
    const name = draw.oneOf([
      "if-match",
      "prefer",
      "accept",
      "accept-version",
      "x-request-id",
      "idempotency-key",
      "x-session-id",
      "range",
      "forwarded",
      "x-forwarded-for",
      "origin",
    ])
    // Control characters would make another request of it.
    parts.headers.push([
      name,
      text
        .slice(0, 2_000)
        .toWellFormed()
        .replaceAll(/\p{Cc}/gu, " "),
    ])
  } else if (where === 2) {
    parts.label = "path"
    const segments = parts.target.split("?")[0]?.split("/") ?? []
    const at = operation.path.split("/").flatMap((one, index) => (one.startsWith("{") ? [index] : []))
    const index = draw.any(at)
    if (index === undefined) return
    const value = encodeURIComponent(text.slice(0, 400).toWellFormed())
    segments[index] = value
    parts.target = segments.join("/")
    // An empty segment, one of dots, or one that is too long, is another path.
    if (/^\.{0,2}$/.test(decodeURIComponent(value)) || value.length > 2_000) parts.operation = undefined
  } else if (operation.body?.mediaType !== "application/json" || parts.body === undefined) {
    parts.label = "form"
    parts.body = hostileForm(draw, boundary, Buffer.from(parts.body ?? []))
  } else {
    parts.label = "field"
    const json: unknown = JSON.parse(Buffer.from(parts.body).toString())
    if (!isObject(json)) return
    const names = [...Object.keys(json), ...Object.keys(resolve(operation.body.schema).properties ?? {}), "unknown"]
    const name = draw.any(names) ?? "unknown"
    if (draw.chance(0.15)) delete json[name]
    else json[name] = hostileValue(draw, name)
    parts.body = Buffer.from(JSON.stringify(json))
  }
}

/** Makes of a request one that no client sends. */
export const attack = (parts: Parts, draw: Draw): void => {
  const set = (name: string, value: string) => {
    parts.headers = [...parts.headers.filter(([other]) => other !== name), [name, value]]
  }
  switch (draw.below(12)) {
    case 0:
    case 1:
    case 2:
      if (parts.operation?.body?.mediaType !== "application/json") break
      parts.label = "json"
      parts.body = hostileJson(draw, Buffer.from(parts.body ?? []).toString())
      break
    case 3:
      parts.label = "media type"
      set("content-type", draw.oneOf(hostileMediaTypes))
      break
    case 4:
      parts.label = "cut off"
      parts.sent = draw.next()
      parts.isMalformed = true
      break
    case 5:
      parts.label = "many headers"
      for (let count = draw.oneOf([20, 150, 2_000]); count > 0; count--)
        parts.headers.push([`x-h${count}`, "y".repeat(draw.below(30))])
      parts.isMalformed = true
      break
    case 6:
      parts.label = "long header"
      set(
        draw.oneOf(["x-long", "cookie", "x-api-key", "authorization"]),
        "z".repeat(draw.oneOf([1_000, 10_000, 30_000])),
      )
      parts.isMalformed = true
      break
    case 7:
      parts.label = "method"
      parts.method = draw.oneOf([
        "HEAD",
        "OPTIONS",
        "PUT",
        "TRACE",
        "CONNECT",
        "QUERY",
        "PROPFIND",
        "get",
        "POST",
        "DELETE",
      ])
      parts.operation = undefined
      parts.isMalformed = true
      break
    case 8: {
      parts.label = "path form"
      const path = parts.target
      parts.target = draw.oneOf([
        `/${path}`,
        `${path}/`,
        path.toUpperCase(),
        path.replace("/", "/./"),
        path.replaceAll("/", "%2f"),
        `${path}/../..`,
        `${path};x=y`,
        `http://other.example${path}`,
        "*",
        `${path}#x`,
        `${path}/${"a/".repeat(500)}`,
        path.slice(0, -3),
        "/mcp",
        "/docs/x",
        "/openapi.json?x",
        `${path}?${"a=b&".repeat(2_000)}`,
        `${path}%`,
        `${path}%ff`,
      ])
      parts.operation = undefined
      parts.isMalformed = true
      break
    }
    case 9:
      parts.label = "chunked"
      parts.isChunked = parts.body !== undefined
      parts.isMalformed = true
      break
    case 10:
      parts.label = "key"
      parts.headers = parts.headers.filter(([name]) => name !== "x-api-key")
      if (draw.chance(0.8)) {
        const value = draw.oneOf(["", "prl_", "x".repeat(64), `prl_${"0".repeat(49)}`, "Bearer x", "ü".repeat(40)])
        parts.headers.push([draw.oneOf(["x-api-key", "authorization"]), value])
      }
      break
    default:
      parts.label = "lengths that disagree"
      parts.headers.push(["content-length", draw.oneOf(["-1", "0", "x", "1e3", "99999999999999999999", "7"])])
      parts.isMalformed = true
      parts.sent = 1
  }
}
