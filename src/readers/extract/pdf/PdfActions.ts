import { constants, inflate } from "node:zlib"
import type { PdfContent } from "../Extraction.ts"

/*
 * Finds what a PDF would do by itself: scripts, programs that it starts, files that it brings, and addresses that it
 * opens or sends something to. It is found by the names in the file, wherever they are, since readers of PDFs repair files
 * and look for objects everywhere.
 */

/** A pattern for a name, whose letters may be written as numbers, such as `#4a`. */
const named = (name: string): string =>
  Array.from(
    name,
    (letter) =>
      `(?:${letter}|#${letter
        .charCodeAt(0)
        .toString(16)
        .replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)})`,
  ).join("")

/** The last three have an address, be it of another computer in the network, which is told who is signed in. */
const activeNames =
  "JavaScript Launch EmbeddedFile EmbeddedFiles RichMedia ImportData GoToE XFA GoToR SubmitForm Rendition".split(" ")
/** Blanks between two words; a comment is none of them, for nobody but a hostile writer has one where they are looked for. */
const blank = "[\\0\\s]*"
const reference = `(\\d{1,10})[\\0\\s]+\\d{1,5}[\\0\\s]+R`
const active = new RegExp(
  `/(?:(?:${activeNames.map(named).join("|")})(?![^\\0\\t\\n\\f\\r ()<>[\\]{}/%])|${named("AA")}${blank}(?:<<|%|${reference}))`,
)
/** What a document does as it opens, in full or by the number of its object. */
const opening = new RegExp(`/${named("OpenAction")}${blank}(?:${reference})?`, "g")
/** A place in the document itself, or the action that goes to one and does nothing else. */
const place = new RegExp(
  `${blank}(?:[[(/n]|<[^<]|<<(?:${blank}(?:/Type${blank}/Action|/S${blank}/GoTo|/D${blank}(?:\\[[^\\]<>()]{0,200}\\]|\\([^()]{0,200}\\)|<[^<>]{0,200}>|/[\\w.]{1,200}|${reference}))){1,4}${blank}>>)`,
  "y",
)
/** Names of a stream that holds objects, in its dictionary. */
const objects = new RegExp(`/(?:${named("ObjStm")}|${named("First")})(?![^\\0\\t\\n\\f\\r ()<>[\\]{}/%])`)
const packed = new RegExp(`/(?:${named("Filter")}|F)(?![^\\0\\t\\n\\f\\r ()<>[\\]{}/%])`)
const predicted = new RegExp(`/${named("Predictor")}`)

/** Where a stream may begin. */
const streams = /(?<!end)stream[^\r\n]{0,64}(?:\r\n?|\n)/g
/** Characters before a stream in which its dictionary is. */
const DICTIONARY_LENGTH = 2_048
/** Most streams, the largest that one unpacks to, and all of objects together, and all others; more of these are skipped. */
const STREAMS_MAX_COUNT = 20_000
const STREAM_MAX_BYTES = 4 * 1024 * 1024
const UNPACKED_MAX_BYTES = 64 * 1024 * 1024
/** Most objects that a document names as what it does as it opens: one for each time that it was saved. */
const OPENINGS_MAX_COUNT = 100

/** Unpacks a stream as far as it goes; undefined where it is not packed by `FlateDecode`, or is too large. */
const unpacked = (bytes: Uint8Array): Promise<string | undefined> =>
  new Promise((resolve) =>
    inflate(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: STREAM_MAX_BYTES }, (error, content) =>
      resolve(error === null ? content.toString("latin1") : undefined),
    ),
  )

/** A stream of objects: pairs of the number of an object and its place after these pairs, and then the objects. */
interface Pack {
  readonly content: string
  /** The length of the pairs. */
  readonly first: number
}

const isPlace = (text: string, at: number): boolean => {
  place.lastIndex = at
  return place.test(text)
}

/** Whether what happens as the document opens is anything but showing a place in it. */
const opens = (text: string, packs: ReadonlyArray<Pack>): PdfContent => {
  const numbers = new Set<number>()
  for (const part of [text, ...packs.map(({ content }) => content)]) {
    for (const { 0: name, 1: number, index } of part.matchAll(opening)) {
      if (number !== undefined) numbers.add(Number(number))
      else if (!isPlace(part, index + name.length)) return "active"
    }
  }
  if (numbers.size === 0) return "passive"
  if (numbers.size > OPENINGS_MAX_COUNT) return "unknown"
  const found = new Set<number>()
  const heads = new RegExp(`(?<!\\d)0*(${Array.from(numbers).join("|")})[\\0\\s]+\\d{1,5}[\\0\\s]+obj`, "g")
  for (const { 0: head, 1: number, index } of text.matchAll(heads)) {
    if (!isPlace(text, index + head.length)) return "active"
    found.add(Number(number))
  }
  for (const { content, first } of packs) {
    for (const [, number, offset] of content.slice(0, first).matchAll(/(\d+)\s+(\d+)/g)) {
      if (!numbers.has(Number(number))) continue
      if (!isPlace(content, first + Number(offset))) return "active"
      found.add(Number(number))
    }
  }
  return found.size === numbers.size ? "passive" : "unknown"
}

/** Examines a PDF of some megabytes, within a second or two. */
export const contentOfPdf = async (bytes: Uint8Array): Promise<PdfContent> => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
  if (active.test(text)) return "active"
  let count = 0
  const packs: Array<Pack> = []
  const left = { objects: UNPACKED_MAX_BYTES, others: UNPACKED_MAX_BYTES }
  for (const { 0: keyword, index } of text.matchAll(streams)) {
    if (++count > STREAMS_MAX_COUNT) return "unknown"
    const before = text.slice(Math.max(0, index - DICTIONARY_LENGTH), index)
    const dictionary = before.slice(Math.max(0, before.lastIndexOf("obj")))
    const hasObjects = objects.test(dictionary)
    const kind = hasObjects ? "objects" : "others"
    if (left[kind] <= 0) {
      if (hasObjects) return "unknown"
      continue
    }
    const start = index + keyword.length
    const end = text.indexOf("endstream", start)
    const content = await unpacked(bytes.subarray(start, end === -1 ? undefined : end))
    left[kind] -= content?.length ?? STREAM_MAX_BYTES
    if (content !== undefined && active.test(content)) return "active"
    // Packed in another way, encrypted, damaged or too large.
    if (hasObjects && packed.test(dictionary) && (content === undefined || predicted.test(dictionary))) return "unknown"
    if (hasObjects) {
      const first = Number(/\/First[\0\s]+(\d{1,10})/.exec(dictionary)?.[1] ?? 0)
      packs.push({ content: content ?? text.slice(start, end === -1 ? undefined : end), first })
    }
  }
  return opens(text, packs)
}
