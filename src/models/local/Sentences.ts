import type { PassageJson } from "../../domain/Passage.ts"
import { excerptOf, linesAndRowsOf, type Table } from "../../text/Lines.ts"
import { wordsOf } from "../../text/UnicodeWords.ts"

/*
 * Picks the sentences of some passages that answer a question best. No language is built in: sentences and words are
 * cut by Unicode's rules, words that share most of their beginning count as one, and a word weighs more the fewer of
 * the sentences hold it.
 */

export interface Quote {
  readonly text: string
  readonly passage: PassageJson
}

export interface Selection {
  readonly title: string
  /** Whether they are rows of a table, each of which stands for itself. */
  readonly isTable: boolean
  /** In reading order. */
  readonly sentences: ReadonlyArray<Quote>
}

/** Most sentences of an answer. */
const SENTENCES_MAX = 4
/** A sentence is taken when it scores at least this share of the best one. */
const SCORE_SHARE_MIN = 0.5
/** What a heading or question that holds the whole question is worth to the sentence below it; less to the next ones. */
const LEAD_WEIGHT = 0.6
const LEAD_DECAY = 0.65
/** Most rows of an answer that a table gives. */
const ROWS_MAX = 10
/** A sentence of more words scores less. */
const PLAIN_WORDS = 30

/** Words that stand above a sentence: those of the title, and of the heading or question over it. */
type Lead = ReadonlyArray<string>

interface Sentence extends Quote {
  /** Rank of its document, from 0; then its place in reading order. */
  readonly document: number
  readonly place: number
  readonly words: ReadonlyArray<string>
  /** Sentences under one heading share it. */
  readonly lead: Lead
  /** How many sentences stand between it and its lead. */
  readonly distance: number
  /** Of a row, the table that it is in. */
  readonly table: Table | undefined
}

/** The best sentences, by document, best document first; none when nothing fits. */
export const selectSentences = (question: string, passages: ReadonlyArray<PassageJson>): ReadonlyArray<Selection> => {
  const terms = new Terms(wordsOf(question))
  const sentences = sentencesOf(passages)
  const matched = sentences.map((sentence) => ({ sentence, own: terms.in(sentence.words) }))
  const weights = new Weights(terms, matched)
  const scored = matched
    .map(({ own, sentence }) => ({ sentence, own, score: weights.scoreOf(sentence, own) }))
    // Of equals, sentences come before rows.
    .toSorted(
      (a, b) => b.score - a.score || Number(a.sentence.table !== undefined) - Number(b.sentence.table !== undefined),
    )
  const best = scored[0]?.score ?? 0
  if (best === 0) return []
  // An answer is made of sentences, or of the rows of one table.
  const table = scored[0]?.sentence.table
  const max = table === undefined ? SENTENCES_MAX : ROWS_MAX
  // All rows have the header; where one of them holds words of the question itself, so have the others to.
  const ownMin = table === undefined ? 0 : Math.min(1, scored[0]?.own.size ?? 0)
  const chosen: Array<Sentence> = []
  for (const { own, score, sentence } of scored) {
    if (chosen.length === max || score < SCORE_SHARE_MIN * best) break
    if (sentence.table !== table || own.size < ownMin) continue
    if (!chosen.some(({ text }) => text.includes(sentence.text) || sentence.text.includes(text))) chosen.push(sentence)
  }
  return byDocument(chosen)
}

/** Two words that are alike, though not equal, share so much of their beginning. */
const SHARED_MIN = 4

/** The words of a question, and which of them a text holds. */
class Terms {
  readonly words: ReadonlyArray<string>
  /** By how they begin: words that begin in another way are not alike. */
  private readonly starting: ReadonlyMap<string, ReadonlyArray<string>>
  private readonly known = new Map<string, ReadonlyArray<string>>()

  constructor(words: ReadonlyArray<string>) {
    this.words = [...new Set(words)]
    this.starting = Map.groupBy(this.words, startOf)
  }

  in(words: ReadonlyArray<string>): ReadonlySet<string> {
    return new Set(words.flatMap((word) => this.like(word)))
  }

  private like(word: string): ReadonlyArray<string> {
    const known = this.known.get(word)
    if (known !== undefined) return known
    const like = (this.starting.get(startOf(word)) ?? []).filter((term) => alike(word, term))
    this.known.set(word, like)
    return like
  }
}

const startOf = (word: string): string => word.slice(0, SHARED_MIN)

/** What the words of a question are worth among some sentences. */
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

  /** @param own terms that the sentence holds itself */
  scoreOf({ distance, lead, words }: Sentence, own: ReadonlySet<string>): number {
    if (this.all === 0) return 0
    const above = this.leadOf(lead)
    const held = this.sum(own)
    const added = above.weight - this.sum(own, above.terms)
    // A lead speaks for its sentences by how much of the question it is; a few shared words say little.
    const led = LEAD_WEIGHT * LEAD_DECAY ** distance * added * ((held + added) / this.all)
    // A long sentence holds many words by chance.
    return (held + led) * Math.min(1, Math.sqrt(PLAIN_WORDS / words.length))
  }

  private leadOf(lead: Lead) {
    const known = this.leads.get(lead)
    if (known !== undefined) return known
    const terms = this.terms.in(lead)
    const made = { terms, weight: this.sum(terms) }
    this.leads.set(lead, made)
    return made
  }

  /** Of these terms, or of those among them that are in `others` as well. */
  private sum(terms: Iterable<string>, others?: ReadonlySet<string>): number {
    let sum = 0
    for (const term of terms) if (others === undefined || others.has(term)) sum += this.weights.get(term) ?? 0
    return sum
  }
}

/** What the best passage begins with: sentences or rows of a table, or else as much of its text as of a sentence. */
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

/** Sentences of a passage that answers nothing. */
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

/** Equal, or forms of one word: the shared beginning is most of the longer one. */
const alike = (a: string, b: string): boolean => {
  if (a === b) return true
  const longer = Math.max(a.length, b.length)
  let shared = 0
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared++
  return shared >= SHARED_MIN && shared >= 0.6 * longer
}

const sentencesOf = (passages: ReadonlyArray<PassageJson>): ReadonlyArray<Sentence> => {
  const documents = [...new Set(passages.map((passage) => passage.document_id))]
  const ordered = passages.toSorted(
    (a, b) => documents.indexOf(a.document_id) - documents.indexOf(b.document_id) || a.chunk - b.chunk,
  )
  const sentences: Array<Sentence> = []
  const seen = new Set<string>()
  const leads = new Map<Table, Lead>()
  const leadOf = (table: Table, above: Lead): Lead => {
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
      // Neighbouring chunks overlap.
      if (seen.has(text)) continue
      seen.add(text)
      sentences.push({
        text,
        passage,
        document: documents.indexOf(passage.document_id),
        place: sentences.length,
        words: wordsOf(own),
        lead: table === undefined ? lead : leadOf(table, lead),
        // The header speaks for every row alike.
        distance: table === undefined ? distance++ : 0,
        table,
      })
    }
  }
  return sentences
}
