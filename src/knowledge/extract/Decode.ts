import { Unreadable } from "./Extraction.ts"

const decodeAs = (bytes: Uint8Array, label: string): string | undefined => {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const utf16Label = (bytes: Uint8Array): string | undefined => {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le"
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be"
  return undefined
}

const invalid = () =>
  new Unreadable("invalid_encoding", "The file is not text in an encoding that is known here; save it as UTF-8.")

/** Binary data read as an 8-bit encoding shows itself by its many control characters. */
const looksBinary = (text: string) => {
  // oxlint-disable-next-line no-control-regex
  const controls = text.match(/[\u0000-\u0008\u000e-\u001f]/g)?.length ?? 0
  return controls > text.length / 50
}

/**
 * Bytes as text: UTF-16 by its byte order mark, else UTF-8, else the encoding that the document itself declares, else
 * Windows-1252, which reads every byte. Throws `Unreadable`.
 */
export const decodeText = (bytes: Uint8Array, declared?: string): string => {
  const utf16 = utf16Label(bytes)
  if (utf16 !== undefined) {
    // A cut last code unit should not cost the document.
    return new TextDecoder(utf16).decode(bytes)
  }
  const utf8 = decodeAs(bytes, "utf-8")
  if (utf8 !== undefined) return utf8
  const text = (declared === undefined ? undefined : decodeAs(bytes, declared)) ?? decodeAs(bytes, "windows-1252")
  if (text === undefined || looksBinary(text)) throw invalid()
  return text
}
