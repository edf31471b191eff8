import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { bounded } from "../../src/text/BoundedText.ts"
import { levelOf, makeTable, roughStem, SHARES } from "../../src/language/words/Commonness.ts"
import { spacedWords } from "../../src/language/words/Words.ts"

/*
 * `bun test/lib/commonness.ts LISTS [TEXTS…]` prints a new table for `src/language/words/CommonnessTable.ts`. It takes words of most
 * languages from the lists of wordfreq (its folder `wordfreq/data`). Words of the languages of which texts were counted
 * keep their levels in the present table: it cannot list its words, so that they are those of these lists and of the
 * given texts. Vectors change with the table, so that the local embedding model needs a new name.
 */

/** The words of a text of average length. */
const WORDS = 150
/** The share of texts from which on a word is taken from a list. */
const LEAST_SHARE = SHARES[8] ?? 1
/** A word that so many lists have is a name, of a city, a person or a company, unless many texts of one language hold it. */
const NAME_LISTS = 12
/** The share of a language's texts that a name does not reach. */
const LEAST_FUNCTION_SHARE = 0.25
/** Languages whose words are split into pieces. */
const UNSPACED = new Set(["zh", "ja", "ko"])
/** Languages of which texts were counted: of their lists, only which words they have is taken. */
const COUNTED = new Set(["ar", "de", "en", "ru", "tr"])
/** The frequency of a word from which on it belongs to such a language. */
const LEAST_COUNTED = 2e-6

/** Decodes what the lists have of MessagePack: arrays, strings, numbers and a header of these. */
const decode = (bytes: Uint8Array): unknown => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const length = (size: 1 | 2 | 4): number => {
    const value = size === 1 ? view.getUint8(at) : size === 2 ? view.getUint16(at) : view.getUint32(at)
    at += size
    return value
  }
  const array = (size: number): ReadonlyArray<unknown> => Array.from({ length: size }, next)
  const string = (size: number): string => {
    at += size
    return new TextDecoder().decode(bytes.subarray(at - size, at))
  }
  const next = (): unknown => {
    const type = length(1)
    if (type < 0x80) return type
    if (type < 0x90) return array(2 * (type & 15))
    if (type < 0xa0) return array(type & 15)
    if (type < 0xc0) return string(type & 31)
    if (type === 0xd9) return string(length(1))
    if (type === 0xda) return string(length(2))
    if (type === 0xdc) return array(length(2))
    if (type === 0xdd) return array(length(4))
    throw new Error(`Type ${type} of MessagePack is not read.`)
  }
  return next()
}

/** The frequencies of a list's words: its places, after the header, are those of hundredths of a decimal logarithm. */
const readList = (path: string): ReadonlyArray<readonly [word: string, frequency: number]> => {
  const [, ...places] = decode(Bun.gunzipSync(readFileSync(path))) as ReadonlyArray<ReadonlyArray<string>>
  return places.flatMap((words, place) => words.map((word) => [word, 10 ** (-place / 100)] as const))
}

/** The share of texts that hold a word, by the present table; 0 for a word that it does not have. */
const shareOf = (stem: string): number => {
  const level = levelOf(stem)
  return level === 0 ? 0 : (SHARES[level] ?? 0)
}

const [directory = "", ...texts] = process.argv.slice(2)
const kept = new Set<string>()
const shares = new Map<string, number>()
/** The number of lists that have a word. */
const spread = new Map<string, number>()
for (const file of readdirSync(directory)) {
  const language = /^(?:small|large)_(\w+)\.msgpack\.gz$/.exec(file)?.[1]
  if (language === undefined || UNSPACED.has(language)) continue
  const own = new Map<string, number>()
  for (const [written, frequency] of readList(join(directory, file))) {
    // The lists write the sigma at the end of a word as any other.
    const stem = roughStem(language === "el" ? written.replace(/σ$/, "ς") : written.normalize("NFKC"))
    if (COUNTED.has(language) && frequency > LEAST_COUNTED) kept.add(stem)
    const without = 1 - (own.get(stem) ?? 0)
    own.set(stem, 1 - without * Math.exp(-WORDS * frequency))
  }
  for (const stem of own.keys()) spread.set(stem, (spread.get(stem) ?? 0) + 1)
  if (COUNTED.has(language)) continue
  for (const [stem, share] of own) {
    if (share >= LEAST_SHARE) shares.set(stem, Math.max(share, shares.get(stem) ?? 0))
  }
}
for (const [stem, share] of shares)
  if (share < LEAST_FUNCTION_SHARE && (spread.get(stem) ?? 0) >= NAME_LISTS) shares.delete(stem)
for (const path of texts) {
  const text = readFileSync(path, "utf8")
  for (const word of spacedWords(bounded(text, 2 * text.length)).split(" ")) kept.add(roughStem(word))
}
for (const stem of kept) {
  const known = shareOf(stem)
  if (known > 0) shares.set(stem, known)
}
const table = Bun.deflateSync(Uint8Array.from(makeTable(shares)), { level: 9 })
process.stderr.write(`${shares.size} words\n`)
process.stdout.write(Buffer.from(table).toString("base64"))
