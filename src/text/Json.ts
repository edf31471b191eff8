import type { Schema } from "effect"

/** The value of a JSON text; undefined when the text is not JSON. */
export const parseJson = (text: string): Schema.Json | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export type JsonObject = { readonly [name: string]: Schema.Json }

/** Whether a value of JSON is an object, and no list. */
export const isJsonObject = (value: Schema.Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Depth to which the arrays and objects of a JSON text nest. Brackets are counted outside of strings, without a parser
 * that could overflow its stack.
 */
export const jsonDepth = (text: string): number => scan(text).deepest

/** Bounds on the work of parsing and decoding a JSON text, found without a parser. */
export interface JsonSize {
  /** Depth to which the arrays and objects nest. */
  readonly deepest: number
  /** An upper bound of the number of values, counting those within other values. */
  readonly values: number
  /** The most fields of one object; 0 where none has two. */
  readonly widest: number
}

export const jsonSize = (text: string): JsonSize => scan(text)

/** Whether a text that is not valid JSON is empty, or an object that ends too early. */
export const isCutObject = (text: string): boolean => /^\s*(?:\{|$)/.test(text) && !scan(text).isClosed

/** The levels of nesting at which fields are counted, more than any text may have; those below share their counts. */
const LEVELS = 1_024
/** The count of an array, to which the commas between its elements are added. */
const NO_FIELDS = -(2 ** 31)

const scan = (text: string): JsonSize & { readonly isClosed: boolean } => {
  const fields = new Int32Array(LEVELS)
  let widest = 0
  let depth = 0
  let deepest = 0
  // Each value but the first follows a comma or a bracket.
  let values = 1
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === 0x5c) index++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x2c) {
      values++
      const level = depth % LEVELS
      widest = Math.max(widest, (fields[level] = (fields[level] ?? 0) + 1))
    } else if (code === 0x5b || code === 0x7b) {
      values++
      deepest = Math.max(deepest, ++depth)
      fields[depth % LEVELS] = code === 0x7b ? 1 : NO_FIELDS
    } else if (code === 0x5d || code === 0x7d) depth = Math.max(0, depth - 1)
  }
  return { deepest, values, widest, isClosed: deepest > 0 && depth === 0 && !inString }
}
