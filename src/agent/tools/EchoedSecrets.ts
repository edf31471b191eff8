import type { SafeRequest } from "../../outbound/SafeFetch.ts"

/** The length from which a header's value is treated as a secret. Shorter ones may be any word of an answer. */
const SECRET_MIN_LENGTH = 6
const REPLACEMENT = "[secret]"

/**
 * Replaces the values of secret headers in an answer, because a server that echoes its request must not reveal them to
 * a model. A value is found in any case of its letters, reversed, in hexadecimal, and inside of anything in base64 or
 * its form for URLs; each of them also with escapes of JSON, of URLs and of HTML. The time is linear in the length of
 * the answer for each value.
 */
export const withoutSecrets = (text: string, secrets: SafeRequest["secrets"]): string => {
  const patterns = patternsOf(secrets)
  if (patterns.length === 0) return text
  const plain = withoutEscapes(text)
  const views = { folded: plain.text.toLowerCase(), base64: asStandardBase64(plain.text) }
  const found = patterns.flatMap((pattern) => placesOf(pattern, views[pattern.view]))
  return replaced(text, found, plain.startOf)
}

/** A form in which a secret may be written. */
interface Pattern {
  /** The view of the answer in which it is looked for: in lower case, or with the alphabet of standard base64. */
  readonly view: "folded" | "base64"
  readonly text: string
  /** Number of base64 characters before and after it that hold a part of the secret, together with other bytes. */
  readonly before: number
  readonly after: number
}

/** The place of a pattern in an answer without escapes. */
interface Place {
  readonly start: number
  readonly end: number
}

const patternsOf = (secrets: SafeRequest["secrets"]): ReadonlyArray<Pattern> => {
  const parts = new Set(Object.values(secrets).flatMap(partsOf))
  return Array.from(parts)
    .filter((part) => part.length >= SECRET_MIN_LENGTH)
    .flatMap((part) => {
      const reversed = Array.from(part).toReversed().join("")
      const hexadecimal = Buffer.from(part).toString("hex")
      // A secret with what looks like an escape may be written as it is, or with that escape escaped.
      const forms = [part, withoutBackslashes(part), reversed, part.replaceAll(" ", "+"), hexadecimal]
      const texts = new Set(forms.flatMap((form) => [form, withoutEscapes(form).text].map((one) => one.toLowerCase())))
      const folded = Array.from(texts, (text): Pattern => ({ view: "folded", text, before: 0, after: 0 }))
      return [...folded, ...[0, 1, 2].map((offset) => base64Pattern(part, offset))]
    })
    .filter(({ text }) => text.length > 0)
}

/** The whole value, such as `Bearer s3cr3t`, what follows its scheme, and the user and password of `Basic`. */
const partsOf = (value: string): ReadonlyArray<string> => {
  const whole = value.trim()
  const credentials = whole.slice(whole.indexOf(" ") + 1).trimStart()
  const last = whole.slice(whole.lastIndexOf(" ") + 1)
  if (!/^basic /i.test(whole)) return [whole, credentials, last]
  const pair = Buffer.from(credentials, "base64").toString("latin1")
  return [whole, credentials, pair, pair.slice(pair.indexOf(":") + 1)]
}

/** The characters of base64 that a secret alone determines where it follows `offset` bytes, modulo three, of others. */
const base64Pattern = (secret: string, offset: number): Pattern => {
  const bits = 8 * (offset + secret.length)
  const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret, "latin1")]).toString("base64")
  return {
    view: "base64",
    text: encoded.slice(Math.ceil((8 * offset) / 6), Math.floor(bits / 6)),
    before: offset === 0 ? 0 : 1,
    after: bits % 6 === 0 ? 0 : 1,
  }
}

const asStandardBase64 = (text: string): string => text.replaceAll("-", "+").replaceAll("_", "/")
const withoutBackslashes = (text: string): string => text.replaceAll("\\", "")

const placesOf = ({ after, before, text: pattern }: Pattern, view: string): ReadonlyArray<Place> => {
  const places: Array<Place> = []
  for (let at = view.indexOf(pattern); at >= 0; at = view.indexOf(pattern, at + pattern.length)) {
    const end = at + pattern.length
    places.push({
      start: at - (before === 1 && isBase64(view[at - 1]) ? 1 : 0),
      end: end + (after === 1 && isBase64(view[end]) ? 1 : 0),
    })
  }
  return places
}

const isBase64 = (character: string | undefined) => character !== undefined && /[A-Za-z0-9+/]/.test(character)

const replaced = (text: string, places: ReadonlyArray<Place>, startOf: (index: number) => number): string => {
  const pieces: Array<string> = []
  let done = 0
  for (const { end, start } of places.toSorted((a, b) => a.start - b.start)) {
    const [from, to] = [startOf(start), startOf(end)]
    // A place that overlaps the one before extends it.
    if (from >= done) pieces.push(text.slice(done, from), REPLACEMENT)
    done = Math.max(done, to)
  }
  return pieces.join("") + text.slice(done)
}

/** Matches an escape of JSON, of URLs or of HTML. JSON inside of JSON has several backslashes before a character. */
const ESCAPE = /\\+u([0-9a-f]{4})|\\+|%([0-9a-f]{2})|&#x([0-9a-f]{1,4});|&#([0-9]{1,5});|&(amp|lt|gt|quot|apos);/gi
const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

/**
 * Replaces escapes by what they stand for, and drops the other backslashes. `startOf` maps the index of a character of
 * the result, or its length, to the index in the original at which the character or its escape begins.
 */
const withoutEscapes = (original: string): { readonly text: string; readonly startOf: (index: number) => number } => {
  if (!/[\\%&]/.test(original)) return { text: original, startOf: (index) => index }
  const starts = new Uint32Array(original.length + 1)
  const pieces: Array<string> = []
  let [read, length] = [0, 0]
  /** Start of the next character of the result in the original, when backslashes were dropped before it. */
  let pending: number | undefined
  const add = (piece: string, at: number, step: 0 | 1) => {
    for (let index = 0; index < piece.length; index++) {
      starts[length++] = pending ?? at + index * step
      pending = undefined
    }
    pieces.push(piece)
  }
  for (const match of original.matchAll(ESCAPE)) {
    add(original.slice(read, match.index), read, 1)
    const [whole, unicode, percent, hexadecimal, decimal, name] = match
    const code = unicode ?? percent ?? hexadecimal
    if (code !== undefined) add(String.fromCharCode(Number.parseInt(code, 16)), match.index, 0)
    else if (decimal !== undefined) add(String.fromCharCode(Number(decimal)), match.index, 0)
    else if (name !== undefined) add(NAMED[name.toLowerCase()] ?? "", match.index, 0)
    else pending ??= match.index
    read = match.index + whole.length
  }
  add(original.slice(read), read, 1)
  starts[length] = pending ?? original.length
  return { text: pieces.join(""), startOf: (index) => starts[index] ?? original.length }
}
