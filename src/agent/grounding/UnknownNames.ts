import type { SpokenLanguage } from "../../language/Locales.ts"
import { weightOf } from "../../language/words/WordForms.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { isSilent, keysIn } from "./Clauses.ts"
import type { Evidence } from "./Evidence.ts"
import { isMeasure } from "./Quantities.ts"

/*
 * Finds names in a sentence by their capitals. German, whose nouns have capitals too, shows those of at least two words.
 * Names in scripts without capitals are left to a judge.
 */

const TOKEN = /[\p{Lu}\p{Ll}\p{M}\p{N}]+(?:['’.&-][\p{Lu}\p{Ll}\p{M}\p{N}]+)*/gu
/** Matches abbreviations, which stand for words of a passage as often as not. */
const ACRONYM = /^\p{Lu}{2,3}$/u
/** The least weight of a word that is a name: of German, whose nouns are common words in capitals, and of others. */
const RARE = { german: 0.9, other: 0.4 }

/** What stands before a noun of German, and before no name. */
const ARTICLE =
  /(?<!\p{L})(?:d(?:er|ie|as|e[mns])|[mdsk]?ein(?:e[mnrs]?)?|unser(?:e[mnrs]?)?|ihr(?:e[mnrs]?)?|im|am|ins|vom|beim|zu[mr])\s$/iu

/** The first name of a sentence that stands nowhere in the evidence; undefined where there is none. */
export const unknownNameIn = (text: BoundedText, language: SpokenLanguage, evidence: Evidence): string | undefined => {
  const least = language === "de" ? RARE.german : RARE.other
  const isUnknown = (word: string) =>
    !ACRONYM.test(word) &&
    keysIn(bounded(word)).some((key) => weightOf(key) >= least && evidence.holding(key) === undefined)
  return capitalsIn(text, language)
    .find((run) => isUnknown(run.at(-1) ?? "") || run.filter(isUnknown).length * 2 > run.length)
    ?.join(" ")
}

/** Runs of capitalized words, without the first word of the text, which is always capitalized. */
const capitalsIn = (text: BoundedText, language: SpokenLanguage): ReadonlyArray<ReadonlyArray<string>> => {
  const runs: Array<Array<string>> = []
  let end = -2
  let isFirst = true
  const isGerman = language === "de"
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const isBegin = isFirst || /[:.!?“"„«(]\s*$/u.test(text.slice(Math.max(0, index - 3), index))
    isFirst = false
    const isName =
      /^\p{Lu}/u.test(token) && !isMeasure(token, language) && !isSilent(keysIn(bounded(token))[0] ?? "", language)
    if (isName && end === index - 1 && text[index - 1] === " ") runs.at(-1)?.push(token)
    else if (isName) runs.push(isBegin || (isGerman && ARTICLE.test(text.slice(0, index))) ? [] : [token])
    end = isName ? index + token.length : -2
  }
  return runs.filter((run) => run.length >= (isGerman ? 2 : 1))
}
