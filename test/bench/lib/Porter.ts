/*
 * Martin Porter's stemmer (An algorithm for suffix stripping, 1980) with the three changes of his own later code, the
 * same as Lucene's PorterStemFilter.
 */

const isConsonant = (word: string, index: number): boolean => {
  const letter = word[index] ?? ""
  if ("aeiou".includes(letter)) return false
  return letter !== "y" || index === 0 || !isConsonant(word, index - 1)
}

const shape = (word: string): string => Array.from(word, (_, index) => (isConsonant(word, index) ? "c" : "v")).join("")

/** Porter's measure m: how often a sequence of vowels is followed by one of consonants. */
const measureOf = (word: string): number => shape(word).match(/v+c+/g)?.length ?? 0
const hasVowel = (word: string): boolean => shape(word).includes("v")
const endsDouble = (word: string): boolean => /([^aeiou])\1$/.test(word) && shape(word).endsWith("cc")
const endsShort = (word: string): boolean => shape(word).endsWith("cvc") && !/[wxy]$/.test(word)

type Rule = readonly [suffix: string, replacement: string]
const rules = (text: string): ReadonlyArray<Rule> =>
  text.split(" ").map((rule): Rule => {
    const [suffix = "", replacement = ""] = rule.split(":")
    return [suffix, replacement]
  })

const STEP_2 = rules(
  "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log",
)
const STEP_3 = rules("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
const STEP_4 = rules(
  "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ion: ou: ism: ate: iti: ous: ive: ize:",
)

/** Applies the first rule whose suffix the word has, if the measure of the rest exceeds `least`. */
const replace = (word: string, list: ReadonlyArray<Rule>, least: number): string => {
  const rule = list.find(([suffix]) => word.endsWith(suffix))
  if (rule === undefined) return word
  const rest = word.slice(0, -rule[0].length)
  if (rule[0] === "ion" && !/[st]$/.test(rest)) return word
  return measureOf(rest) > least ? rest + rule[1] : word
}

const step1 = (word: string): string => {
  let stem = word.replace(/(ss)es$|(i)es$|([^s])s$/, "$1$2$3")
  if (stem.endsWith("eed")) {
    if (measureOf(stem.slice(0, -3)) > 0) stem = stem.slice(0, -1)
  } else {
    const rest = stem.replace(/(?:ed|ing)$/, "")
    if (rest !== stem && hasVowel(rest)) {
      if (/(?:at|bl|iz)$/.test(rest)) stem = `${rest}e`
      else if (endsDouble(rest) && !/[lsz]$/.test(rest)) stem = rest.slice(0, -1)
      else stem = measureOf(rest) === 1 && endsShort(rest) ? `${rest}e` : rest
    }
  }
  return stem.endsWith("y") && hasVowel(stem.slice(0, -1)) ? `${stem.slice(0, -1)}i` : stem
}

const step5 = (word: string): string => {
  const rest = word.slice(0, -1)
  const stem = word.endsWith("e") && (measureOf(rest) > 1 || (measureOf(rest) === 1 && !endsShort(rest))) ? rest : word
  return stem.endsWith("ll") && measureOf(stem) > 1 ? stem.slice(0, -1) : stem
}

/** The stem of a word in lower case. */
export const porterStem = (word: string): string =>
  word.length <= 2 || !/^[a-z]+$/.test(word)
    ? word
    : step5(replace(replace(replace(step1(word), STEP_2, 0), STEP_3, 0), STEP_4, 1))
