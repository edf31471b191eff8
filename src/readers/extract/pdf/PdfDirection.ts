import type { Run } from "./PdfRun.ts"

/*
 * Lines of text from right to left. pdf.js gives each run in reading order as if it stood alone: brackets keep the shape
 * that they are drawn with, and numbers and Latin words are in the order of the page.
 */

const rtlLetter = String.raw`[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]`
const ltrLetter = String.raw`(?!${rtlLetter})\p{L}`

const rtlLetters = new RegExp(rtlLetter, "gu")
const hasRtlLetter = new RegExp(rtlLetter, "u")
const hasLtrLetter = new RegExp(ltrLetter, "u")
const ltrLetters = new RegExp(ltrLetter, "gu")

export const hasRightToLeft = (runs: ReadonlyArray<Run>): boolean => runs.some(({ text }) => hasRtlLetter.test(text))

/** Whether most letters of these runs are of a script that is written from right to left. */
export const isMostlyRightToLeft = (runs: ReadonlyArray<Run>): boolean => {
  if (!hasRightToLeft(runs)) return false
  const count = (letters: RegExp) => runs.reduce((sum, { text }) => sum + (text.match(letters)?.length ?? 0), 0)
  return count(rtlLetters) > count(ltrLetters)
}

/** Matches the parts of a run whose places are exchanged: phrases of either direction, and what is between them. */
const parts = new RegExp(
  `(?:^[-+])?(?!${rtlLetter})[\\p{L}\\p{N}](?:(?!${rtlLetter})[^()[\\]{}])*(?<=[\\p{L}\\p{N}\\p{M}%‰°])|${rtlLetter}(?:(?!${ltrLetter})[^])*(?<=${rtlLetter}|\\p{M})|[^]`,
  "gu",
)

/** A run in reading order where pdf.js took it for text from left to right because most of it is numbers or Latin. */
const reordered = (run: Run): Run =>
  run.rightToLeft || (hasLtrLetter.test(run.text) && !hasRtlLetter.test(run.text))
    ? run
    : { ...run, text: (run.text.match(parts) ?? []).toReversed().join("") }

/** The largest gap, in font sizes, between two runs of one number. */
const NUMBER_GAP = 0.15

/**
 * Sorts the runs of a line of text from right to left into reading order, because a PDF may draw them in any order.
 * Latin words, and what follows them on their right, run from left to right, as do the pieces of one number.
 */
export const inReadingOrder = (runs: ReadonlyArray<Run>): ReadonlyArray<Run> => {
  const ordered: Array<Run> = []
  let phrase: Array<Run> = []
  const sorted = runs.toSorted((a, b) => b.x - a.x)
  for (const [index, run] of sorted.entries()) {
    const [left, right] = [sorted[index + 1], sorted[index - 1]]
    const isPhrase =
      isInPhrase(run) || (isInPhrase(left) && isInPhrase(right) && touches(left, run) && touches(run, right))
    // A phrase is read to its left while Latin words follow, or its pieces touch.
    const last = phrase.at(-1)
    const joins = last !== undefined && (touches(run, last) || hasLtrLetter.test(run.text))
    if (!isPhrase || !joins) {
      ordered.push(...joined(phrase.toReversed()))
      phrase = []
    }
    if (isPhrase) phrase.push(run)
    else ordered.push(run)
  }
  return [...ordered, ...joined(phrase.toReversed())].map(reordered)
}

/** One run of the runs of a phrase, from left to right, so that what follows is as far from it as from its nearest run. */
const joined = (phrase: ReadonlyArray<Run>): ReadonlyArray<Run> => {
  const [first] = phrase
  const last = phrase.at(-1)
  if (first === undefined || last === undefined) return []
  const texts = phrase.map((run, index) => {
    const left = phrase[index - 1]
    return left === undefined || touches(left, run) ? run.text : ` ${run.text}`
  })
  return [{ ...first, text: texts.join(""), width: last.x + last.width - first.x }]
}

const isInPhrase = (run: Run | undefined): run is Run =>
  run !== undefined && !run.rightToLeft && !hasRtlLetter.test(run.text) && /[\p{L}\p{N}%‰$€£¥₪]/u.test(run.text)

const touches = (left: Run, right: Run): boolean =>
  right.x - left.x - left.width <= NUMBER_GAP * Math.max(left.size, right.size)

/** Corrects reversed lam-alef ligatures after an alef, where they are certain because alef never follows alef. */
const correctLamAlef = (text: string) => text.replace(/ا([اأإآ])ل/g, "ال$1")

const brackets = "()[]{}<>«»"
const mirrored = (bracket: string) => brackets[brackets.indexOf(bracket) ^ 1] ?? bracket

/** A line from right to left with its letters and brackets as they are read. */
export const asRead = (text: string): string =>
  correctLamAlef(text)
    // A bracket is drawn mirrored. Whether the PDF names it as drawn or as read shows in what it stands beside.
    .replace(/(?<=^|[\s([{)\]}])[)\]}»](?=[\p{L}\p{N}])/gu, mirrored)
    .replace(/(?<=[\p{L}\p{M}\p{N}%.!?؟])[([{«](?=$|[\s.,:;!?،؛؟)\]}([{])/gu, mirrored)
