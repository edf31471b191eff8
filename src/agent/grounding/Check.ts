import type { Unsupported } from "../../domain/chat/Grounding.ts"
import { locales, type SpokenLanguage } from "../../languages/Locales.ts"
import { weightOf } from "../../models/local/Terms.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { type Claim, isSilent, phrasesIn } from "./Claims.ts"
import { type Evidence, keysIn, type Line } from "./Evidence.ts"
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

/** Lower numbers may be written out, or count what follows, as in `There are three ways:`. */
const LEAD_NUMBER_MIN = 13
/** The information in a number, as that of a word. */
const NUMBER_WEIGHT = 0.7

/** How well lines and texts hold the words of a claim. */
interface Scores {
  /** The number of the words, and their information. */
  readonly count: number
  readonly total: number
  readonly lines: ReadonlyMap<number, number>
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
  const lines = new Map<number, number>()
  const texts = new Map<number, number>()
  let count = 0
  let total = 0
  for (const key of new Set(keysIn(text))) {
    if (isSilent(key, language) || !isTelling(key)) continue
    const weight = weightOf(key)
    // What the user has said may be repeated, and agrees with a passage where that says it, too.
    if (evidence.said.has(key) && evidence.holding(key).length === 0) continue
    total += weight
    count++
    const inTexts = new Map<number, number>()
    for (const [line, strength] of evidence.holding(key)) {
      lines.set(line, (lines.get(line) ?? 0) + weight * strength)
      const text = evidence.lines[line]?.text ?? 0
      inTexts.set(text, Math.max(inTexts.get(text) ?? 0, weight * strength))
    }
    for (const [text, score] of inTexts) texts.set(text, (texts.get(text) ?? 0) + score)
  }
  for (const { values } of numbersIn(text, [language])) {
    total += NUMBER_WEIGHT
    const holders = values.flatMap((value) => evidence.linesWith(value))
    for (const text of new Set(holders.map((line) => evidence.lines[line]?.text ?? 0))) {
      texts.set(text, (texts.get(text) ?? 0) + NUMBER_WEIGHT)
    }
  }
  const share = total === 0 ? 1 : Math.max(0, ...texts.values()) / total
  return { count, total, lines, best: Math.max(0, ...lines.values()), share }
}

const isTelling = (key: string): boolean => key.length > (/^\p{ASCII}/u.test(key) ? 2 : 1)

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
    const isFound = holders.some((at) => isForeign || (lines.get(at) ?? 0) >= NUMBER_LINE_MIN * best)
    if (!isFound) return { reason: "number", detail: written }
  }
  return undefined
}

const wrongName = ({ isLead, text }: Claim, evidence: Evidence, language: SpokenLanguage): Verdict | undefined => {
  const name = isLead ? undefined : unknownNameIn(text, language, evidence)
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

const clausesOf = (text: string): ReadonlyArray<BoundedText> =>
  text.split(CLAUSE).flatMap((clause) => (clause.trim() === "" ? [] : [bounded(clause)]))

/** Whether a claim agrees with a line in its words and denies what that affirms, or the other way round. */
const denied = (
  { text }: Claim,
  evidence: Evidence,
  language: SpokenLanguage,
  { best, lines }: Scores,
): Verdict | undefined => {
  const near: ReadonlyArray<Line> = Array.from(lines).flatMap(([at, score]) => {
    const line = evidence.lines[at]
    return line !== undefined && score >= 0.75 * best ? [line] : []
  })
  for (const clause of clausesOf(text)) {
    const phrases = phrasesIn(clause, language)
    if (phrases.has("limits")) continue
    const words = telling(clause, language)
    if (words.length < 2) continue
    let most = 0
    let isDenied = false
    for (const other of near.flatMap(({ sentence }) => clausesOf(sentence))) {
      const others = telling(other, language)
      const shared = words.filter((word) => others.some((each) => evidence.areSame(word, each))).length
      const covered = others.filter((word) => words.some((each) => evidence.areSame(each, word))).length
      if (shared / words.length < AGREEING_MIN || covered / others.length < COVERED_MIN) continue
      const otherPhrases = phrasesIn(other, language)
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
  const words = HAN.test(text) ? tokensOf(text).filter((token) => HAN.test(token)) : keysIn(text).filter(isTelling)
  return Array.from(new Set(words)).filter((key) => !isSilent(key, language))
}

const HAN = /\p{Script=Han}/u
