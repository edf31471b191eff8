import { normalize } from "../domain/Normalization.ts"
import type { PassageJson } from "./Exchange.ts"

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
  /** In reading order. */
  readonly sentences: ReadonlyArray<Quote>
}

/** Most sentences of an answer. */
const sentencesMax = 4
/** A sentence is taken when it scores at least this share of the best one. */
const scoreShareMin = 0.5
/** What a heading or question that holds the whole question is worth to the sentence below it; less to the next ones. */
const leadWeight = 0.6
const leadDecay = 0.65
/** A longer sentence is mostly a table or a listing that lost its form. */
const sentenceMaxLength = 600
const sentenceMinLength = 2
/** A sentence of more words scores less. */
const plainWords = 30

const wordSegmenter = new Intl.Segmenter(undefined, { granularity: "word" })
const sentenceSegmenter = new Intl.Segmenter(undefined, { granularity: "sentence" })

interface Sentence extends Quote {
  /** Rank of its document, from 0; then its place in reading order. */
  readonly document: number
  readonly place: number
  readonly words: ReadonlyArray<string>
  /** Words of the title, and of the heading or question above. */
  readonly lead: ReadonlyArray<string>
  /** How many sentences stand between it and its lead. */
  readonly distance: number
}

/** The best sentences, by document, best document first; none when nothing fits. */
export const selectSentences = (question: string, passages: ReadonlyArray<PassageJson>): ReadonlyArray<Selection> => {
  const terms = new Terms(wordsOf(question))
  const matched = sentencesOf(passages).map((sentence) => ({
    sentence,
    own: terms.in(sentence.words),
    lead: terms.in(sentence.lead),
  }))
  const weights = terms.words.map((term) =>
    weightOf(term, matched.length, matched.filter(({ own }) => own.has(term)).length),
  )
  const scored = matched
    .map((match) => ({ sentence: match.sentence, score: scoreOf(match, terms.words, weights) }))
    .toSorted((a, b) => b.score - a.score)
  const best = scored[0]?.score ?? 0
  if (best === 0) return []
  const chosen: Array<Sentence> = []
  for (const { score, sentence } of scored) {
    if (chosen.length === sentencesMax || score < scoreShareMin * best) break
    if (!chosen.some(({ text }) => text.includes(sentence.text) || sentence.text.includes(text))) chosen.push(sentence)
  }
  return byDocument(chosen)
}

/** The words of a question, and which of them a text holds. */
class Terms {
  readonly words: ReadonlyArray<string>
  private readonly known = new Map<string, ReadonlyArray<string>>()

  constructor(words: ReadonlyArray<string>) {
    this.words = [...new Set(words)]
  }

  in(words: ReadonlyArray<string>): ReadonlySet<string> {
    return new Set(words.flatMap((word) => this.like(word)))
  }

  private like(word: string): ReadonlyArray<string> {
    const known = this.known.get(word)
    if (known !== undefined) return known
    const like = this.words.filter((term) => alike(word, term))
    this.known.set(word, like)
    return like
  }
}

/** The first sentences of the best passage. */
export const leadingSentences = (passages: ReadonlyArray<PassageJson>): ReadonlyArray<Selection> =>
  byDocument(sentencesOf(passages.slice(0, 1)).slice(0, 2))

const byDocument = (chosen: ReadonlyArray<Sentence>): ReadonlyArray<Selection> => {
  const ranks = [...new Set(chosen.map((sentence) => sentence.document))]
  return ranks.map((rank) => {
    const own = chosen.filter((sentence) => sentence.document === rank).toSorted((a, b) => a.place - b.place)
    return {
      title: own[0]?.passage.title ?? "",
      sentences: own.map(({ passage, text }) => ({ passage, text })),
    }
  })
}

const weightOf = (term: string, sentences: number, holders: number): number => {
  // Short words of a script with spaces are mostly grammar.
  const length = /^\p{Script=Latin}+$/u.test(term) ? Math.min(1, (term.length / 4) ** 2) : 1
  return length * Math.log(1 + (sentences - holders + 0.5) / (holders + 0.5))
}

const scoreOf = (
  match: { readonly sentence: Sentence; readonly own: ReadonlySet<string>; readonly lead: ReadonlySet<string> },
  terms: ReadonlyArray<string>,
  weights: ReadonlyArray<number>,
): number => {
  let own = 0
  let lead = 0
  let all = 0
  for (const [index, term] of terms.entries()) {
    const weight = weights[index] ?? 0
    all += weight
    if (match.own.has(term)) own += weight
    else if (match.lead.has(term)) lead += weight
  }
  if (all === 0) return 0
  const { distance, words } = match.sentence
  // A lead speaks for its sentences by how much of the question it is; a few shared words say little.
  const led = leadWeight * leadDecay ** distance * lead * ((own + lead) / all)
  // A long sentence holds many words by chance.
  return (own + led) * Math.min(1, Math.sqrt(plainWords / words.length))
}

/** Equal, or forms of one word: the shared beginning is most of the longer one. */
const alike = (a: string, b: string): boolean => {
  if (a === b) return true
  const longer = Math.max(a.length, b.length)
  let shared = 0
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared++
  return shared >= 4 && shared >= 0.6 * longer
}

export const wordsOf = (text: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  for (const { isWordLike, segment } of wordSegmenter.segment(normalize(text, "NFKC").toLowerCase())) {
    if (isWordLike === true) words.push(segment)
  }
  return words
}

const sentencesOf = (passages: ReadonlyArray<PassageJson>): ReadonlyArray<Sentence> => {
  const documents = [...new Set(passages.map((passage) => passage.document_id))]
  const ordered = passages.toSorted(
    (a, b) => documents.indexOf(a.document_id) - documents.indexOf(b.document_id) || a.chunk - b.chunk,
  )
  const sentences: Array<Sentence> = []
  const seen = new Set<string>()
  for (const passage of ordered) {
    const title = wordsOf(passage.title)
    let lead = title
    let distance = 0
    for (const { isLead, text } of linesOf(passage.content)) {
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
        words: wordsOf(text),
        lead,
        distance: distance++,
      })
    }
  }
  return sentences
}

interface Line {
  readonly text: string
  /** A heading, a question or the announcement of a list: it answers nothing, but says what follows. */
  readonly isLead: boolean
}

export const linesOf = (content: string): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  for (const block of blocksOf(content)) {
    const heading = /^#{1,6}\s+/.exec(block)
    if (heading !== null) {
      lines.push({ text: plain(block.slice(heading[0].length)), isLead: true })
      continue
    }
    for (const { segment } of sentenceSegmenter.segment(plain(block))) {
      const text = segment.trim()
      if (text.length < sentenceMinLength || text.length > sentenceMaxLength) continue
      lines.push({ text, isLead: /[?？؟;:：]$/u.test(text) })
    }
  }
  return lines
}

/** Paragraphs, headings and list items, each on one line; fenced code is left out. */
const blocksOf = (content: string): ReadonlyArray<string> =>
  content
    .replaceAll(/^(```|~~~)[^]*?(^\1|$(?![^]))/gm, "\n\n")
    .split(/\n\s*\n|\n(?=\s*(?:#{1,6}\s|[-*+•]\s|\d{1,3}[.)]\s|\|))|(?<=^#{1,6}\s.*)\n/m)
    .map((block) => block.replaceAll(/\s+/g, " ").trim())
    .filter((block) => block !== "" && !block.startsWith("|"))

/** Markdown's marks do not belong into a sentence. */
const plain = (text: string): string =>
  text
    .replace(/^(?:[-*+•]|\d{1,3}[.)]|>)\s+/, "")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/(\*\*|__|`)(.+?)\1/g, "$2")
    .trim()
