/** A piece of RTF: a brace, a control word with its number, a control symbol, or bytes of text. */
export interface RtfToken {
  readonly kind: "open" | "close" | "word" | "symbol" | "bytes"
  readonly text: string
  readonly value?: number | undefined
}

/** Matches one token at a time: a brace, a byte, a control word, a control symbol, or text. */
const TOKEN = /([{}])|\\'([0-9a-fA-F]{2})|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\([^a-zA-Z])|([^{}\\\r\n]+)|[\r\n]+|\\/g

/** The tokens of RTF, whose bytes are the characters of `text`. Binary data is skipped. */
export function* rtfTokens(text: string): Generator<RtfToken> {
  const matcher = new RegExp(TOKEN)
  for (let match = matcher.exec(text); match !== null; match = matcher.exec(text)) {
    const [, brace, byte, word, number, symbol, plain] = match
    if (brace !== undefined) yield { kind: brace === "{" ? "open" : "close", text: brace }
    else if (byte !== undefined) yield { kind: "bytes", text: String.fromCharCode(Number.parseInt(byte, 16)) }
    else if (word === "bin") matcher.lastIndex += Math.max(0, Number(number ?? 0))
    else if (word !== undefined) {
      yield { kind: "word", text: word, value: number === undefined ? undefined : Number(number) }
    } else if (symbol !== undefined) yield { kind: "symbol", text: symbol }
    else if (plain !== undefined) yield { kind: "bytes", text: plain }
  }
}

/** The encodings of code pages whose names for `TextDecoder` do not follow from their numbers. */
const encodings = new Map([
  [866, "ibm866"],
  [932, "shift_jis"],
  [936, "gb18030"],
  [949, "euc-kr"],
  [950, "big5"],
  [10_000, "macintosh"],
  [20_866, "koi8-r"],
  [65_001, "utf-8"],
])

/** The code pages of the character sets of fonts. */
const charsets = new Map(
  "77:10000 128:932 129:949 134:936 136:950 161:1253 162:1254 163:1258 177:1255 178:1256 186:1257 204:1251 222:874 238:1250"
    .split(" ")
    .map((pair) => pair.split(":").map(Number))
    .map(([charset = 0, page = 0]) => [charset, page] as const),
)

/** The encoding of a code page; that of Western Europe where the page is unknown. */
export const encodingOfPage = (page: number): string =>
  encodings.get(page) ?? (page === 874 || (page >= 1250 && page <= 1258) ? `windows-${page}` : "windows-1252")

/** The encoding of a font's character set; `undefined` where the document's holds. */
export const encodingOfCharset = (charset: number): string | undefined => {
  const page = charsets.get(charset)
  return page === undefined ? undefined : encodingOfPage(page)
}
