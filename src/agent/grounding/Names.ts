import type { SpokenLanguage } from "../../languages/Locales.ts"
import { weightOf } from "../../models/local/Terms.ts"
import { bounded, type BoundedText } from "../../text/BoundedText.ts"
import { wordsOf } from "../../text/UnicodeWords.ts"
import { isSilent } from "./Claims.ts"
import { type Evidence, keysIn } from "./Evidence.ts"

/*
 * Finds names in a sentence. Scripts with capitals show them by these; German, whose nouns have capitals too, shows those
 * of at least two words. Words of Latin letters in another script are names. Arabic and Chinese names are recognized by
 * what they are made of.
 */

const TOKEN = /[\p{L}\p{M}\p{N}]+(?:['’.&-][\p{L}\p{M}\p{N}]+)*/gu
const LATIN = /\p{Script=Latin}[\p{Script=Latin}\p{M}\p{N}'’.&-]*[\p{Script=Latin}\p{N}]/gu

/** The first name of a sentence that stands nowhere in the evidence; undefined where there is none. */
export const unknownNameIn = (text: BoundedText, language: SpokenLanguage, evidence: Evidence): string | undefined => {
  const isUnknown = (word: string) => {
    const keys = keysIn(bounded(word))
    // A noun of German, unlike a name, is mostly a common word or a form of one.
    const mayBe = (key: string) =>
      language !== "de" || (weightOf(key) >= RARE_WEIGHT && evidence.holding(key).length === 0)
    return !ACRONYM.test(word) && keys.some((key) => !isSilent(key, language) && mayBe(key) && !evidence.names(key))
  }
  const name = namesIn(text, language)
    .find((run) => isUnknown(run.at(-1) ?? "") || run.filter(isUnknown).length * 2 > run.length)
    ?.join(" ")
  return (
    name ??
    (language === "zh" ? chineseIn(text, evidence) : language === "ar" ? arabicIn(text, language, evidence) : undefined)
  )
}

/** Matches abbreviations, which stand for words of a passage as often as not. */
const ACRONYM = /^\p{Lu}{2,3}$/u
/** The least weight of a word that is a name in German. */
const RARE_WEIGHT = 0.9

const namesIn = (text: BoundedText, language: SpokenLanguage): ReadonlyArray<ReadonlyArray<string>> =>
  UNCASED.has(language) ? latinIn(text) : capitalsIn(text, language)

const UNCASED: ReadonlySet<SpokenLanguage> = new Set<SpokenLanguage>(["ar", "fa", "he", "hi", "th", "zh", "ja", "ko"])

/** Runs of capitalized words, without the first word of the text, which is always capitalized. */
const capitalsIn = (text: BoundedText, language: SpokenLanguage): ReadonlyArray<ReadonlyArray<string>> => {
  const runs: Array<Array<string>> = []
  let end = -2
  let isFirst = true
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const isBegin = isFirst || /[:.!?“"„«(]\s*$/u.test(text.slice(Math.max(0, index - 3), index))
    isFirst = false
    const isCapital = /^\p{Lu}/u.test(token)
    if (isCapital && end === index - 1 && text[index - 1] === " ") runs.at(-1)?.push(token)
    else if (isCapital && !isBegin) runs.push([token])
    else if (isCapital) runs.push([])
    end = isCapital ? index + token.length : -2
  }
  const least = language === "de" ? 2 : 1
  return runs.filter((run) => run.length >= least)
}

const latinIn = (text: BoundedText): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from(text.matchAll(LATIN), ([token]) => [token])

const SURNAMES =
  "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林郑谢罗梁宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"

const segmenter = new Intl.Segmenter("zh", { granularity: "word" })

/** A surname with one or two characters that make no word, or a name from abroad, whose parts a point separates. */
const chineseIn = (text: BoundedText, evidence: Evidence): string | undefined => {
  // What stands before and after a name from abroad cannot be told from it.
  const abroad = (text.match(/\p{Script=Han}{1,8}(?:·\p{Script=Han}{1,8})+/gu) ?? []).flatMap((name) => {
    const [first = "", ...others] = name.split("·")
    return [first.slice(-2), ...others.map((part) => part.slice(0, 2))]
  })
  const words = Array.from(segmenter.segment(text), ({ segment }) => segment)
  const own = words.flatMap((word, at) => {
    const next = words[at + 1] ?? ""
    return word.length === 1 && SURNAMES.includes(word) && /^\p{Script=Han}{1,2}$/u.test(next) && !isSilent(next, "zh")
      ? [word + next]
      : []
  })
  const houses = Array.from(
    text.matchAll(/(\p{Script=Han}{2})(?:公司|集团|银行|大学|医院|酒店)/gu),
    ([, name = ""]) => name,
  )
  return [...abroad, ...houses, ...own].find((name) => !evidence.says(name))
}

/** Matches words with an article, an ending of cases or the prefix of a verb, which names have not. */
const NO_NAME = /^[وفبلك]?ال|ً|^[يتن]/u

/** Two words in a row that stand nowhere and may be names. */
const arabicIn = (text: BoundedText, language: SpokenLanguage, evidence: Evidence): string | undefined => {
  const words = wordsOf(text)
  const isUnknown = (word: string | undefined) => {
    const [key] = word === undefined ? [] : keysIn(bounded(word))
    return (
      key !== undefined &&
      key.length > 2 &&
      !NO_NAME.test(word ?? "") &&
      !isSilent(word ?? "", language) &&
      !isSilent(key, language) &&
      !evidence.said.has(key) &&
      evidence.holding(key).length === 0
    )
  }
  const at = words.findIndex((word, at) => isUnknown(word) && isUnknown(words[at + 1]))
  return at === -1 ? undefined : words.slice(at, at + 2).join(" ")
}
