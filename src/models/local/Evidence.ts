import { bounded } from "../../text/BoundedText.ts"
import type { Question } from "./Question.ts"
import { isQuestion, type Lead, type Reading, type Sentence } from "./Reading.ts"
import { keysOf, type Term, Terms } from "./Terms.ts"
import { asksForm, definedIn, holdsKind } from "./AnswerForms.ts"

/*
 * Judges how well each sentence of some passages answers a question. The parameters are fitted on questions with known
 * answers; see `bench answers`.
 */

/** What speaks for a sentence, each about 0–1. */
export interface Features {
  /** The share of the question's information that the sentence itself holds. */
  readonly own: number
  /** The same where words count that are rare among the sentences. */
  readonly rare: number
  /** What the nearest heading adds to it. */
  readonly heading: number
  /** What the sentence before adds to it. */
  readonly before: number
  /** Whether the sentence holds what such a question asks for: 1, or -1 where it lacks it. */
  readonly kind: number
  /** Whether it defines what is asked for. */
  readonly defines: number
  /** How much shorter it is than a plain sentence, on a scale of logarithms. */
  readonly short: number
  readonly fragment: number
  readonly item: number
  /** The rank of its passage. */
  readonly rank: number
  /** Whether it is the first sentence below a heading that holds words of the question. */
  readonly first: number
  /** Whether its heading asks the same question. */
  readonly asked: number
}

/** The rank from which on a passage counts least. */
const RANKS = 5
const SHORT_WORDS = 8

/** A sentence with what speaks for it. */
export interface Judged {
  readonly sentence: Sentence
  readonly features: Features
  /** The words of the question in the sentence and what stands above it, by their index, with their certainty. */
  readonly covered: ReadonlyMap<number, number>
}

export class Evidence {
  readonly terms: Terms
  readonly judged: ReadonlyArray<Judged>
  /** The information of the question. */
  readonly all: number
  /** The words of the question that any sentence or heading has, by their index, with their certainty. */
  readonly anywhere: ReadonlyMap<number, number>
  /** The second highest similarity of a passage; 0 where there is but one. */
  readonly secondSimilarity: number
  private readonly rarity: ReadonlyArray<number>
  private readonly allRare: number
  readonly question: Question
  private readonly above = new Map<object, ReadonlyMap<number, number>>()

  constructor(question: Question, reading: Reading) {
    this.question = question
    this.terms = new Terms(question.words, question.names, wordsOf(reading))
    const own = reading.sentences.map(({ keys }) => this.terms.in(keys))
    const holders = this.terms.all.map((_, term) => own.filter((found) => found.has(term)).length)
    this.rarity = this.terms.all.map(
      ({ weight }, term) =>
        weight * Math.log(1 + (own.length - (holders[term] ?? 0) + 0.5) / ((holders[term] ?? 0) + 0.5)),
    )
    this.all = sum(this.terms.all.map(({ weight }) => weight))
    this.allRare = sum(this.rarity)
    this.judged = reading.sentences.map((sentence, index) =>
      this.judge(sentence, sentence.before === undefined ? undefined : own[index - 1], own[index]),
    )
    const anywhere = new Map<number, number>()
    for (const { covered } of this.judged) {
      for (const [term, strength] of covered) anywhere.set(term, Math.max(strength, anywhere.get(term) ?? 0))
    }
    this.anywhere = anywhere
    const passages = new Set(reading.sentences.map(({ passage }) => passage))
    const similarities = Array.from(passages, ({ similarity = 1 }) => similarity).toSorted((a, b) => b - a)
    this.secondSimilarity = similarities[1] ?? 0
  }

  /** Judges a sentence. `previous` are the words of the question in the sentence before it. */
  judge(
    sentence: Sentence,
    previous: ReadonlyMap<number, number> | undefined,
    own: ReadonlyMap<number, number> = this.terms.in(sentence.keys),
  ): Judged {
    const { form, keys, lead, list } = sentence
    const heading = this.cached(lead, () => this.terms.in(lead.keys))
    const above = this.cached(lead.above, () => this.terms.in(lead.above))
    const announced = list === undefined ? undefined : this.cached(list, () => this.terms.in(list.announcementKeys))
    const covered = new Map(own)
    const added = (more: ReadonlyMap<number, number> | undefined) => {
      let gain = 0
      for (const [term, strength] of more ?? []) {
        const known = covered.get(term) ?? 0
        if (strength <= known) continue
        gain += (this.terms.all[term]?.weight ?? 0) * (strength - known)
        covered.set(term, strength)
      }
      return this.all === 0 ? 0 : gain / this.all
    }
    const ownShare = this.shareOf(own)
    const headingGain = added(heading) + added(announced)
    const beforeGain = added(previous)
    added(above)
    const words = keys.length
    return {
      sentence,
      covered,
      features: {
        own: ownShare,
        rare:
          this.allRare === 0
            ? 0
            : sum(Array.from(own, ([term, strength]) => (this.rarity[term] ?? 0) * strength)) / this.allRare,
        heading: headingGain,
        before: beforeGain,
        kind: asksForm(this.question.kind) ? holdsKind(this.question.kind, this.withoutQuestion(sentence.text)) : 0,
        defines: this.question.kind === "definition" && this.defines(sentence) ? 1 : 0,
        short: Math.max(0, Math.log2(SHORT_WORDS / Math.max(1, words))),
        fragment: form === "fragment" ? 1 : 0,
        item: form === "item" || form === "record" ? 1 : 0,
        rank: Math.min(1, sentence.rank / RANKS),
        first: this.shareOf(heading) * (1 / (1 + sentence.distance)),
        asked: this.asks(lead, heading) ? 1 : 0,
      },
    }
  }

  /** The share of the question's information in some of its words. */
  shareOf(found: ReadonlyMap<number, number>): number {
    if (this.all === 0) return 0
    let held = 0
    for (const [term, strength] of found) held += (this.terms.all[term]?.weight ?? 0) * strength
    return held / this.all
  }

  /** The words of the question that `found` lacks. */
  missing(found: ReadonlyMap<number, number>): ReadonlyArray<Term> {
    return this.terms.all.filter((_, term) => !found.has(term))
  }

  /** Whether a heading asks what the question does. `found` are the words of the question in it. */
  asks({ heading, keys }: Lead, found: ReadonlyMap<number, number> = this.terms.in(keys)): boolean {
    return isQuestion(heading) && this.shareOf(found) >= ASKED_SHARE_MIN
  }

  /** Whether the sentence begins with all that is asked for, and little else, and then says what it is. */
  private defines({ text }: Sentence): boolean {
    const defined = definedIn(text)
    if (defined === undefined) return false
    const keys = keysOf(bounded(defined))
    return keys.length <= this.terms.all.length + ARTICLES_MAX && this.missing(this.terms.in(keys)).length === 0
  }

  /** A text without the numbers and names of the question. */
  private withoutQuestion(text: string): string {
    return text.replaceAll(/[\p{Lu}\p{N}][\p{L}\p{M}\p{N}]*/gu, (word) =>
      this.terms.in(keysOf(bounded(word))).size > 0 ? word.toLowerCase().replaceAll(/\p{N}/gu, "_") : word,
    )
  }

  private cached(key: object, make: () => ReadonlyMap<number, number>): ReadonlyMap<number, number> {
    const known = this.above.get(key) ?? make()
    this.above.set(key, known)
    return known
  }
}

const wordsOf = ({ sentences }: Reading): ReadonlySet<string> => {
  const words = new Set<string>()
  for (const { keys } of sentences) for (const key of keys) words.add(key)
  for (const lead of new Set(sentences.map(({ lead }) => lead))) for (const key of lead.keys) words.add(key)
  return words
}

/** The least share of a question's information in a heading that asks it. */
const ASKED_SHARE_MIN = 0.7
/** The most words beside what is defined, such as articles. */
const ARTICLES_MAX = 3

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, each) => total + each, 0)
