import { bounded, type BoundedText } from "../../../text/BoundedText.ts"
import { commonness } from "../../../text/Commonness.ts"
import { detectLanguage, isFunctionWord } from "../../../languages/Detection.ts"
import type { Language } from "../../../text/Language.ts"
import { normalize } from "../../../text/Normalization.ts"
import { wordsOf } from "../../../text/UnicodeWords.ts"
import { isPair } from "../../../text/Words.ts"
import { numberOf, unitOf } from "./Values.ts"
import { type Concept, concepts, count, type Extreme, extremeIn, money } from "./Concepts.ts"

/* A question as far as tables answer it: its words with their weights, and what it asks for. */

/** A word of a question. */
export interface AskedWord {
  /** In lower case and without accents; empty for a word that the question only implies. */
  readonly text: string
  /** Its place in the question, from 0. */
  readonly place: number
  /** How much the word says, in bits. */
  readonly weight: number
  /** Whether it only makes a sentence of the others. Such a word stands in cells by chance. */
  readonly isGrammar: boolean
  /** Whether it is a name or holds digits, so that an answer without it is the answer to another question. */
  readonly isExact: boolean
  /** The meanings of columns that it asks for. */
  readonly concepts: ReadonlyArray<Concept>
}

/** A bound of numbers that a question sets, such as "less than 100". */
interface Bound {
  /** 1 for values above the bound, -1 for those below. */
  readonly direction: 1 | -1
  readonly value: number
}

/** What a question asks for. */
export interface Asked {
  /** The distinct words without those that ask for an extreme. */
  readonly words: ReadonlyArray<AskedWord>
  readonly extreme: Extreme | undefined
  readonly bound: Bound | undefined
  /** The places of the words by which it names what it asks for, such as the colour in "What is the colour of …". */
  readonly attributes: ReadonlyArray<number>
  /** Whether it asks how many there are. */
  readonly isCount: boolean
  /** Whether it may ask for several rows. */
  readonly isList: boolean
  /** Whether it names several things, to compare them or to learn of each. */
  readonly isComparison: boolean
}

/** The most bits that one word says. Rarer words are mostly those that are not in the table of common words. */
const WEIGHT_MAX = 10
/** Each letter of a word beyond this length says at least one bit. */
const COMMON_LENGTH = 5
/** A word that says fewer bits is grammar. */
const WEIGHT_MIN = 3.6
const set = (words: string): ReadonlySet<string> => new Set(words.split(" "))

/** Words of questions that are in no answer. Without accents, as all words here. */
const ASKING = set(
  "a an the what which how much many who whom whose when where why is are was were does do did of for in on at to and or with by from there it its this that i you we my our your me us can could would will should have has had be been tell show give list name find please know about get any some all each per say exist exists exactly currently offer offers offered available want need long please roughly approximately work works they them use used using made make today now " +
    "was welche welcher welches welchen welchem wie viel viele wieviel wieviele wer wen wem wo wohin wann warum ist sind hat haben gibt gib es der die das den dem des ein eine einen einem einer eines und oder mit von fur im in am an zu zum zur auf bei pro kann konnen ich man mir uns bitte nenne nennen zeige zeig sag liste alle bietet beim ungefahr etwa denn haben habt ihr wir sie hast du arbeitet arbeiten heute " +
    "quel quelle quels quelles combien comment qui quand ou pourquoi est sont a ont il y le la les l un une des de du d et avec pour par dans en sur au aux je vous nous que quoi donne moi liste tous toutes " +
    "cual cuales cuanto cuanta cuantos cuantas como quien quienes cuando donde por es son hay tiene tienen el los las un una unos unas del y o con para en al que me dime lista todos todas " +
    "quale quali quanto quanta quanti quante come chi dove perche sono ha hanno c il lo i gli le uno e con per di da nel nella alla che tutti " +
    "qual quais quantos quantas quem onde tem ha os as um uma no na nos nas do da dos das ao para com todos " +
    "welk welke hoeveel wie wat waar wanneer hoe is zijn heeft hebben de het een en of met van voor op bij er " +
    "是 的 多少 什么 哪 哪个 谁 有 吗 在 の は が を に で と か です ます いくら お ご 何 どの 무엇 얼마 какой какая какие каков сколько кто где когда как в на и с по у за для что",
)
const HOW_MUCH = /\b(?:how much|wie ?viel|was kostet|combien(?! de| d)|cuanto|quanto)\b/
const HOW_MANY =
  /\b(?:how many|wie ?viele|anzahl|combien (?:de|d)|nombre d|cuant[oa]s|quant[ie]|quant[oa]s|hoeveel)\b|сколько/
const LISTING =
  /\b(?:which|what are|what .+ are there|list|all|every|each|welche|nenne|alle|jede\w*|quels|quelles|tous|toutes|cuales|todos|todas|quali|tutti|tutte|quais|alle)\b/
const COMPARING =
  /\b(?:and|or|than|vs|versus|between|compared?|differences?|und|oder|als|zwischen|vergleich\w*|unterschied|et|ou|entre|y|o|e)\b/
/** What a question asks for without a word for it. */
const PRICE: AskedWord = { text: "", place: -9, weight: 4, isGrammar: false, isExact: false, concepts: [money] }
const NUMBER: AskedWord = { text: "", place: -9, weight: 4, isGrammar: false, isExact: false, concepts: [count] }

/** A text in lower case, and without the accents of Latin letters, in which words compare across spellings. */
export const folded = (text: string): string => {
  const lower = text.toLowerCase()
  if (!BEYOND_ASCII.test(lower)) return lower
  return normalize(normalize(lower, "NFKD").replaceAll(ACCENTS, "$1"), "NFC").replaceAll("ß", "ss")
}

/** Without a look-behind, which would walk back over a run of marks from each of them. */
const ACCENTS = /([a-z])\p{M}+/gu
const BEYOND_ASCII = /[^\0-\x7f]/

/** The folded words of a text. The parts of names such as `CHAT_DEADLINE` are words of their own. */
export const foldedWords = (text: string): ReadonlyArray<string> => split(folded(text)).map(numberWord)

const spelledWords = (text: string): ReadonlyArray<string> => split(normalize(text, "NFKC").toLowerCase())

/** Runs of letters and digits, with a point or comma between digits: many times as fast as the rules of Unicode. */
const WORD = /[\p{L}\p{M}\p{N}]+(?:(?<=\p{N})[.,](?=\p{N})\p{N}+)*/gu
const ASCII_WORD = /[a-z0-9]+(?:(?<=[0-9])[.,](?=[0-9])[0-9]+)*/g
const E_MAIL = /\be-?mail(?: address(?:es)?|-adressen?)?(?![\p{L}])/gu

/** What an apostrophe joins to a word: the `s` of a genitive, and articles of French and Italian. */
const JOINED = /['’](?:s|re|ve|ll|t)(?![\p{L}])|(?<![\p{L}])(?:[cdjlmnst]|qu|all|dell|nell)['’]/gu

/** Between a number and its unit. */
const JOINED_UNIT = /(?<=(?<![\p{L}\p{N}_-])\d+)(?=(?:[km]?m|k?g|[mkgt]b|h|min)(?![\p{L}\p{N}_-]))/gu

const split = (text: string): ReadonlyArray<string> => {
  const joined = text.includes("mail") ? text.replaceAll(E_MAIL, "email") : text
  const apart = /\d/.test(joined) ? joined.replaceAll(JOINED_UNIT, " ") : joined
  const plain = /['’]/.test(apart) ? apart.replaceAll(JOINED, " ") : apart
  if (!BEYOND_ASCII.test(plain)) return plain.match(ASCII_WORD) ?? []
  return isPair(plain) ? wordsOf(bounded(plain)) : (plain.match(WORD) ?? [])
}

/** Analyses a question. */
export const asked = (question: BoundedText): Asked => {
  const plain = folded(question)
  const spelled = spelledWords(question)
  const texts = spelled.map((word) => numberWord(folded(word)))
  const extreme = extremeIn(texts)
  const language = detectLanguage(question)
  const names = namesIn(question, language)
  const bound = boundIn(plain)
  const bounding = foldedWords(bound?.text ?? "")
  const words = new Map<string, AskedWord>()
  for (const [place, text] of texts.entries()) {
    if (extreme?.places.includes(place) === true || bounding.includes(text) || words.has(text)) continue
    const isCode = /\d/.test(text)
    // A cell may have another name for the unit of a number, or none.
    const isUnit = /^[\d.,]+$/.test(texts[place - 1] ?? "") && unitOf(text) !== undefined
    const isGrammar = isUnit || ASKING.has(text) || (!isCode && isFunctionWord(spelled[place] ?? text, language))
    words.set(text, {
      text,
      place,
      isGrammar,
      weight: isGrammar ? 0 : isCode ? WEIGHT_MAX : weightOf(spelled[place] ?? text),
      isExact: /\d/.test(spelled[place] ?? "") || names.has(text),
      concepts: concepts.filter(({ questions, words: names }) =>
        isGrammar ? questions.includes(text) : [...names, ...questions].some((word) => isFormOf(text, word)),
      ),
    })
  }
  const isCount = HOW_MANY.test(plain)
  if (isCount || HOW_MUCH.test(plain)) words.set("", isCount ? NUMBER : PRICE)
  return {
    words: Array.from(words.values()),
    extreme,
    bound,
    attributes: attributesIn(plain, texts).filter((place) => words.get(texts[place] ?? "")?.place === place),
    isCount,
    isList: LISTING.test(plain),
    isComparison: COMPARING.test(plain),
  }
}

const BELOW =
  "(?:less|cheaper|fewer|lower|smaller|shorter) than|under|below|weniger als|unter|billiger als|moins de|menos de|meno di"
const ABOVE = "(?:more|higher|larger|bigger|longer|greater) than|over|above|mehr als|uber|plus de|mas de|piu di|mais de"
const BOUND = new RegExp(`\\b(?:(${BELOW})|(?:${ABOVE}))\\s+\\D{0,2}(\\d[\\d.,]*)`)

/** The bound in a folded question, with the words that set it. */
const boundIn = (plain: string): (Bound & { readonly text: string }) | undefined => {
  const [text, below, number = ""] = BOUND.exec(plain) ?? []
  const value = numberOf(number)
  return text === undefined || value === undefined
    ? undefined
    : { direction: below === undefined ? 1 : -1, value, text }
}

/** Phrases after which a question names the attribute or the thing that it asks for. */
const NAMING_ATTRIBUTE =
  /\b(?:what (?:is|are|was|were) the|how much (?:is|are|does|do) an?|was kostet eine?|how(?: many)?|(?:was|wie \w+) (?:ist|sind|war) (?:der|die|das)|wie(?: viele)?|quel(?:le)? est (?:le |la |l['’])|combien de|cual es (?:el|la)|cuant[oa]s|qual e (?:il |la |l['’])|quant[ei]|wat is (?:de|het)|hoeveel)\s*/

/** The places of the words right after a phrase that asks for an attribute, up to the next word of grammar. */
const attributesIn = (plain: string, texts: ReadonlyArray<string>): ReadonlyArray<number> => {
  const found = NAMING_ATTRIBUTE.exec(plain)
  if (found === null) return []
  const from = foldedWords(plain.slice(0, found.index + found[0].length)).length
  const length = texts.slice(from).findIndex((text) => ASKING.has(text))
  return Array.from({ length: length < 0 ? texts.length - from : length }, (_, index) => from + index)
}

/** A number that is written as a word, in digits. */
const numberWord = (word: string): string => NUMBERS.get(word) ?? word
/** Words for numbers, in English, German, French, Spanish and Italian, that mean nothing else in any of them. */
const NUMBERS = new Map(
  Object.entries({
    2: "two zwei deux dos",
    3: "three drei trois tres tre",
    4: "four vier quatre cuatro quattro",
    5: "five funf cinq cinco cinque",
    6: "six sechs seis",
    7: "seven sieben sept siete sette",
    8: "eight acht huit ocho otto",
    9: "nine neun neuf nueve nove",
    10: "ten zehn dix diez dieci",
    11: "eleven elf onze undici",
    12: "twelve zwolf douze doce dodici",
    15: "fifteen funfzehn quinze quince quindici",
    20: "twenty zwanzig vingt veinte",
    25: "twentyfive funfundzwanzig veinticinco",
    30: "thirty dreissig trente treinta trenta",
    40: "forty vierzig quarante cuarenta quaranta",
    50: "fifty funfzig cinquante cincuenta cinquanta",
    60: "sixty sechzig soixante sesenta sessanta",
    70: "seventy siebzig setenta settanta",
    80: "eighty achtzig ochenta ottanta",
    90: "ninety neunzig noventa novanta",
    100: "hundred hundert cien cento",
    1000: "thousand tausend",
  }).flatMap(([digits, words]) => words.split(" ").map((word) => [word, digits] as const)),
)

const weightOf = (word: string): number => {
  // Commonness is that of a word's beginning, with which many longer ones begin.
  const bits = Math.max(-Math.log2(commonness(word)), isPair(word) ? 0 : word.length - COMMON_LENGTH)
  return bits < WEIGHT_MIN ? 0 : Math.min(bits, WEIGHT_MAX)
}

/** Capitalized words that are no names of things. */
const IN_CALENDAR =
  /^(?:january|february|march|april|may|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)$/

/** The words that are capitalized within a sentence, but for dates, where that marks names. German capitalizes all nouns. */
const namesIn = (question: string, language: Language): ReadonlySet<string> => {
  // Abbreviations such as PDF are mostly no names.
  const capitalized =
    language === "german" ? [] : (question.match(/(?<=[^\s.!?]\s+)\p{Lu}\p{M}*\p{Ll}[\p{L}\p{M}]*/gu) ?? [])
  const letters = question.match(/(?<=[\p{L}\d]\s)[B-HJ-Z](?![\p{L}\p{M}\d'’.&-])/gu) ?? []
  const codes = question.match(/[\p{L}\d]+(?:_[\p{L}\d]+)+/gu) ?? []
  return new Set(
    [...capitalized, ...codes]
      .flatMap(foldedWords)
      .filter((word) => !ASKING.has(word) && !IN_CALENDAR.test(word))
      .concat(letters.map(folded)),
  )
}

/** The endings by which forms of one word differ, in the languages that have the same letters. */
const ENDINGS = set(
  "s es er or ers ors e en n er ern r em st t te ten d ed ing ings ung ungen ion ions ation al ly ies y o a os as i m x aux ment 's",
)
const STEM_MIN = 3

/** Whether two folded words are probably forms of one: they differ only in their endings. */
export const isFormOf = (a: string, b: string): boolean => {
  if (a === b) return true
  if (/\d/.test(a) || /\d/.test(b)) return false
  let shared = 0
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared++
  if (shared < STEM_MIN) return false
  const [left, right] = [a.slice(shared), b.slice(shared)]
  // Short words with other endings are mostly other words: `use` and `user`.
  if (shared === STEM_MIN && left + right !== "s") return false
  return (left === "" || ENDINGS.has(left)) && (right === "" || ENDINGS.has(right))
}

/** Least length of the last part of a compound that stands for the whole, such as `Preis` for `Monatspreis`. */
const PART_MIN = 4

/** Whether `whole` is a compound that ends with a form of `part`, as German writes them. */
export const endsWithForm = (whole: string, part: string): boolean => {
  if (part.length < PART_MIN || whole.length < part.length + 3 || /\d/.test(whole)) return false
  const at = whole.lastIndexOf(part)
  return at >= 3 && isFormOf(whole.slice(at), part)
}
