import { languageOfReply } from "../../languages/Detection.ts"
import type { PassageJson } from "../../domain/knowledge/Passage.ts"
import { bounded } from "../../text/BoundedText.ts"
import type { SpokenLanguage } from "../../languages/Locales.ts"
import { hasNumberWord, type Question, says } from "./Question.ts"
import { isQuestion, type ItemList, type Lead, type Reading, type Sentence } from "./Reading.ts"
import { type Found, keysOf, sum, type Terms } from "./Terms.ts"
import { holdsWanted } from "./Values.ts"

/*
 * Judges how well each sentence and each list of some passages answers a question, and whether it does at all. The
 * weights were fitted on questions with known answers; `bench answers` measures what they reach.
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
  item: -1.6,
  /** The rank of its passage. */
  rank: -4,
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
/** The least share of a question's information in a heading that asks it. */
const ASKED_SHARE_MIN = 0.7
/** The most items of a list that is quoted. */
const ITEMS_MAX = 15
/** Gain of a list over a sentence where the question asks for several things, for a way, or only names what it is about. */
const LIST_GAIN = 3

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
  private readonly anywhere: ReadonlySet<number>
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
    this.anywhere = new Set(this.ranked.flatMap(({ covered }) => [...covered.keys()]))
    const passages = new Set(sentences.map(({ passage }) => passage))
    this.secondSimilarity = Array.from(passages, ({ similarity = 1 }) => similarity).toSorted((a, b) => b - a)[1] ?? 0
  }

  /** Judges a sentence. `previous` are the words of the question in the sentence before it. */
  judge(sentence: Sentence, previous: Found | undefined): Judged {
    const { keys, lead, list, rank } = sentence
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
      item: list === undefined ? 0 : 1,
      rank: Math.min(1, rank / RANKS),
      list: 0,
    }
    gained(this.in(lead.above, lead.above))
    const score = weighted(WEIGHTS, features) - (this.disagrees(sentence) ? DISAGREEMENT : 0)
    return { sentence, list: undefined, covered, features, score }
  }

  /** Judges a list as if its announcement were a sentence. A long list is not quoted, nor any where one value is wanted. */
  private judgedList(list: ItemList): ReadonlyArray<Judged> {
    const { announcement: text, announcementKeys: keys, items } = list
    const [first] = items
    const { isBare, wanted } = this.question
    const isFact = wanted === "amount" || wanted === "time" || wanted === "name"
    if (first === undefined || items.length > ITEMS_MAX || isFact) return []
    const judged = this.judge({ ...first, text, keys, list: undefined }, undefined)
    const features = { ...judged.features, wanted: 0, list: wanted !== undefined || isBare ? LIST_GAIN : 0 }
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

  /** Whether a sentence or a list probably answers the question. */
  isLikely(judged: Judged): boolean {
    const { covered, features, sentence } = judged
    // An item is no answer for a name that it lacks: items beside it are about others.
    const isOther =
      sentence.list !== undefined &&
      features.own === 0 &&
      this.terms.all.some(({ isName }, term) => isName && !covered.has(term))
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
