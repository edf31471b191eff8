import { analyse } from "chardet"
import { unmarkedUtf16 } from "../../domain/Formats.ts"
import { Unreadable } from "./Extraction.ts"

const decodeAs = (bytes: Uint8Array, label: string): string | undefined => {
  try {
    // A document may declare any label; the decoder throws on one that it does not know.
    return new TextDecoder(label as Bun.Encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const utf16Label = (bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le"
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be"
  return bytes.includes(0) && bytes.length % 2 === 0 ? unmarkedUtf16(bytes) : undefined
}

const invalid = () =>
  new Unreadable("invalid_encoding", "The file is not text in an encoding that is known here; save it as UTF-8.")

/** Binary data read as an 8-bit encoding shows itself by its many control characters. */
const looksBinary = (text: string) => {
  // oxlint-disable-next-line no-control-regex
  const controls = text.match(/[\u0000-\u0008\u000e-\u001f]/g)?.length ?? 0
  return controls > text.length / 50
}

/** As much of a text as is looked at to tell its encoding, from shortly before its first byte beyond ASCII. */
const SAMPLE_BYTES = 16 * 1024
const SAMPLE_LEAD_BYTES = 256

/** Fewer bytes beyond ASCII tell nothing: then it is an accent here and there. */
const LEAST_FOREIGN_BYTES = 6

/** Encodings by how common they are, where a text fits several of them equally. */
const common = ["windows-1252", "windows-1251", "windows-1250"]

const rank = (label: string) => (common.includes(label) ? common.indexOf(label) : common.length)

/** What the bytes suggest, best first. */
const likely = (bytes: Uint8Array): ReadonlyArray<string> => {
  const first = bytes.findIndex((byte) => byte >= 0x80)
  const start = Math.max(first - SAMPLE_LEAD_BYTES, 0)
  const sample = bytes.subarray(start, start + SAMPLE_BYTES)
  if (sample.reduce((sum, byte) => (byte >= 0x80 ? sum + 1 : sum), 0) < LEAST_FOREIGN_BYTES) return []
  return analyse(sample)
    .map(({ name, confidence }) => ({ label: name.toLowerCase(), confidence }))
    .sort((a, b) => b.confidence - a.confidence || rank(a.label) - rank(b.label))
    .map(({ label }) => (label === "iso-8859-1" ? "windows-1252" : label))
    .filter((label) => !label.startsWith("utf-"))
}

/** Seven-bit Japanese mail is valid UTF-8, but says by escapes that it is none. */
// oxlint-disable-next-line no-control-regex
const isSevenBitJapanese = (text: string) => /\u001b\$[@B]/.test(text)

/**
 * Bytes as text: UTF-16 by its byte order mark or by its zeros, else UTF-8, else the encoding that the document itself
 * declares, else the likeliest one, and Windows-1252 at last, which reads every byte. Throws `Unreadable`.
 */
export const decodeText = (bytes: Uint8Array, declared?: string): string => {
  const utf16 = utf16Label(bytes)
  if (utf16 !== undefined) {
    // A cut last code unit should not cost the document.
    return new TextDecoder(utf16).decode(bytes)
  }
  const utf8 = decodeAs(bytes, "utf-8")
  if (utf8 !== undefined) return isSevenBitJapanese(utf8) ? (decodeAs(bytes, "iso-2022-jp") ?? utf8) : utf8
  const candidates = [...(declared === undefined ? [] : [declared]), ...likely(bytes), "windows-1252"]
  for (const label of candidates) {
    const text = decodeAs(bytes, label)
    if (text !== undefined && !looksBinary(text)) return text
  }
  throw invalid()
}
