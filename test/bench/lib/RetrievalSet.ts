import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"

const Passage = Schema.Struct({ id: Schema.String, title: Schema.String, text: Schema.String })
const Question = Schema.Struct({
  id: Schema.String,
  text: Schema.String,
  /** The strings of the relevant passage that answer the question, where the set names them. */
  answers: Schema.optionalKey(Schema.Array(Schema.String)),
})

/** A test collection of passages, questions and relevance judgements. */
export interface RetrievalSet {
  readonly name: string
  /** What the passages are about. Questions about one subject are answered by no set about another. */
  readonly subject: string
  readonly passages: ReadonlyArray<typeof Passage.Type>
  readonly questions: ReadonlyArray<typeof Question.Type>
  /** The grades of relevant passages, above 0, by question id and passage id. */
  readonly judgements: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/** Sets that share their subject with another one. */
const SUBJECTS: ReadonlyMap<string, string> = new Map([
  ["anthropic-docs", "anthropic"],
  ["anthropic-codebase", "anthropic"],
  ["squad-dev", "wikipedia"],
  ["xquad", "wikipedia"],
])

/**
 * The public sets, and the nDCG@10 that BM25 reaches on them as Lucene and Anserini run it by default (k1 0.9, b 0.4),
 * with Lucene's analyser for English and the stemmers of Snowball for the others.
 */
export const PUBLIC_SETS: ReadonlyMap<string, number> = new Map([
  ["anthropic-docs", 0.6242],
  ["anthropic-codebase", 0.6035],
  ["cranfield", 0.3652],
  ["squad-dev", 0.8551],
  ["xquad/en", 0.9646],
  ["xquad/de", 0.9445],
  ["xquad/ru", 0.9558],
  ["xquad/ar", 0.9346],
  ["xquad/tr", 0.9411],
  ["xquad/zh", 0.9662],
])

/**
 * Reads a set in the format of BEIR: `corpus.jsonl`, `queries.jsonl` and `qrels.tsv` in a directory of the set's name.
 */
export const readSet = (directory: string, name: string): RetrievalSet => {
  const read = (file: string): string => readFileSync(join(directory, name, file), "utf8")
  const [subject = name] = name.split("/")
  return {
    name,
    subject: SUBJECTS.get(subject) ?? subject,
    passages: jsonLines(read("corpus.jsonl"), Schema.decodeUnknownSync(Passage)),
    questions: jsonLines(read("queries.jsonl"), Schema.decodeUnknownSync(Question)),
    judgements: judgementsOf(read("qrels.tsv")),
  }
}

const jsonLines = <A>(text: string, decode: (line: unknown) => A): ReadonlyArray<A> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => decode(JSON.parse(line)))

const judgementsOf = (text: string): RetrievalSet["judgements"] => {
  const judgements = new Map<string, Map<string, number>>()
  for (const line of text.split("\n")) {
    const [question, passage, grade] = line.split("\t")
    if (question === undefined || passage === undefined || !(Number(grade) > 0)) continue
    judgements.set(question, (judgements.get(question) ?? new Map()).set(passage, Number(grade)))
  }
  return judgements
}
