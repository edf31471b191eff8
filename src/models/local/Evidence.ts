import { languageOfReply } from "../../languages/Detection.ts"
import type { PassageJson } from "../../domain/knowledge/Passage.ts"
import { bounded } from "../../text/BoundedText.ts"
import type { SpokenLanguage } from "../../languages/Locales.ts"
import { hasNumberWord, type Question, says } from "./Question.ts"
import { isQuestion, type ItemList, type Lead, type Reading, type Sentence } from "./Reading.ts"
import { keysOf, type Terms } from "./Terms.ts"
import { holdsWanted } from "./Values.ts"

/*
 * Judges how well each sentence and each list of some passages answers a question, and whether it does at all. The
 * weights are fitted on questions with known answers; see `bench answers`.
 */

/** Features of a sentence, each about 0–1, with what each adds to the logarithm of the sentence's odds. */
const WEIGHTS = {
  /** The share of the question's information that the sentence itself holds. */
  own: 5.1,
  /** The same where words count that are rare among the sentences. */
  rare: 4.5,
  /** Share of the question's information that the nearest heading and the announcement of a list add. */
  heading: 6.6,
  /** Share of the question's information that the sentence before adds. */
  before: 4.2,
  /** Whether the sentence holds what the question wants: 1, or -1 where it lacks it. */
  wanted: 1.4,
  /** Whether it begins with all that is asked about, and a dash or a colon. */
  defines: 1.7,
  /** Binary logarithm of the length of a plain sentence over that of the sentence; 0 where it is longer. */
  short: 0.8,
  item: -1.6,
  /** The rank of its passage. */
  rank: -4,
  /** Whether it is the first sentence below a heading that holds words of the question. */
  first: 1.3,
  /** Whether its heading asks the same question. */
  asked: 0.9,
  /** Evidence for a list as a whole where the question wants several things, a way or one fact. */
  list: 1,
}
type Features = Readonly<Record<keyof typeof WEIGHTS, number>>

/** Signals for an answer at all, with what each adds to the logarithm of the odds. */
const LIKELIHOOD = {
  /** Evidence against an answer before anything is known. */
  bias: -2.4,
  /** The information that the sentence and what stands above it hold, in words other than names. */
  held: 1.8,
  /** The share of the question's information in names that are missing there. */
  names: -2,
  /** The information in the rarest word that nothing has, and of another language only in a name. */
  unknown: -2.1,
  /** Whether the sentence holds what the question wants. */
  wanted: 1,
  /** The similarity of the passage, and how much more similar it is than the next best one. */
  similarity: 2.2,
  lead: 2.2,
}
type Signals = Readonly<Record<keyof typeof LIKELIHOOD, number>>

/**
 * The least likelihood with which an answer is given. A higher one refuses more of what the documents do not tell, and
 * more of what they do; with this one, about four of five questions without an answer are refused.
 */
const LIKELY = -0.75
/** Loss of a sentence that does not deny what the question denies, or the other way round. */
const DISAGREEMENT = 3
/** The rank from which on a passage counts least. */
const RANKS = 5
const SHORT_WORDS = 8
/** The least share of a question's information in a heading that asks it. */
const ASKED_SHARE_MIN = 0.7
/** The most items of a list that is quoted. */
const ITEMS_MAX = 15
/** Gain of a list over a sentence where the question asks for several things, and of steps where it asks for a way. */
const LIST_GAIN = 3
const STEPS_GAIN = 5
/** The share of the question's information from which on a list gains all of this. */
const LIST_SHARE = 0.3
/** The least share of a question's information in what stands above a list without numbers that says how something is done. */
const FITTING_SHARE_MIN = 0.5
/** Loss of a list where the question asks for one fact. */
const FACT_LOSS = -4

/** The most words of a definition before what it defines, such as articles. */
const ARTICLES_MAX = 2

/** The words of the question in a text, by their index, with their certainty. */
type Found = ReadonlyMap<number, number>

/** A sentence with what speaks for it. */
export interface Judged {
  /** Of a list, the line that announces it. */
  readonly sentence: Sentence
  /** The list that would be quoted as a whole. */
  readonly list: ItemList | undefined
  /** The words of the question in the sentence and what stands above it. */
  readonly covered: Found
  readonly features: Features
  /** The logarithm of its odds, up to a constant of the question. */
  readonly score: number
}

export class Evidence {
  readonly question: Question
  readonly terms: Terms
  /** The sentences, the best one first. */
  readonly ranked: ReadonlyArray<Judged>
  /** The words of the question that any sentence or heading has. */
  private readonly anywhere = new Map<number, number>()
  private readonly rarity: ReadonlyArray<number>
  private readonly secondSimilarity: number
  private readonly cache = new Map<object, Found>()

  constructor(question: Question, terms: Terms, { lists, sentences }: Reading) {
    this.question = question
    this.terms = terms
    const own = sentences.map(({ keys }) => terms.in(keys))
    this.rarity = terms.all.map(({ weight }, term) => {
      const holders = own.filter((found) => found.has(term)).length
      return weight * Math.log(1 + (own.length - holders + 0.5) / (holders + 0.5))
    })
    const judged = sentences.map((sentence, at) => this.judge(sentence, sentence.before && own[at - 1]))
    this.ranked = [...judged, ...lists.flatMap((list) => this.judgedList(list))].toSorted((a, b) => b.score - a.score)
    for (const { covered } of this.ranked) {
      for (const [term, strength] of covered) {
        this.anywhere.set(term, Math.max(strength, this.anywhere.get(term) ?? 0))
      }
    }
    const passages = new Set(sentences.map(({ passage }) => passage))
    this.secondSimilarity = Array.from(passages, ({ similarity = 1 }) => similarity).toSorted((a, b) => b - a)[1] ?? 0
  }

  /** Judges a sentence. `previous` are the words of the question in the sentence before it. */
  judge(sentence: Sentence, previous: Found | undefined): Judged {
    const { form, keys, lead, list } = sentence
    const own = this.terms.in(keys)
    const heading = this.in(lead, lead.keys)
    const covered = new Map(own)
    const gained = (more: Found) => {
      let gain = 0
      for (const [term, strength] of more) {
        const known = covered.get(term) ?? 0
        if (strength <= known) continue
        gain += this.weight(term) * (strength - known)
        covered.set(term, strength)
      }
      return gain / this.all
    }
    const features: Features = {
      own: this.shareOf(own),
      rare:
        sum(Array.from(own, ([term, strength]) => (this.rarity[term] ?? 0) * strength)) /
        Math.max(sum(this.rarity), Number.EPSILON),
      heading: gained(heading) + (list === undefined ? 0 : gained(this.in(list, list.announcementKeys))),
      before: previous === undefined ? 0 : gained(previous),
      wanted: this.wanted(sentence),
      defines: this.defines(sentence) ? 1 : 0,
      short: Math.max(0, Math.log2(SHORT_WORDS / Math.max(1, keys.length))),
      item: form === "item" || form === "record" ? 1 : 0,
      rank: Math.min(1, sentence.rank / RANKS),
      first: this.shareOf(heading) / (1 + sentence.distance),
      asked: this.asks(lead) ? 1 : 0,
      list: 0,
    }
    gained(this.in(lead.above, lead.above))
    const score = weighted(WEIGHTS, features) - (this.disagrees(sentence) ? DISAGREEMENT : 0)
    return { sentence, list: undefined, covered, features, score }
  }

  /** Judges a list as if its announcement were a sentence. A long list is not quoted. */
  private judgedList(list: ItemList): ReadonlyArray<Judged> {
    const { announcement: text, announcementKeys: keys, items } = list
    const [first] = items
    if (first === undefined || items.length > ITEMS_MAX) return []
    const judged = this.judge({ ...first, text, keys, list: undefined, before: undefined, form: "sentence" }, undefined)
    const share = this.shareOf(judged.covered)
    const gain = gainOf(this.question, list, share) * Math.min(1, share / LIST_SHARE)
    const features = { ...judged.features, wanted: 0, short: 0, list: gain }
    return [{ ...judged, list, features, score: weighted(WEIGHTS, features) }]
  }

  /** The share of the question's information in some of its words. */
  shareOf(found: Found): number {
    return sum(Array.from(found, ([term, strength]) => this.weight(term) * strength)) / this.all
  }

  /** Whether a heading asks what the question does. */
  asks(lead: Lead): boolean {
    return isQuestion(lead.heading) && this.shareOf(this.in(lead, lead.keys)) >= ASKED_SHARE_MIN
  }

  /** Whether a sentence probably answers the question, and is not one of several alike of which it names another one. */
  isLikely(judged: Judged): boolean {
    const { covered, features, sentence } = judged
    const isAnyItem = sentence.list !== undefined && features.own === 0
    const isOther = isAnyItem && this.terms.all.some(({ isName }, term) => isName && !covered.has(term))
    return covered.size > 0 && !isOther && weighted(LIKELIHOOD, this.signals(judged)) >= LIKELY
  }

  /** Signals for and against a sentence as an answer. */
  signals({ covered, features, sentence }: Judged): Signals {
    const { all } = this.terms
    const similarity = sentence.passage.similarity ?? 1
    const isForeign = this.isInOtherLanguage(sentence)
    const countsNames = isForeign || all.every(({ isName }) => isName)
    const held = (isName: boolean, term: number) => (isName && !countsNames ? 0 : (covered.get(term) ?? 0))
    return {
      bias: 1,
      held: sum(all.map(({ isName, weight }, term) => weight * held(isName, term))),
      names: sum(all.map(({ isName, weight }, term) => (isName && !covered.has(term) ? weight : 0))) / this.all,
      unknown: Math.max(
        0,
        ...all.map(({ isName, weight }, term) => (this.anywhere.has(term) || (isForeign && !isName) ? 0 : weight)),
      ),
      wanted: features.list > 0 ? 1 : features.wanted,
      similarity,
      lead: similarity - this.secondSimilarity,
    }
  }

  private get all(): number {
    return Math.max(sum(this.terms.all.map(({ weight }) => weight)), Number.EPSILON)
  }

  private weight(term: number): number {
    return this.terms.all[term]?.weight ?? 0
  }

  /** Whether a question denies something that a sentence, with what stands above it, does not, or the other way round. */
  private disagrees({ lead, list, passage, text }: Sentence): boolean {
    const { denies: isDenied, isDecision, selects } = this.question
    if (isDecision || !(isDenied || selects)) return false
    const whole = isDenied ? `${lead.heading} ${list?.announcement ?? ""} ${text}` : text
    return says("not", bounded(whole), languageOf(passage)) !== isDenied
  }

  /** Whether a sentence holds what is wanted: a value of its shape, or a word that decides. */
  private wanted({ passage, text }: Sentence): number {
    const { isDecision, wanted } = this.question
    const language = languageOf(passage)
    if (isDecision) return says("not", bounded(text), language) ? 1 : 0.5
    const holds = holdsWanted(wanted, this.withoutQuestion(text))
    return wanted === "amount" && holds < 0 && hasNumberWord(bounded(text), language) ? 1 : holds
  }

  private defines({ keys, text }: Sentence): boolean {
    const begins = this.terms.in(keys.slice(0, this.terms.all.length + ARTICLES_MAX))
    return begins.size === this.terms.all.length && /^[^.,:–—]{1,80}(?:\s[–—-]|:)\s/u.test(text)
  }

  /** A text without the numbers and names of the question. */
  private withoutQuestion(text: string): string {
    return text.replaceAll(/[\p{Lu}\p{N}][\p{L}\p{M}\p{N}]*/gu, (word) =>
      this.terms.in(keysOf(bounded(word))).size > 0 ? word.toLowerCase().replaceAll(/\p{N}/gu, "_") : word,
    )
  }

  /** Whether a sentence is in another language than the question, as far as either can be told. */
  private isInOtherLanguage({ passage }: Sentence): boolean {
    return !this.question.isBare && languageOf(passage) !== this.question.language
  }

  private in(key: object, keys: ReadonlyArray<string>): Found {
    const found = this.cache.get(key) ?? this.terms.in(keys)
    this.cache.set(key, found)
    return found
  }
}

const gainOf = ({ isBare, isDecision, wanted }: Question, { form }: ItemList, share: number): number => {
  if (wanted === "way") return form === "steps" ? STEPS_GAIN : share >= FITTING_SHARE_MIN ? LIST_GAIN : 0
  if (wanted === "several") return LIST_GAIN
  if (form === "topics" || isDecision || isFact(wanted)) return FACT_LOSS
  // Words without a question ask for all that stands under them.
  return isBare ? LIST_GAIN : 0
}

/** Whether one value is wanted. */
export const isFact = (wanted: Question["wanted"]): boolean =>
  wanted === "amount" || wanted === "time" || wanted === "name"

const weighted = <Name extends string>(
  weights: Readonly<Record<Name, number>>,
  values: Readonly<Record<Name, number>>,
): number => {
  let total = 0
  for (const name in weights) total += weights[name] * values[name]
  return total
}

const languages = new WeakMap<PassageJson, SpokenLanguage>()

/** The language of a passage, which is found once. */
export const languageOf = (passage: PassageJson): SpokenLanguage => {
  const language = languages.get(passage) ?? languageOfReply(bounded(passage.content))
  languages.set(passage, language)
  return language
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, each) => total + each, 0)
