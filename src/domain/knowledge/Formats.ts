import { Schema } from "effect"

/** A document format that Parley can read. */
export const Format = Schema.Literals(["md", "txt", "html", "csv", "json", "pdf", "docx", "pptx", "xlsx"])
export type Format = typeof Format.Type

/** Number of a file's first bytes that `detect` looks at. More are ignored, and a shorter file has fewer. */
export const DETECT_BYTES = 4096
/** Number of a file's last bytes that `detect` looks at: a zip archive lists its entries there. */
export const DETECT_LAST_BYTES = 64 * 1024

interface FormatInfo {
  readonly contentType: string
  readonly extensions: ReadonlyArray<string>
  /** Whether content has the form of the binary format; absent for formats that are plain text. */
  readonly fits?: (head: Uint8Array, tail: Uint8Array) => boolean
}

const ascii = (text: string) => Array.from(text, (char) => char.charCodeAt(0))

const startsWith = (bytes: Uint8Array, prefix: ReadonlyArray<number>, at = 0) =>
  prefix.every((byte, index) => bytes[at + index] === byte)

const pdfHeader = ascii("%PDF-")
/** Readers accept up to 1,024 bytes of other things before the header (ISO 32000-1, annex H). */
const PDF_HEADER_WITHIN = 1024

const isPdf = (head: Uint8Array) => {
  const last = Math.min(PDF_HEADER_WITHIN, head.length) - pdfHeader.length
  for (let at = 0; at <= last; at++) if (startsWith(head, pdfHeader, at)) return true
  return false
}

const zipHeader = ascii("PK\u0003\u0004")
/** A compound file: the form of Office documents with a password, and of all Office documents before 2007. */
export const compoundFileHeader = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]

/** The name of the main part, by which the three Office formats differ: all of them are zip archives. */
const mainParts = { docx: "word/document", pptx: "ppt/presentation", xlsx: "xl/workbook" }

const isOffice = (format: keyof typeof mainParts) => (head: Uint8Array, tail: Uint8Array) => {
  // The reader tells files with a password from files of an old version.
  if (startsWith(head, compoundFileHeader)) return true
  if (!startsWith(head, zipHeader)) return false
  const latin = new TextDecoder("latin1")
  const names = latin.decode(head) + latin.decode(tail)
  // The reader decides about an archive that names none of the main parts in its first or last bytes.
  return names.includes(mainParts[format]) || !Object.values(mainParts).some((part) => names.includes(part))
}

const openXml = "application/vnd.openxmlformats-officedocument"

const formats: Readonly<Record<Format, FormatInfo>> = {
  md: { contentType: "text/markdown", extensions: ["md", "markdown"] },
  txt: { contentType: "text/plain", extensions: ["txt", "text"] },
  html: { contentType: "text/html", extensions: ["html", "htm", "xhtml"] },
  csv: { contentType: "text/csv", extensions: ["csv", "tsv"] },
  json: { contentType: "application/json", extensions: ["json", "jsonl", "ndjson"] },
  pdf: { contentType: "application/pdf", extensions: ["pdf"], fits: isPdf },
  docx: {
    contentType: `${openXml}.wordprocessingml.document`,
    extensions: ["docx"],
    fits: isOffice("docx"),
  },
  pptx: {
    contentType: `${openXml}.presentationml.presentation`,
    extensions: ["pptx"],
    fits: isOffice("pptx"),
  },
  xlsx: { contentType: `${openXml}.spreadsheetml.sheet`, extensions: ["xlsx"], fits: isOffice("xlsx") },
}

/** The canonical media type of a format, whatever the client called it. */
export const contentType = (format: Format): string => formats[format].contentType

const byContentType = new Map(Format.literals.map((format) => [formats[format].contentType, format]))

/** The format of a canonical media type, as `contentType` returns it; undefined for any other. */
export const formatOfContentType = (type: string): Format | undefined => byContentType.get(type)

const byExtension = new Map<string, Format>(
  Format.literals.flatMap((format) => formats[format].extensions.map((extension) => [extension, format] as const)),
)

/** The first bytes of binary formats that may hold no NUL byte among them. */
const binarySignatures = [
  pdfHeader,
  zipHeader,
  compoundFileHeader,
  ascii("{\\rtf"),
  ascii("GIF8"),
  [0xff, 0xd8, 0xff],
  [0x89, ...ascii("PNG")],
  [0x1f, 0x8b],
  [0xff, 0xfe, 0x00, 0x00],
]

/**
 * The least share of characters below 256, which have a NUL byte in UTF-16, in any text: spaces and line breaks are
 * among them.
 */
const LEAST_LATIN_SHARE = 0.02

/**
 * The byte order of UTF-16 text without a byte order mark: NUL bytes stand on one side of the characters only, and the
 * decoded characters are text. `undefined` for any other content.
 */
export const unmarkedUtf16 = (firstBytes: Uint8Array): "utf-16le" | "utf-16be" | undefined => {
  const head = firstBytes.subarray(0, DETECT_BYTES)
  if (head.length < 4 || head.length % 2 === 1) return undefined
  const nuls = [0, 0]
  head.forEach((byte, index) => {
    if (byte === 0) nuls[index % 2] = (nuls[index % 2] ?? 0) + 1
  })
  const [first = 0, second = 0] = nuls
  if (Math.min(first, second) > 0 || Math.max(first, second) < (head.length / 2) * LEAST_LATIN_SHARE) return undefined
  const label = second > 0 ? "utf-16le" : "utf-16be"
  // oxlint-disable-next-line no-control-regex
  return /[\u0000-\u0008\u000e-\u001f\ufffe\uffff]/.test(new TextDecoder(label).decode(head)) ? undefined : label
}

const looksLikeText = (head: Uint8Array) => {
  if (binarySignatures.some((prefix) => startsWith(head, prefix))) return false
  if (startsWith(head, [0xff, 0xfe]) || startsWith(head, [0xfe, 0xff])) return true
  return !head.includes(0) || unmarkedUtf16(head) !== undefined
}

/**
 * The format of a file, by extension and content together, or `undefined` when no format fits both: a `.pdf` without a
 * PDF header, a `.txt` that is binary, a `.docx` that is a workbook, an extension that is not known. `firstBytes` and
 * `lastBytes` are the first `DETECT_BYTES` and the last `DETECT_LAST_BYTES` of the file, or all of it. An empty file
 * has the format of its extension.
 */
export const detect = (
  name: string,
  firstBytes: Uint8Array,
  lastBytes: Uint8Array = new Uint8Array(),
): Format | undefined => {
  const format = byExtension.get(/\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "")
  if (format === undefined || firstBytes.length === 0) return format
  const head = firstBytes.subarray(0, DETECT_BYTES)
  const { fits = looksLikeText } = formats[format]
  return fits(head, lastBytes) ? format : undefined
}
