import type { Unsupported } from "../../domain/chat/Grounding.ts"
import { locales, type SpokenLanguage } from "../../languages/Locales.ts"
import { similarity, weightOf } from "../../models/local/Terms.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { type Claim, isSilent, phrasesIn } from "./Claims.ts"
import { type Evidence, type Holder, keysIn } from "./Evidence.ts"
import { tokensOf } from "../../text/PhraseBook.ts"
import { unknownNameIn } from "./Names.ts"
import { numbersIn } from "./Numbers.ts"

/*
 * Compares a claim with what the model was given: numbers and names first, which hold in every language, then words.
 */

/** Why a claim is not supported, as far as words can say. */
export type Verdict = Pick<Unsupported, "detail" | "reason">

/** The least share of a claim's words that one text holds, and the share from which on no judge is needed. */
const SHARE_MIN = 0.4
const SURE_SHARE = 0.7
/** The least score of a line with a claim's number, as a share of the best line's. */
const NUMBER_LINE_MIN = 0.5
/** The least share of a clause's words in one that denies it, and the other way round. */
const AGREEING_MIN = 0.7
const COVERED_MIN = 0.5

/** The most lines that may deny a claim, and the most clauses of each that are compared. */
const NEAR_MAX = 20
const CLAUSES_MAX = 20

/** Lower numbers may be written out, or count what follows, as in `There are three ways:`. */
const LEAD_NUMBER_MIN = 13
/** The information in a number, as that of a word. */
const NUMBER_WEIGHT = 0.7

/** How well lines and texts hold the words of a claim. */
interface Scores {
  /** The number of the words, and their information. */
  readonly count: number
  readonly total: number
  readonly lines: Float64Array
  readonly best: number
  /** The share of the words that the best text holds, 0–1. */
  readonly share: number
}

/** Judges a claim. Undefined: it is supported. `unsure`: words cannot decide. */
export const check = (
  claim: Claim,
  evidence: Evidence,
  language: SpokenLanguage,
  isForeign: boolean,
): Verdict | "unsure" | undefined => {
  const scores = scoresOf(claim.text, evidence, language)
  return (
    wrongNumber(claim, evidence, language, scores, isForeign) ??
    wrongName(claim, evidence, language) ??
    (isForeign
      ? scores.share >= SURE_SHARE
        ? undefined
        : "unsure"
      : (denied(claim, evidence, language, scores) ?? tooFewWords(claim, language, scores)))
  )
}

const scoresOf = (text: BoundedText, evidence: Evidence, language: SpokenLanguage): Scores => {
  const lines = new Float64Array(evidence.lines.length)
  const texts = new Float64Array(evidence.texts)
  let count = 0
  let total = 0
  const countInTexts = (holders: Iterable<Holder>, weight: number) => {
    const inTexts = new Float64Array(evidence.texts)
    for (const [line, strength] of holders) {
      const text = evidence.lines[line]?.text ?? 0
      inTexts[text] = Math.max(inTexts[text] ?? 0, weight * strength)
    }
    for (const [text, score] of inTexts.entries()) texts[text] = (texts[text] ?? 0) + score
  }
  for (const key of new Set(keysIn(text))) {
    if (isSilent(key, language)) continue
    const weight = weightOf(key)
    const holders = evidence.holding(key)
    // What the user has said may be repeated, and agrees with a passage where that says it, too.
    if (evidence.said.has(key) && holders.length === 0) continue
    total += weight
    count++
    for (const [line, strength] of holders) lines[line] = (lines[line] ?? 0) + weight * strength
    countInTexts(holders, weight)
  }
  for (const { values } of numbersIn(text, [language])) {
    total += NUMBER_WEIGHT
    countInTexts(
      values.flatMap((value) => evidence.linesWith(value).map((line): Holder => [line, 1])),
      NUMBER_WEIGHT,
    )
  }
  return { count, total, lines, best: Math.max(0, ...lines), share: total === 0 ? 1 : Math.max(0, ...texts) / total }
}

const wrongNumber = (
  { isLead, text }: Claim,
  evidence: Evidence,
  language: SpokenLanguage,
  { best, lines }: Scores,
  isForeign: boolean,
): Verdict | undefined => {
  for (const { text: written, values } of numbersIn(text, [language])) {
    if (values.some((value) => evidence.numbersSaid.has(value) || value === 1)) continue
    if ((isLead || locales[language].claims === undefined) && values.every((value) => value < LEAD_NUMBER_MIN)) continue
    const holders = values.flatMap((value) => evidence.linesWith(value))
    const isFound = holders.some((at) => isForeign || (lines[at] ?? 0) >= NUMBER_LINE_MIN * best)
    if (!isFound) return { reason: "number", detail: written }
  }
  return undefined
}

const wrongName = ({ text }: Claim, evidence: Evidence, language: SpokenLanguage): Verdict | undefined => {
  const name = unknownNameIn(text, language, evidence)
  return name === undefined ? undefined : { reason: "name", detail: name }
}

const tooFewWords = (
  { isLead }: Claim,
  language: SpokenLanguage,
  { count, share, total }: Scores,
): Verdict | "unsure" | undefined => {
  if (isLead || count < 2 || total < 1 || share >= SHARE_MIN) return undefined
  // Where the offers and remarks of a language are not known, one looks like a claim.
  return locales[language].claims === undefined ? "unsure" : { reason: "words" }
}

const CLAUSE = /(?<!\d)[,:]|[,:](?!\d)|[;–—，；：،؛]|\s(?:but|and|aber|sondern|und|ولكن|لكن)\s/u

const clausesOf = (text: string, language: SpokenLanguage) =>
  text.split(CLAUSE, CLAUSES_MAX).flatMap((part) => {
    if (part.trim() === "") return []
    const clause = bounded(part)
    return [{ phrases: phrasesIn(clause, language), words: telling(clause, language) }]
  })

/** Whether a claim agrees with a line in its words and denies what that affirms, or the other way round. */
const denied = (
  { text }: Claim,
  evidence: Evidence,
  language: SpokenLanguage,
  { best, lines }: Scores,
): Verdict | undefined => {
  const near = evidence.lines
    .filter((_, at) => (lines[at] ?? 0) >= Math.max(0.75 * best, Number.MIN_VALUE))
    .slice(0, NEAR_MAX)
    .flatMap(({ sentence }) => clausesOf(sentence, language))
  for (const { phrases, words } of clausesOf(text, language)) {
    if (phrases.has("limits") || words.length < 2) continue
    let most = 0
    let isDenied = false
    for (const { phrases: otherPhrases, words: others } of near) {
      const shared = words.filter((word) => others.some((each) => word === each || similarity(word, each) > 0)).length
      const covered = others.filter((word) => words.some((each) => word === each || similarity(word, each) > 0)).length
      if (shared / words.length < AGREEING_MIN || covered / others.length < COVERED_MIN) continue
      const score = shared / words.length + covered / others.length
      if (score <= most) continue
      most = score
      isDenied = !otherPhrases.has("limits") && otherPhrases.has("denials") !== phrases.has("denials")
    }
    if (isDenied) return { reason: "negation" }
  }
  return undefined
}

/** The words of a clause that say what it is about; single characters in scripts without spaces. */
const telling = (text: BoundedText, language: SpokenLanguage): ReadonlyArray<string> => {
  const words = HAN.test(text) ? tokensOf(text).filter((token) => HAN.test(token)) : keysIn(text)
  return Array.from(new Set(words)).filter((key) => !isSilent(key, language))
}

const HAN = /\p{Script=Han}/u
