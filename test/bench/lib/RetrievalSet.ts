import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"

const Passage = Schema.Struct({ id: Schema.String, title: Schema.String, text: Schema.String })
const Question = Schema.Struct({ id: Schema.String, text: Schema.String })

/** A public test collection: passages, questions, and which passages answer which question. */
export interface RetrievalSet {
  readonly name: string
  readonly passages: ReadonlyArray<typeof Passage.Type>
  readonly questions: ReadonlyArray<typeof Question.Type>
  /** Question id → passage id → grade (above 0: relevant). */
  readonly judgements: ReadonlyMap<string, ReadonlyMap<string, number>>
}

/** Reads `corpus.jsonl`, `queries.jsonl` and `qrels.tsv` (BEIR's layout) from a directory of the set's name. */
export const readSet = (directory: string, name: string): RetrievalSet => {
  const read = (file: string): string => readFileSync(join(directory, name, file), "utf8")
  return {
    name,
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
