import type { PassageJson } from "./Exchange.ts"

/*
 * Picks the sentences of some passages that answer a question best. No language is built in: sentences and words are
 * cut by Unicode's rules, words that share most of their beginning count as one, and a word weighs more the fewer of
 * the sentences hold it.
 */

export interface Selection {
  readonly title: string
  /** In reading order. */
  readonly sentences: ReadonlyArray<string>
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

const wordSegmenter = new Intl.Segmenter(undefined, { granularity: "word" })
const sentenceSegmenter = new Intl.Segmenter(undefined, { granularity: "sentence" })

interface Sentence {
  readonly text: string
  readonly title: string
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
  const sentences = sentencesOf(passages)
  const terms = [...new Set(wordsOf(question))]
  const weights = terms.map((term) => weightOf(term, sentences))
  const scored = sentences
    .map((sentence) => ({ sentence, score: scoreOf(sentence, terms, weights) }))
    .toSorted((a, b) => b.score - a.score)
  const best = scored[0]?.score ?? 0
  if (best === 0) return []
  const chosen = scored
    .slice(0, sentencesMax)
    .filter(({ score }) => score >= scoreShareMin * best)
    .map(({ sentence }) => sentence)
  return byDocument(chosen)
}

/** The first sentences of the best passage. */
export const leadingSentences = (passages: ReadonlyArray<PassageJson>): ReadonlyArray<Selection> =>
  byDocument(sentencesOf(passages.slice(0, 1)).slice(0, 2))

const byDocument = (chosen: ReadonlyArray<Sentence>): ReadonlyArray<Selection> => {
  const ranks = [...new Set(chosen.map((sentence) => sentence.document))]
  return ranks.map((rank) => {
    const own = chosen.filter((sentence) => sentence.document === rank).toSorted((a, b) => a.place - b.place)
    return { title: own[0]?.title ?? "", sentences: own.map((sentence) => sentence.text) }
  })
}

const weightOf = (term: string, sentences: ReadonlyArray<Sentence>): number => {
  const holders = sentences.filter((sentence) => holds(sentence.words, term)).length
  // Short words of a script with spaces are mostly grammar.
  const length = /^\p{Script=Latin}+$/u.test(term) ? Math.min(1, (term.length / 4) ** 2) : 1
  return length * Math.log(1 + (sentences.length - holders + 0.5) / (holders + 0.5))
}

const scoreOf = (sentence: Sentence, terms: ReadonlyArray<string>, weights: ReadonlyArray<number>): number => {
  let own = 0
  let lead = 0
  let all = 0
  for (const [index, term] of terms.entries()) {
    const weight = weights[index] ?? 0
    all += weight
    if (holds(sentence.words, term)) own += weight
    else if (holds(sentence.lead, term)) lead += weight
  }
  // A lead speaks for its sentences by how much of the question it is; a few shared words say little.
  return own + (all === 0 ? 0 : leadWeight * leadDecay ** sentence.distance * lead * ((own + lead) / all))
}

const holds = (words: ReadonlyArray<string>, term: string): boolean => words.some((word) => alike(word, term))

/** Equal, or forms of one word: the shared beginning is most of the longer one. */
const alike = (a: string, b: string): boolean => {
  if (a === b) return true
  const longer = Math.max(a.length, b.length)
  let shared = 0
  while (shared < a.length && shared < b.length && a[shared] === b[shared]) shared++
  return shared >= 4 && shared >= 0.6 * longer
}

const wordsOf = (text: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  for (const { isWordLike, segment } of wordSegmenter.segment(text.normalize("NFKC").toLowerCase())) {
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
      if (isLead) {
        lead = [...title, ...wordsOf(text)]
        distance = 0
        continue
      }
      // Neighbouring chunks overlap.
      if (seen.has(text)) continue
      seen.add(text)
      sentences.push({
        text,
        title: passage.title,
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
