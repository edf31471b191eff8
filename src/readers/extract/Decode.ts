import { analyse } from "chardet"
import { unmarkedUtf16 } from "../../domain/knowledge/Formats.ts"
import { Unreadable } from "./Extraction.ts"

/** Work in steps, between which the event loop may get to everything else. */
type Steps<A> = Generator<void, A>

/** Bytes, or UTF-16 code units, that a step looks at: it takes some milliseconds. */
const STEP_LENGTH = 1024 * 1024

function* decodeAs(bytes: Uint8Array, label: string, fatal = true): Steps<string | undefined> {
  try {
    // The label may come from the document, and the decoder throws on an unknown one.
    const decoder = new TextDecoder(label as Bun.Encoding, { fatal })
    let [text, at] = ["", 0]
    for (; at + STEP_LENGTH < bytes.length; at += STEP_LENGTH) {
      text += decoder.decode(bytes.subarray(at, at + STEP_LENGTH), { stream: true })
      yield
    }
    return text + decoder.decode(bytes.subarray(at))
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

/** Whether a decoded text has so many control characters that its bytes are binary data. */
function* looksBinary(text: string): Steps<boolean> {
  let controls = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if ((code <= 0x08 || (code >= 0x0e && code <= 0x1f)) && ++controls > text.length / 50) return true
    if (at % STEP_LENGTH === STEP_LENGTH - 1) yield
  }
  return false
}

/** The size of the sample from which an encoding is guessed. */
const SAMPLE_BYTES = 16 * 1024
/** Most bytes of the sample before the first byte beyond ASCII. */
const SAMPLE_LEAD_BYTES = 256

/** With fewer bytes beyond ASCII in the sample, a guess would be arbitrary. */
const MIN_FOREIGN_BYTES = 6

/** The encodings that win, in this order, when a text fits several encodings equally well. */
const common = ["windows-1252", "windows-1251", "windows-1250"]

const rank = (label: string) => (common.includes(label) ? common.indexOf(label) : common.length)

/** The bytes from which an encoding is guessed; none where a guess would be arbitrary. */
const sampleOf = (bytes: Uint8Array): Uint8Array => {
  let first = 0
  while (first < bytes.length && (bytes[first] ?? 0) < 0x80) first++
  const start = Math.max(first - SAMPLE_LEAD_BYTES, 0)
  const sample = bytes.subarray(start, start + SAMPLE_BYTES)
  const foreign = sample.reduce((sum, byte) => (byte >= 0x80 ? sum + 1 : sum), 0)
  return foreign < MIN_FOREIGN_BYTES ? new Uint8Array() : sample
}

/**
 * An encoding of two bytes for a character, by its characters as bytes. `common` ones make up nearly all of a text, and
 * some are of a kind that texts in the encodings beside it, in which the same bytes are common as well, do not have.
 */
interface DoubleByte {
  readonly label: string
  readonly character: RegExp
  readonly common: RegExp
  readonly telling: RegExp
}

const doubleByte: ReadonlyArray<DoubleByte> = [
  // Kana among kanji of the first level.
  {
    label: "shift_jis",
    character: /[\xa1-\xdf]|[\x80-\xff][^]?/g,
    common: /^[\x81-\x83\x88-\x97]./,
    telling: /^[\x82\x83]/,
  },
  {
    label: "euc-jp",
    character: /\x8f?[\x80-\xff][^]?/g,
    common: /^[\xa1\xa4\xa5\xb0-\xcf][\xa1-\xfe]/,
    telling: /^[\xa4\xa5]/,
  },
  // Hangul is where the first half of the common Chinese characters is.
  {
    label: "gb18030",
    character: /[\x80-\xff](?:\d[\x80-\xff])?[^]?/g,
    common: /^[\xa1\xa3\xb0-\xd7][\xa1-\xfe]/,
    telling: /^[\xc9-\xd7]/,
  },
  { label: "big5", character: /[\x80-\xff][^]?/g, common: /^[\xa1\xa4-\xc6]./, telling: /^.[\x40-\x7e]/ },
  { label: "euc-kr", character: /[\x80-\xff][^]?/g, common: /^[\xa1\xb0-\xc8]./, telling: /^[\xb0-\xc8]/ },
]

/** The least share of the common characters, and of those beside others, while letters with accents stand alone. */
const COMMON_SHARE = 0.9
const BESIDE_SHARE = 0.4

/** The double-byte encoding that a text of even a few words is in, because its characters are common ones there. */
const doubleByteEncoding = (sample: Uint8Array): string | undefined => {
  const text = Buffer.from(sample).toString("latin1")
  // All of these are letters of one case in the encodings of Russian.
  if (!/[\x80-\xbf\xe0-\xff]/.test(text)) return undefined
  const shares = doubleByte.map(({ character, common, label, telling }) => {
    const characters = [...text.matchAll(character)]
    const share = (holds: (at: RegExpExecArray, index: number) => boolean) =>
      characters.filter(holds).length / characters.length
    const isBeside = ({ index }: RegExpExecArray, at: number) => {
      const before = characters[at - 1]
      return before !== undefined && before.index + before[0].length === index
    }
    const isLikely = characters.some(([bytes]) => telling.test(bytes)) && share(isBeside) >= BESIDE_SHARE
    return { label, share: isLikely ? share(([bytes]) => common.test(bytes)) : 0 }
  })
  const [best] = shares.sort((a, b) => b.share - a.share)
  return best !== undefined && best.share >= COMMON_SHARE ? best.label : undefined
}

/** The encodings that a sample suggests, most likely first. */
const likelyEncodings = (sample: Uint8Array): ReadonlyArray<string> =>
  (sample.length === 0 ? [] : analyse(sample))
    .map(({ name, confidence }) => ({ label: name.toLowerCase(), confidence }))
    .sort((a, b) => b.confidence - a.confidence || rank(a.label) - rank(b.label))
    .map(({ label }) => (label === "iso-8859-1" ? "windows-1252" : label))
    .filter((label) => !label.startsWith("utf-"))

/**
 * A text in UTF-8 of which some bytes are broken: each is a replacement sign. In other encodings few bytes happen to be
 * whole characters of UTF-8, above all of three bytes or more.
 */
function* brokenUtf8(bytes: Uint8Array): Steps<string | undefined> {
  const text = (yield* decodeAs(bytes, "utf-8", false)) ?? ""
  let [whole, broken] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0xfffd) broken++
    else if (code >= 0x80) whole += code < 0x800 ? 1 : 4
    if (at % STEP_LENGTH === STEP_LENGTH - 1) yield
  }
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return isMarked || whole > broken ? text : undefined
}

/** Whether a text has the escape sequences of ISO-2022-JP, whose bytes are all ASCII and so valid UTF-8. */
// oxlint-disable-next-line no-control-regex
const isSevenBitJapanese = (text: string) => /\u001b\$[@B]/.test(text)

/**
 * Decodes a text file in steps. UTF-16 is recognised by its byte order mark or its zero bytes; then UTF-8 is tried, also
 * with some broken bytes, then `declared`, the encoding that the document itself names, then the likeliest encodings, and
 * Windows-1252 last. Throws `Unreadable` when none of them gives a text.
 */
export function* decoding(bytes: Uint8Array, declared?: string): Steps<string> {
  const utf16 = utf16Label(bytes)
  if (utf16 !== undefined) {
    // Not fatal, so that a document whose last code unit is incomplete is still read.
    return (yield* decodeAs(bytes, utf16, false)) ?? ""
  }
  const utf8 = yield* decodeAs(bytes, "utf-8")
  if (utf8 !== undefined) return isSevenBitJapanese(utf8) ? ((yield* decodeAs(bytes, "iso-2022-jp")) ?? utf8) : utf8
  const sample = sampleOf(bytes)
  const double = doubleByteEncoding(sample)
  const broken = double === undefined ? yield* brokenUtf8(bytes) : undefined
  if (broken !== undefined && !(yield* looksBinary(broken))) return broken
  const candidates = [declared, double, ...likelyEncodings(sample), "windows-1252"].filter(
    (label) => label !== undefined,
  )
  for (const label of candidates) {
    const text = yield* decodeAs(bytes, label)
    if (text !== undefined && !(yield* looksBinary(text))) return text
  }
  throw invalid()
}

/** Decodes a text file at once, see `decoding`. */
export const decodeText = (bytes: Uint8Array, declared?: string): string => {
  const steps = decoding(bytes, declared)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
