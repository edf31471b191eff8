import type { PassageJson } from "../../domain/Passage.ts"
import { excerptOf, linesAndRowsOf } from "../../text/Lines.ts"
import type { Table } from "../../text/Tables.ts"
import { wordsOf } from "../../text/UnicodeWords.ts"
import type { Quote } from "./Conversation.ts"
import { Terms } from "./Terms.ts"

/*
 * Selects the sentences of passages that answer a question best, in any language: sentences and words are segmented by
 * Unicode's rules, words that share most of their beginning count as equal, and a word weighs more the fewer of the
 * sentences hold it.
 */

/** The selected sentences of one document. */
export interface Selection {
  /** The title of the document. */
  readonly title: string
  /** Whether the sentences are rows of a table. */
  readonly isTable: boolean
  /** The sentences in reading order. */
  readonly sentences: ReadonlyArray<Quote>
}

/** The most sentences of an answer. */
const SENTENCES_MAX = 4
/** The least score of a selected sentence, as a share of the best score. */
const SCORE_SHARE_MIN = 0.5
/** The weight of a word in the lead of a sentence, compared with a word in the sentence itself. */
const LEAD_WEIGHT = 0.6
/** The factor by which the lead's weight decreases with each further sentence below it. */
const LEAD_DECAY = 0.65
/** The most rows of an answer from a table. */
const ROWS_MAX = 10
/** The number of words beyond which a sentence scores less. */
const PLAIN_WORDS = 30

/** The words above a sentence: those of the title, and of the heading or question over it. */
type Lead = ReadonlyArray<string>

interface Sentence extends Quote {
  /** The rank of the sentence's document, from 0. */
  readonly document: number
  /** The position of the sentence in reading order. */
  readonly place: number
  readonly words: ReadonlyArray<string>
  /** The lead of the sentence, an object that all sentences under one heading share. */
  readonly lead: Lead
  /** The number of sentences between the lead and this one. */
  readonly distance: number
  /** The table of a row; undefined for a sentence. */
  readonly table: Pick<Table, "header"> | undefined
}

/** Selects the best sentences, grouped by document, the best document first. Empty when no sentence fits. */
export const selectSentences = (question: string, passages: ReadonlyArray<PassageJson>): ReadonlyArray<Selection> => {
  const terms = new Terms(wordsOf(question))
  const sentences = sentencesOf(passages)
  const matched = sentences.map((sentence) => ({ sentence, own: terms.in(sentence.words) }))
  const weights = new Weights(terms, matched)
  const scored = matched
    .map(({ own, sentence }) => ({ sentence, own, score: weights.scoreOf(sentence, own) }))
    // Sentences come before rows of the same score.
    .toSorted(
      (a, b) => b.score - a.score || Number(a.sentence.table !== undefined) - Number(b.sentence.table !== undefined),
    )
  const best = scored[0]?.score ?? 0
  if (best === 0) return []
  // An answer consists of sentences, or of the rows of one table.
  const table = scored[0]?.sentence.table
  const max = table === undefined ? SENTENCES_MAX : ROWS_MAX
  // All rows score by their header. When the best row itself holds words of the question, the others have to as well.
  const ownMin = table === undefined ? 0 : Math.min(1, scored[0]?.own.size ?? 0)
  const chosen: Array<Sentence> = []
  for (const { own, score, sentence } of scored) {
    if (chosen.length === max || score < SCORE_SHARE_MIN * best) break
    if (sentence.table !== table || own.size < ownMin) continue
    if (!chosen.some(({ text }) => text.includes(sentence.text) || sentence.text.includes(text))) chosen.push(sentence)
  }
  return byDocument(chosen)
}

/** The weights of a question's words among the sentences of some passages. */
class Weights {
  private readonly terms: Terms
  private readonly weights: ReadonlyMap<string, number>
  private readonly all: number
  private readonly leads = new Map<Lead, { readonly terms: ReadonlySet<string>; readonly weight: number }>()

  constructor(terms: Terms, matched: ReadonlyArray<{ readonly own: ReadonlySet<string> }>) {
    this.terms = terms
    const holders = new Map<string, number>()
    for (const { own } of matched) for (const term of own) holders.set(term, (holders.get(term) ?? 0) + 1)
    this.weights = new Map(terms.words.map((term) => [term, weightOf(term, matched.length, holders.get(term) ?? 0)]))
    this.all = this.sum(terms.words)
  }

  /** The score of a sentence. `own` are the question's words in the sentence itself, without its lead. */
  scoreOf({ distance, lead, words }: Sentence, own: ReadonlySet<string>): number {
    if (this.all === 0) return 0
    const above = this.leadOf(lead)
    const ownWeight = this.sum(own)
    const added = above.weight - this.sum(own, above.terms)
    // The share of the question that lead and sentence hold together, because a few words in common mean little.
    const share = (ownWeight + added) / this.all
    const leadWeight = LEAD_WEIGHT * LEAD_DECAY ** distance * added * share
    // A long sentence holds many words by chance.
    return (ownWeight + leadWeight) * Math.min(1, Math.sqrt(PLAIN_WORDS / words.length))
  }

  private leadOf(lead: Lead) {
    const cached = this.leads.get(lead)
    if (cached !== undefined) return cached
    const terms = this.terms.in(lead)
    const weighed = { terms, weight: this.sum(terms) }
    this.leads.set(lead, weighed)
    return weighed
  }

  /** The sum of the weights of `terms`, or of those that are in `others` as well. */
  private sum(terms: Iterable<string>, others?: ReadonlySet<string>): number {
    let sum = 0
    for (const term of terms) if (others === undefined || others.has(term)) sum += this.weights.get(term) ?? 0
    return sum
  }
}

/** The beginning of the best passage: its first sentences or rows, or else an excerpt of its text. */
export const leadingSentences = (passages: ReadonlyArray<PassageJson>): ReadonlyArray<Selection> => {
  const [passage] = passages
  if (passage === undefined) return []
  const sentences = sentencesOf([passage])
  const [table] = sentences.flatMap((sentence) => sentence.table ?? [])
  const plain = sentences.filter((sentence) => sentence.table === undefined).slice(0, LEADING_MAX)
  const leading = plain.length > 0 ? plain : sentences.filter((sentence) => sentence.table === table).slice(0, ROWS_MAX)
  if (leading.length > 0) return byDocument(leading)
  return [
    {
      title: passage.title,
      isTable: false,
      sentences: [{ passage, text: excerptOf(passage.content) || passage.title }],
    },
  ]
}

/** The number of sentences that are quoted of a passage when no sentence fits the question. */
const LEADING_MAX = 2

const byDocument = (chosen: ReadonlyArray<Sentence>): ReadonlyArray<Selection> => {
  const ranks = [...new Set(chosen.map((sentence) => sentence.document))]
  return ranks.map((rank) => {
    const own = chosen.filter((sentence) => sentence.document === rank).toSorted((a, b) => a.place - b.place)
    return {
      title: own[0]?.passage.title ?? "",
      isTable: own[0]?.table !== undefined,
      sentences: own.map(({ passage, text }) => ({ passage, text })),
    }
  })
}

const weightOf = (term: string, sentences: number, holders: number): number => {
  // Short words of a script with spaces are mostly grammar.
  const length = /^\p{Script=Latin}+$/u.test(term) ? Math.min(1, (term.length / 4) ** 2) : 1
  return length * Math.log(1 + (sentences - holders + 0.5) / (holders + 0.5))
}

const sentencesOf = (passages: ReadonlyArray<PassageJson>): ReadonlyArray<Sentence> => {
  const documents = [...new Set(passages.map((passage) => passage.document_id))]
  const ordered = passages.toSorted(
    (a, b) => documents.indexOf(a.document_id) - documents.indexOf(b.document_id) || a.chunk - b.chunk,
  )
  const sentences: Array<Sentence> = []
  const seen = new Set<string>()
  const leads = new Map<Pick<Table, "header">, Lead>()
  const leadOf = (table: Pick<Table, "header">, above: Lead): Lead => {
    const lead = leads.get(table) ?? [...above, ...table.header.flatMap(wordsOf)]
    leads.set(table, lead)
    return lead
  }
  for (const passage of ordered) {
    const title = wordsOf(passage.title)
    let lead = title
    let distance = 0
    for (const { isLead, own, table, text } of linesAndRowsOf(passage.content)) {
      if (isLead || text === passage.title) {
        lead = [...title, ...wordsOf(text)]
        distance = 0
        continue
      }
      // Neighbouring chunks overlap, and repeat sentences.
      if (seen.has(text)) continue
      seen.add(text)
      sentences.push({
        text,
        passage,
        document: documents.indexOf(passage.document_id),
        place: sentences.length,
        words: wordsOf(own),
        lead: table === undefined ? lead : leadOf(table, lead),
        // The header is the lead of every row.
        distance: table === undefined ? distance++ : 0,
        table,
      })
    }
  }
  return sentences
}
