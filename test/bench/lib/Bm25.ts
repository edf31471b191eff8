import { porterStem } from "./Porter.ts"

/*
 * The baseline of the retrieval benchmark: BM25 as Lucene and Anserini run it by default (k1 0.9, b 0.4). It uses no
 * code of the server.
 */

const K1 = 0.9
const B = 0.4
const STOP_WORDS = new Set(
  "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with".split(
    " ",
  ),
)
const WORD =
  /[\p{L}\p{M}\p{N}_]+(?:(?:(?<=[\p{L}\p{M}])[.'’·:](?=\p{L})|(?<=\p{N})[.,;'](?=\p{N}))[\p{L}\p{M}\p{N}_]+)*/gu
const SCRIPTS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}`
const UNSPACED = new RegExp(`[${SCRIPTS}][${SCRIPTS}\\p{M}]*`, "gu")

const pairsOf = (run: string): string => {
  const characters = Array.from(run)
  return characters.length < 2
    ? ` ${run} `
    : ` ${characters
        .slice(1)
        .map((last, index) => `${characters[index]}${last}`)
        .join(" ")} `
}

/** The words of a text as Lucene's English analyser has them, with pairs of characters for scripts without spaces. */
export const analyzeEnglish = (text: string): ReadonlyArray<string> =>
  (text.replace(UNSPACED, pairsOf).match(WORD) ?? [])
    .map((word) => word.replace(/['’][sS]$/, "").toLowerCase())
    .filter((word) => !STOP_WORDS.has(word))
    .map(porterStem)

/** The length as Lucene stores it in one byte: exact up to 40, above that in steps of up to an eighth. */
const roughLength = (length: number): number => {
  const free = 24
  if (length < free) return length
  const above = length - free
  const shift = Math.max(0, Math.floor(Math.log2(above)) - 3)
  return free + (above < 16 ? above : Math.floor(above / 2 ** shift) * 2 ** shift)
}

/**
 * Indexes passages, and returns a function that searches them for the words of a question and returns their ids, best
 * first.
 */
export const makeBm25 = (
  passages: ReadonlyArray<{ readonly id: string; readonly words: ReadonlyArray<string> }>,
): ((question: ReadonlyArray<string>, limit: number) => ReadonlyArray<string>) => {
  const postings = new Map<string, Map<number, number>>()
  const lengths = passages.map(({ words }, passage) => {
    for (const word of words) {
      const counts = postings.get(word) ?? new Map<number, number>()
      postings.set(word, counts.set(passage, (counts.get(passage) ?? 0) + 1))
    }
    return words.length
  })
  const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  const norms = lengths.map((length) => K1 * (1 - B + (B * roughLength(length)) / average))
  return (question, limit) => {
    const scores = new Map<number, number>()
    for (const word of question) {
      const counts = postings.get(word) ?? new Map<number, number>()
      const idf = Math.log(1 + (passages.length - counts.size + 0.5) / (counts.size + 0.5))
      for (const [passage, count] of counts) {
        scores.set(passage, (scores.get(passage) ?? 0) + (idf * count) / (count + (norms[passage] ?? 0)))
      }
    }
    return Array.from(scores)
      .sort(([left, leftScore], [right, rightScore]) => rightScore - leftScore || left - right)
      .slice(0, limit)
      .map(([passage]) => passages[passage]?.id ?? "")
  }
}
