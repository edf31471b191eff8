import { Schema } from "effect"

/** A document format that Parley can read. */
export const Format = Schema.Literals([
  ...(["md", "txt", "html", "csv", "json", "pdf", "docx", "pptx", "xlsx"] as const),
  ...(["epub", "odt", "ods", "odp", "rtf", "xls", "eml", "msg", "ipynb", "xml", "srt", "vtt"] as const),
  ...(["png", "jpeg", "tiff", "webp"] as const),
])
export type Format = typeof Format.Type

/** Number of a file's first bytes that `detect` looks at. More are ignored, and a shorter file has fewer. */
export const DETECT_BYTES = 4096
/** Number of a file's last bytes that `detect` looks at: a zip archive lists its entries there. */
export const DETECT_LAST_BYTES = 64 * 1024

interface FormatInfo {
  readonly contentType: string
  /** Other media types under which servers and mail send the format. */
  readonly aliases?: ReadonlyArray<string>
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

const rtfHeader = ascii("{\\rtf")
const zipHeader = ascii("PK\u0003\u0004")
/** A compound file: the form of Office documents with a password, and of all Office documents before 2007. */
export const compoundFileHeader = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]

const openDocument = "application/vnd.oasis.opendocument"

/** The name of the main part, or the media type at the start of the archive, by which formats of zip archives differ. */
const mainParts = {
  docx: "word/document",
  pptx: "ppt/presentation",
  xlsx: "xl/workbook",
  odt: `${openDocument}.text`,
  ods: `${openDocument}.spreadsheet`,
  odp: `${openDocument}.presentation`,
  epub: "application/epub+zip",
}

// The readers of Office formats tell files with a password from files of an old version.
const isOffice = (format: keyof typeof mainParts) => (head: Uint8Array, tail: Uint8Array) =>
  isCompoundFile(head) || isArchive(format)(head, tail)

/** Whether a file may be a workbook or a message of old programs, which their readers tell apart. */
const isCompoundFile = (head: Uint8Array) => startsWith(head, compoundFileHeader)

const isArchive = (format: keyof typeof mainParts) => (head: Uint8Array, tail: Uint8Array) => {
  if (!startsWith(head, zipHeader)) return false
  const latin = new TextDecoder("latin1")
  const names = latin.decode(head) + latin.decode(tail)
  // The reader decides about an archive that names none of the main parts in its first or last bytes.
  return names.includes(mainParts[format]) || !Object.values(mainParts).some((part) => names.includes(part))
}

/** Whether a file is text that begins like this, after spaces and a byte order mark. */
const isTextLike = (start: RegExp) => (head: Uint8Array) => {
  const label = head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : head[0] === 0xff ? "utf-16le" : unmarkedUtf16(head)
  return looksLikeText(head) && start.test(new TextDecoder(label).decode(head).trimStart())
}

const pngHeader = [0x89, ...ascii("PNG\r\n\u001a\n")]
const jpegHeader = [0xff, 0xd8, 0xff]
/** The headers in both byte orders. Files beyond 4 GiB have another one. */
const tiffHeaders = [ascii("II*\0"), ascii("MM\0*")]

const openXml = "application/vnd.openxmlformats-officedocument"

const formats: Readonly<Record<Format, FormatInfo>> = {
  md: { contentType: "text/markdown", aliases: ["text/x-markdown"], extensions: ["md", "markdown"] },
  txt: { contentType: "text/plain", extensions: ["txt", "text"] },
  html: { contentType: "text/html", aliases: ["application/xhtml+xml"], extensions: ["html", "htm", "xhtml"] },
  csv: { contentType: "text/csv", aliases: ["text/tab-separated-values"], extensions: ["csv", "tsv"] },
  json: {
    contentType: "application/json",
    aliases: ["application/jsonl", "application/x-ndjson", "application/ld+json"],
    extensions: ["json", "jsonl", "ndjson"],
  },
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
  epub: { contentType: "application/epub+zip", extensions: ["epub"], fits: isArchive("epub") },
  odt: { contentType: mainParts.odt, extensions: ["odt"], fits: isArchive("odt") },
  ods: { contentType: mainParts.ods, extensions: ["ods"], fits: isArchive("ods") },
  odp: { contentType: mainParts.odp, extensions: ["odp"], fits: isArchive("odp") },
  rtf: {
    contentType: "application/rtf",
    aliases: ["text/rtf"],
    extensions: ["rtf"],
    fits: (head) => startsWith(head, rtfHeader),
  },
  xls: { contentType: "application/vnd.ms-excel", extensions: ["xls"], fits: isCompoundFile },
  eml: {
    contentType: "message/rfc822",
    extensions: ["eml"],
    // A header, which mailboxes may put behind a line of their own.
    fits: isTextLike(/^(?:>?From [^\n]*\n)?[!-9;-~]+[ \t]*:/),
  },
  msg: { contentType: "application/vnd.ms-outlook", extensions: ["msg"], fits: isCompoundFile },
  ipynb: { contentType: "application/x-ipynb+json", extensions: ["ipynb"], fits: isTextLike(/^\{/) },
  xml: { contentType: "application/xml", aliases: ["text/xml"], extensions: ["xml"], fits: isTextLike(/^</) },
  srt: { contentType: "application/x-subrip", extensions: ["srt"] },
  vtt: { contentType: "text/vtt", extensions: ["vtt"], fits: isTextLike(/^WEBVTT/) },
  png: { contentType: "image/png", extensions: ["png"], fits: (head) => startsWith(head, pngHeader) },
  jpeg: { contentType: "image/jpeg", extensions: ["jpeg", "jpg"], fits: (head) => startsWith(head, jpegHeader) },
  tiff: {
    contentType: "image/tiff",
    extensions: ["tiff", "tif"],
    fits: (head) => tiffHeaders.some((header) => startsWith(head, header)),
  },
  webp: {
    contentType: "image/webp",
    extensions: ["webp"],
    fits: (head) => startsWith(head, ascii("RIFF")) && startsWith(head, ascii("WEBP"), 8),
  },
}

/** The canonical media type of a format, not that of the client. */
export const contentType = (format: Format): string => formats[format].contentType

const byContentType = new Map<string, Format>(
  Format.literals.flatMap((format) => {
    const { aliases = [], contentType } = formats[format]
    return [contentType, ...aliases].map((type) => [type, format] as const)
  }),
)

/** The format of a media type, in any letter case and with any parameters; `undefined` for one that is not read. */
export const formatOfContentType = (contentType: string): Format | undefined =>
  byContentType.get(contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "")

/** The usual extension of a format's files, without the dot. */
export const extensionOf = (format: Format): string => formats[format].extensions[0] ?? format

const byExtension = new Map<string, Format>(
  Format.literals.flatMap((format) => formats[format].extensions.map((extension) => [extension, format] as const)),
)

/** The first bytes of binary formats that may hold no NUL byte among them. */
const binarySignatures = [
  pdfHeader,
  zipHeader,
  compoundFileHeader,
  rtfHeader,
  ascii("GIF8"),
  jpegHeader,
  pngHeader.slice(0, 4),
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
