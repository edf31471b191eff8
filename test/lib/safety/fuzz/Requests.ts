import * as fc from "fast-check"
import type { ApiDocument, JsonSchema, Operation } from "../ApiDocument.ts"
import type { Belongings } from "../Belongings.ts"
import { type Place, placesOf } from "../Places.ts"
import { agreeing, fileFor, isObject, setField } from "../ValidRequests.ts"
import { valuesOf } from "../Values.ts"
import type { Draw } from "./Draw.ts"
import { hostileForm, hostileJson, hostileMediaTypes, hostileText, hostileTexts, hostileValue } from "./Hostile.ts"
import type { WireRequest } from "./Wire.ts"

/*
 * Requests that are made from the OpenAPI document: valid ones, ones with one fault, and hostile ones.
 */

/** A request with what is known of its answer. */
export interface FuzzRequest extends WireRequest {
  /** What has been done to a valid request, and to which operation. */
  readonly label: string
  /** The path with the query, as it is sent. */
  readonly target: string
  /** The operation whose declared answers hold; undefined where the request reaches none, or perhaps another. */
  readonly operation: Operation | undefined
  /** Whether the HTTP server may refuse the request before Parley sees it. */
  readonly isMalformed: boolean
}

/** The parts of a request before they become bytes. */
interface Parts {
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

/** What requests name and are sent with. */
export interface Target {
  readonly host: string
  readonly key: string
  readonly operatorKey: string
  readonly things: ReadonlyArray<Belongings>
}

/** The fields of a form whose schema says that they are files. */
const isFile = ({ format, items }: JsonSchema): boolean =>
  format === "binary" || (typeof items === "object" && !Array.isArray(items) && items?.format === "binary")

const boundary = "----parley-boundary"
/** How many bodies are made for each operation at once. */
const POOL = 40
/** The share of requests that are messages of the Model Context Protocol, which the document leaves out. */
const CALLS = 0.04
/** The share of chosen deletions that are made. */
const DELETIONS = 0.1

/** Makes requests of the operations of a document. */
export class Requests {
  readonly #document: ApiDocument
  readonly #draw: Draw
  readonly #places: ReadonlyMap<Operation, ReadonlyArray<Place>>
  readonly #files = new Map<string, Buffer>()
  #bodies = new Map<Operation, ReadonlyArray<unknown>>()

  constructor(document: ApiDocument, draw: Draw) {
    this.#document = document
    this.#draw = draw
    this.#places = new Map(document.operations.map((operation) => [operation, placesOf(document, operation)]))
  }

  /** Makes other bodies from now on. */
  renew(): void {
    this.#bodies = new Map()
  }

  make(target: Target): FuzzRequest {
    const draw = this.#draw
    if (draw.chance(CALLS)) return this.#bytes(this.#call(target), target)
    const operation = this.#anyOperation()
    const things = draw.any(target.things)
    const parts = this.#valid(operation, target, things)
    const kind = draw.next()
    if (kind > 0.4) this.#changeOne(parts, operation)
    if (kind > 0.75) this.#attack(parts)
    return this.#bytes(parts, target)
  }

  /** A message of the Model Context Protocol with some hostile fields. */
  #call(target: Target): Parts {
    const draw = this.#draw
    const chatbot = draw.any(target.things)?.chatbot ?? ""
    const hostile = (name: string, value: unknown) => (draw.chance(0.15) ? hostileValue(draw, name) : value)
    const message = {
      jsonrpc: hostile("jsonrpc", "2.0"),
      id: hostile("id", 1),
      method: hostile("method", draw.oneOf(["tools/call", "tools/list", "ping", "initialize", "resources/list"])),
      params: hostile("params", {
        name: hostile("name", draw.oneOf(["chat", "search_knowledge"])),
        arguments: hostile("arguments", {
          message: hostile("message", "What drains?"),
          query: hostile("query", "What drains?"),
          chatbot_id: hostile("chatbot_id", chatbot),
        }),
      }),
    }
    const text = JSON.stringify(message)
    return {
      label: "call",
      method: "POST",
      target: draw.oneOf(["/mcp", `/mcp/${chatbot}`]),
      headers: [
        ["x-api-key", target.key],
        ["content-type", "application/json"],
        ["accept", "application/json, text/event-stream"],
        ["mcp-protocol-version", draw.oneOf(["2025-11-25", "2025-06-18", "2026-07-28"])],
      ],
      body: draw.chance(0.1) ? hostileJson(draw, text) : Buffer.from(text),
      operation: undefined,
      isMalformed: false,
      sent: 1,
      isChunked: false,
    }
  }

  /** Any operation, deletions seldom, since requests to what is gone are all answered alike. */
  #anyOperation(): Operation {
    for (;;) {
      const operation = this.#draw.any(this.#document.operations)
      if (operation === undefined) throw new Error("There are no operations")
      if (operation.method !== "DELETE" || this.#draw.chance(DELETIONS)) return operation
    }
  }

  /** A value of a field that names something: seldom of nothing. */
  #nameFor({ kinds }: Place, things: Belongings | undefined): string {
    const kind = kinds === "chosen" ? "sessionToken" : (this.#draw.any(kinds) ?? "chatbot")
    return things === undefined || this.#draw.chance(0.05) ? Bun.randomUUIDv7() : things[kind]
  }

  #valid(operation: Operation, target: Target, things: Belongings | undefined): Parts {
    const draw = this.#draw
    const places = this.#places.get(operation) ?? []
    const placed = new Map(
      places
        .filter(({ required }) => required || draw.chance(0.5))
        .map((place) => [place.name, this.#nameFor(place, things)]),
    )
    const query = new URLSearchParams()
    const headers: Parts["headers"] = []
    let path = operation.path
    for (const { in: where, name, required, schema } of operation.parameters) {
      if (!required && !placed.has(name) && draw.chance(0.6)) continue
      const value = placed.get(name) ?? String(this.#valueOf(schema))
      if (where === "path") path = path.replace(`{${name}}`, encodeURIComponent(value.toWellFormed()))
      else if (where === "query") query.set(name, value)
      else headers.push([name, value])
    }
    const isAdmin = operation.path.includes("/admin/") && operation.method !== "DELETE" && draw.chance(0.3)
    if (operation.needsKey) headers.push(["x-api-key", isAdmin ? target.operatorKey : target.key])
    if (operation.body?.mediaType === "multipart/form-data") headers.push(["prefer", "wait=1"])
    const [mediaType, body] = this.#bodyOf(operation, placed)
    if (mediaType !== undefined) headers.push(["content-type", mediaType])
    return {
      label: "valid",
      method: operation.method,
      target: path + (query.size > 0 ? `?${query}` : ""),
      headers,
      body,
      operation,
      isMalformed: false,
      sent: 1,
      isChunked: false,
    }
  }

  #valueOf = (schema: JsonSchema): unknown =>
    fc.sample(valuesOf(schema, this.#document.resolve), { numRuns: 1, seed: this.#draw.below(2 ** 31) })[0]

  #bodyOf(operation: Operation, placed: ReadonlyMap<string, string>): readonly [string?, Uint8Array?] {
    const { body } = operation
    if (body === undefined) return []
    if (body.mediaType === "multipart/form-data") {
      return [`multipart/form-data; boundary=${boundary}`, this.#form(body.schema, placed)]
    }
    const json = this.#json(operation, body.schema)
    for (const [name, value] of placed)
      if (!operation.parameters.some((one) => one.name === name)) setField(json, name, value)
    return [body.mediaType, Buffer.from(JSON.stringify(json))]
  }

  #json(operation: Operation, schema: JsonSchema): Record<string, unknown> {
    const made =
      this.#bodies.get(operation) ??
      fc.sample(valuesOf(schema, this.#document.resolve), { numRuns: POOL, seed: this.#draw.below(2 ** 31) })
    this.#bodies.set(operation, made)
    const one = this.#draw.any(made)
    return {
      ...(isObject(one) ? structuredClone(one) : {}),
      ...(this.#draw.chance(0.8) ? agreeing[operation.name] : {}),
    }
  }

  #form(schema: JsonSchema, placed: ReadonlyMap<string, string>): Buffer {
    const parts = Object.entries(this.#document.resolve(schema).properties ?? {}).flatMap(([name, given]) => {
      if (typeof given !== "object") return []
      const field = this.#document.resolve(given)
      if (!isFile(field)) {
        return [
          Buffer.from(
            `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${placed.get(name) ?? String(this.#valueOf(field))}\r\n`,
          ),
        ]
      }
      const head = `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="${name === "avatar" ? "a.png" : "a.md"}"\r\n\r\n`
      return [
        Buffer.concat([
          Buffer.from(head),
          this.#files.get(name) ?? Buffer.from(`# Pumps ${this.#draw.below(50)}`),
          Buffer.from("\r\n"),
        ]),
      ]
    })
    return Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)])
  }

  /** Loads the content of files once, which reading makes asynchronous. */
  async load(): Promise<void> {
    this.#files.set("avatar", Buffer.from(await fileFor("avatar").arrayBuffer()))
  }

  /** Puts one fault into a request: into a field of its body, its query, its path or its headers. */
  #changeOne(parts: Parts, operation: Operation): void {
    const draw = this.#draw
    const where = draw.below(operation.body === undefined ? 3 : 6)
    const text = draw.oneOf(hostileTexts)
    if (where === 0) {
      parts.label = "query"
      const name =
        draw.any(operation.parameters.filter((one) => one.in === "query"))?.name ??
        draw.oneOf(hostileTexts).slice(0, 100)
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
      const names = [
        ...Object.keys(json),
        ...Object.keys(this.#document.resolve(operation.body.schema).properties ?? {}),
        "unknown",
      ]
      const name = draw.any(names) ?? "unknown"
      if (draw.chance(0.15)) delete json[name]
      else json[name] = hostileValue(draw, name)
      parts.body = Buffer.from(JSON.stringify(json))
    }
  }

  /** Makes a request that no client sends. */
  #attack(parts: Parts): void {
    const draw = this.#draw
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

  #bytes(parts: Parts, { host }: Target): FuzzRequest {
    const { body, headers, isChunked, isMalformed, method, operation, sent, target } = parts
    const breaksOff = sent < 1 || parts.label === "lengths that disagree"
    const length: Parts["headers"] =
      body === undefined ? [] : [isChunked ? ["transfer-encoding", "chunked"] : ["content-length", String(body.length)]]
    const lines = [["host", host] as const, ...headers, ...length].map(([name, value]) => `${name}: ${value}\r\n`)
    const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`)
    const whole = Buffer.concat([head, ...(body === undefined ? [] : isChunked ? this.#chunks(body) : [body])])
    return {
      label: `${parts.label} of ${operation?.name ?? `${method} ${target.slice(0, 200)}`}`,
      target,
      operation,
      isMalformed: isMalformed || /[^\u0020-\u007e]/.test(target),
      method,
      bytes: whole.subarray(0, Math.max(1, Math.floor(whole.length * sent))),
      isCutOff: breaksOff,
    }
  }

  #chunks(body: Uint8Array): ReadonlyArray<Uint8Array> {
    const size = 1 + this.#draw.below(Math.max(1, body.length))
    const end = this.#draw.oneOf(["0\r\n\r\n", "0\r\n\r\n", "0\r\n\r\n"])
    const chunks: Array<Uint8Array> = []
    for (let at = 0; at < body.length; at += size) {
      const chunk = body.subarray(at, at + size)
      chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"))
    }
    return [...chunks, Buffer.from(end)]
  }
}
