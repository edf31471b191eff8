import { Schema } from "effect"

/** A document format that Parley can read. */
export const Format = Schema.Literals(["md", "txt", "html", "csv", "json", "pdf"])
export type Format = typeof Format.Type

/** How many of a file's first bytes `detect` looks at; more are ignored, fewer are fine for a shorter file. */
export const detectBytes = 4096

interface FormatInfo {
  readonly contentType: string
  readonly extensions: ReadonlyArray<string>
  /** What the first bytes of a binary format hold; absent for formats that are plain text. */
  readonly signature?: { readonly bytes: ReadonlyArray<number>; readonly withinBytes: number }
}

const ascii = (text: string) => Array.from(text, (char) => char.charCodeAt(0))

const formats: Readonly<Record<Format, FormatInfo>> = {
  md: { contentType: "text/markdown", extensions: ["md", "markdown"] },
  txt: { contentType: "text/plain", extensions: ["txt", "text"] },
  html: { contentType: "text/html", extensions: ["html", "htm"] },
  csv: { contentType: "text/csv", extensions: ["csv", "tsv"] },
  json: { contentType: "application/json", extensions: ["json"] },
  // Readers accept up to 1,024 bytes of other things before the header (ISO 32000-1, annex H).
  pdf: {
    contentType: "application/pdf",
    extensions: ["pdf"],
    signature: { bytes: ascii("%PDF-"), withinBytes: 1024 },
  },
}

/** The canonical media type of a format, whatever the client called it. */
export const contentType = (format: Format): string => formats[format].contentType

const byExtension = new Map<string, Format>(
  Format.literals.flatMap((format) => formats[format].extensions.map((extension) => [extension, format] as const)),
)

/** First bytes of things that are never text, although they may hold no NUL byte so early. */
const binarySignatures = [
  ascii("%PDF-"),
  ascii("PK\u0003\u0004"),
  ascii("{\\rtf"),
  ascii("GIF8"),
  [0xff, 0xd8, 0xff],
  [0x89, ...ascii("PNG")],
  [0x1f, 0x8b],
  [0xff, 0xfe, 0x00, 0x00],
]

const startsWith = (bytes: Uint8Array, prefix: ReadonlyArray<number>, at = 0) =>
  prefix.every((byte, index) => bytes[at + index] === byte)

const holdsSignature = (bytes: Uint8Array, signature: NonNullable<FormatInfo["signature"]>) => {
  const last = Math.min(signature.withinBytes, bytes.length) - signature.bytes.length
  for (let at = 0; at <= last; at++) if (startsWith(bytes, signature.bytes, at)) return true
  return false
}

const looksLikeText = (bytes: Uint8Array) => {
  if (binarySignatures.some((prefix) => startsWith(bytes, prefix))) return false
  if (startsWith(bytes, [0xff, 0xfe]) || startsWith(bytes, [0xfe, 0xff])) return true
  return !bytes.includes(0)
}

/**
 * The format of a file, by extension and content together, or `undefined` when no format fits both: a `.pdf` without
 * a PDF header, a `.txt` that is binary, an extension that is not known. `firstBytes` are the first `detectBytes` of
 * the file, or all of it.
 */
export const detect = (name: string, firstBytes: Uint8Array): Format | undefined => {
  const format = byExtension.get(/\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "")
  if (format === undefined) return undefined
  const head = firstBytes.subarray(0, detectBytes)
  const { signature } = formats[format]
  const fits = signature === undefined ? looksLikeText(head) : holdsSignature(head, signature)
  return fits ? format : undefined
}
