import * as fc from "fast-check"
import type { ApiDocument, JsonSchema, Operation } from "../ApiDocument.ts"
import type { Belongings } from "../Belongings.ts"
import { type Place, placesOf } from "../Places.ts"
import { agreeing, fileFor, isObject, setField } from "../ValidRequests.ts"
import { valuesOf } from "../Values.ts"
import { attack, boundary, changeOne, type Parts } from "./Attacks.ts"
import type { Draw } from "./Draw.ts"
import { hostileJson, hostileValue } from "./Hostile.ts"
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

/** What requests name and are sent with. */
export interface Target {
  readonly host: string
  readonly key: string
  readonly operatorKey: string
  /** The token of a visitor of one of the organization's chatbots. */
  readonly visitorToken: string
  readonly things: ReadonlyArray<Belongings>
}

/** The fields of a form whose schema says that they are files. */
const isFile = ({ format, items }: JsonSchema): boolean =>
  format === "binary" || (typeof items === "object" && !Array.isArray(items) && items?.format === "binary")

/** How many bodies are made for each operation at once. */
const POOL = 40
/** The share of requests that are messages of the Model Context Protocol, which the document leaves out. */
const CALLS = 0.04
/** The share of chosen deletions that are made. */
const DELETIONS = 0.1

/** The operation whose answer has no end. The tests of events send it hostile requests themselves. */
const ENDLESS = "GET /api/external/events"

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
    if (kind > 0.4) changeOne(parts, operation, draw, this.#document)
    if (kind > 0.75) attack(parts, draw)
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
      const operation = this.#draw.any(this.#document.operations.filter(({ name }) => name !== ENDLESS))
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
      // Otherwise most requests would be refused because their key has been used for another.
      const isFresh = name.toLowerCase() === "idempotency-key" && draw.chance(0.9)
      const value = placed.get(name) ?? (isFresh ? `key-${draw.below(2 ** 31)}` : String(this.#valueOf(schema)))
      if (where === "path") path = path.replace(`{${name}}`, encodeURIComponent(value.toWellFormed()))
      else if (where === "query") query.set(name, value)
      else headers.push([name, value])
    }
    const isAdmin = operation.path.includes("/admin/") && operation.method !== "DELETE" && draw.chance(0.3)
    if (operation.needsVisitor) headers.push(["authorization", `Bearer ${target.visitorToken}`])
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
    const chunks: Array<Uint8Array> = []
    for (let at = 0; at < body.length; at += size) {
      const chunk = body.subarray(at, at + size)
      chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"))
    }
    return [...chunks, Buffer.from("0\r\n\r\n")]
  }
}
