import { constants, inflate } from "node:zlib"
import type { PdfContent } from "../Extraction.ts"

/*
 * Finds what a PDF would do by itself: scripts, programs that it starts, and files that it brings. It is found by the
 * names in the file, wherever they are, since readers of PDFs repair files and look for objects everywhere.
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

const activeNames = ["JavaScript", "Launch", "EmbeddedFile", "EmbeddedFiles", "RichMedia", "ImportData", "GoToE", "XFA"]
const active = new RegExp(`/(?:${activeNames.map(named).join("|")})(?![^\\0\\t\\n\\f\\r ()<>[\\]{}/%])`)
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

/** Unpacks a stream as far as it goes; undefined where it is not packed by `FlateDecode`, or is too large. */
const unpacked = (bytes: Uint8Array): Promise<string | undefined> =>
  new Promise((resolve) =>
    inflate(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: STREAM_MAX_BYTES }, (error, content) =>
      resolve(error === null ? content.toString("latin1") : undefined),
    ),
  )

/** Examines a PDF of some megabytes, within a second or two whatever it holds. */
export const contentOfPdf = async (bytes: Uint8Array): Promise<PdfContent> => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")
  if (active.test(text)) return "active"
  let count = 0
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
  }
  return "passive"
}
