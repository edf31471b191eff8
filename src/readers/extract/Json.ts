import type { Schema } from "effect"
import { jsonDepth, parseJson } from "../../text/Json.ts"
import { decodeText } from "./Decode.ts"
import { type Draft, tooLarge, Unreadable } from "./Extraction.ts"

/** The deepest nesting that is read. Deeper JSON makes no readable text, and a parser may run out of stack on it. */
export const MAX_DEPTH = 200

/** Members of an object get headings down to this depth; deeper ones become `path: value` lines. */
const HEADING_DEPTH = 3

export const isScalar = (value: Schema.Json): value is string | number | boolean | null =>
  value === null || typeof value !== "object"

export const isList = (value: Schema.Json): value is ReadonlyArray<Schema.Json> => Array.isArray(value)

const isEmpty = (value: Schema.Json) => !isScalar(value) && Object.keys(value).length === 0

/** Parses JSON, or JSON Lines: one value per line, which become a list. */
export const parse = (text: string): Schema.Json => {
  if (jsonDepth(text) > MAX_DEPTH) {
    throw new Unreadable("corrupt_document", `The JSON is nested more than ${MAX_DEPTH} levels deep.`)
  }
  const value = parseJson(text)
  if (value !== undefined) return value
  const lines: Array<Schema.Json> = []
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue
    const item = parseJson(line)
    if (item === undefined) throw new Unreadable("corrupt_document", "The file is not valid JSON.")
    lines.push(item)
  }
  return lines
}

/** Lines of a text, which throw as soon as they exceed the limit of characters. */
export class Lines {
  private readonly lines: Array<string> = []
  private size = 0
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  line(text: string): void {
    this.size += text.length + 1
    if (this.size > this.limit) throw tooLarge(this.limit)
    this.lines.push(text)
  }

  toString(): string {
    return this.lines.join("\n")
  }
}

/** Writes a value as lines. */
class Outline extends Lines {
  /** Writes a member as `path: value` lines, with longer paths for the members within it. */
  member(path: string, value: Schema.Json): void {
    if (isScalar(value)) return this.labelled(path, String(value))
    if (isEmpty(value)) return this.labelled(path, isList(value) ? "none" : "empty")
    if (isList(value)) {
      if (value.every(isScalar)) return this.scalars(path, value)
      value.forEach((item, index) => this.member(`${path}[${index + 1}]`, item))
      return
    }
    for (const [key, item] of Object.entries(value)) this.member(path === "" ? key : `${path}.${key}`, item)
  }

  private labelled(path: string, text: string): void {
    this.line(path === "" ? text : `${path}: ${text}`)
  }

  /** Writes a list of short values on one line, and any other list of scalars as items. */
  private scalars(path: string, items: ReadonlyArray<Schema.Json>): void {
    const texts = items.map(String)
    const short = texts.every((text) => text.length <= 80 && !text.includes("\n"))
    if (short) return this.labelled(path, texts.join(", "))
    if (path !== "") this.line(`${path}:`)
    for (const text of texts) this.line(`- ${text}`)
  }

  /** Writes a value below its heading: its small members first, then each large member as a section or as records. */
  section(value: Schema.Json, depth: number): void {
    if (isEmpty(value)) return
    if (isScalar(value)) return this.member("", value)
    if (isList(value)) {
      if (value.every(isScalar)) return this.scalars("", value)
      for (const item of value) {
        this.member("", item)
        this.line("")
      }
      return
    }
    const members = Object.entries(value)
    const small = members.filter(([, item]) => isScalar(item) || isEmpty(item) || depth > HEADING_DEPTH)
    const large = members.filter(([, item]) => !isScalar(item) && !isEmpty(item) && depth <= HEADING_DEPTH)
    for (const [key, item] of small) this.member(key, item)
    for (const [key, item] of large) {
      this.line("")
      this.line(`${"#".repeat(depth)} ${key.replace(/\s+/g, " ")}`)
      this.line("")
      this.section(item, depth + 1)
    }
  }
}

const ownTitle = (value: Schema.Json): string | undefined => {
  if (isScalar(value) || isList(value)) return undefined
  const title = value["title"] ?? value["name"]
  return typeof title === "string" ? title : undefined
}

/** Reads JSON into `path: value` lines below headings for its first levels. The items of a list become paragraphs. */
export const json = (bytes: Uint8Array, textLimit: number): Draft => {
  const value = parse(decodeText(bytes).replace(/^\ufeff/, ""))
  const outline = new Outline(textLimit)
  outline.section(value, 1)
  return { title: ownTitle(value), text: outline.toString() }
}
