import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import type { RetrievalSet } from "../RetrievalSet.ts"

/*
 * Makes sets of whole texts: of their spans that answer questions, of their paragraphs, and of their sections, which
 * are asked for by their headings.
 */

const CHROMA = "chroma-chunking"
const CHROMA_TEXTS = ["chatlogs", "finance", "pubmed", "state_of_the_union", "wikitexts"]
const chromaText = (directory: string, name: string): string =>
  readFileSync(join(directory, CHROMA, "files", `${name}.md`), "utf8")

const Question = Schema.Struct({
  id: Schema.String,
  text: Schema.String,
  corpus: Schema.String,
  references: Schema.Array(Schema.Struct({ start_index: Schema.Int, end_index: Schema.Int })),
})
const decodeQuestion = Schema.decodeUnknownSync(Schema.fromJsonString(Question))

/** The length in characters from which on a passage ends with the next line or sentence. */
const PASSAGE_CHARACTERS = 1_400
const END = /\n|[.!?]\s/g

/** The texts in passages of similar length, and the questions that spans of them answer. */
export const spans = (directory: string): RetrievalSet => {
  const passages = CHROMA_TEXTS.flatMap((name) => {
    const text = chromaText(directory, name)
    const found: Array<{ readonly id: string; readonly from: number; readonly to: number; readonly text: string }> = []
    for (let from = 0; from < text.length;) {
      END.lastIndex = from + PASSAGE_CHARACTERS
      const end = END.exec(text)
      const to = end === null ? text.length : end.index + end[0].length
      found.push({ id: `${name} ${from}`, from, to, text: text.slice(from, to) })
      from = to
    }
    return found.map((passage) => ({ ...passage, corpus: name }))
  })
  const questions = readFileSync(join(directory, CHROMA, "questions.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => decodeQuestion(line))
  const judgements = questions.map(({ id, corpus, references }) => {
    const relevant = passages.filter(
      (passage) =>
        passage.corpus === corpus &&
        references.some(({ start_index, end_index }) => {
          const shared = Math.min(end_index, passage.to) - Math.max(start_index, passage.from)
          return shared > (end_index - start_index) / 2
        }),
    )
    return [id, new Map(relevant.map((passage) => [passage.id, 1]))] as const
  })
  const answered = new Map(judgements.filter(([, relevant]) => relevant.size > 0))
  return {
    name: "chroma",
    subject: CHROMA,
    language: "english",
    passages: passages.map(({ id, text }) => ({ id, title: "", text })),
    questions: questions.filter(({ id }) => answered.has(id)).map(({ id, text }) => ({ id, text })),
    judgements: answered,
  }
}

/** The least characters of a paragraph or section that is worth asking for. */
const LEAST_CHARACTERS = 300

/** The paragraphs of scientific articles about medicine, without questions. */
export const medicine = (directory: string): RetrievalSet => ({
  name: "pubmed",
  subject: CHROMA,
  language: "english",
  passages: chromaText(directory, "pubmed")
    .split("\n")
    .flatMap((text, line) => (text.length < LEAST_CHARACTERS ? [] : [{ id: `line ${line}`, title: "", text }])),
  questions: [],
  judgements: new Map(),
})

/** Asks for the sections of texts by their headings, each with the one above it. */
const headings = (name: string, subject: string, texts: ReadonlyArray<string>): RetrievalSet => {
  const sections = texts.flatMap((text, number) => sectionsOf(text).map((section) => ({ ...section, number })))
  const passages = sections.map(({ body }, index) => ({ id: `section ${index}`, title: "", text: body }))
  const questions = sections.flatMap(({ path, body }, index) =>
    path.length < 2 || body.length < LEAST_CHARACTERS
      ? []
      : [{ id: `section ${index}`, text: path.slice(-2).join(" ") }],
  )
  return {
    name,
    subject,
    language: "english",
    passages,
    questions,
    judgements: new Map(questions.map(({ id }) => [id, new Map([[id, 1]])])),
  }
}

/** A heading of Markdown, or of the texts from Wikipedia: `## Gameplay`, ` = = Gameplay = = `. */
const HEADING = /^(#{1,6}) +(.+)$|^ ((?:= )+)(.+?) (?:= ?)+$/

const sectionsOf = (text: string): ReadonlyArray<{ readonly path: ReadonlyArray<string>; readonly body: string }> => {
  const sections: Array<{ path: ReadonlyArray<string>; lines: Array<string> }> = [{ path: [], lines: [] }]
  for (const line of text.split("\n")) {
    const [, hashes, markdown, equals, wiki] = HEADING.exec(line) ?? []
    const heading = markdown ?? wiki
    if (heading === undefined) {
      sections.at(-1)?.lines.push(line)
      continue
    }
    const depth = hashes?.length ?? (equals ?? "").length / 2
    sections.push({ path: [...(sections.at(-1)?.path ?? []).slice(0, depth - 1), heading], lines: [] })
  }
  return sections.map(({ path, lines }) => ({ path, body: lines.join("\n").trim() })).filter(({ body }) => body !== "")
}

/** The sections of articles from Wikipedia. */
export const articleHeadings = (directory: string): RetrievalSet =>
  headings("wikitexts headings", CHROMA, [chromaText(directory, "wikitexts")])

/** The sections of documents in many formats, and those of this project's own manual. */
export const documentHeadings = (directory: string): RetrievalSet => {
  const expected = join(directory, "parse-fixtures", "expected")
  const manual = join(import.meta.dirname, "../../../../docs")
  const files = [expected, manual].flatMap((folder) =>
    readdirSync(folder)
      .filter((file) => file.endsWith(".md"))
      .toSorted()
      .map((file) => join(folder, file)),
  )
  return headings(
    "documents headings",
    "documents",
    files.map((file) => readFileSync(file, "utf8")),
  )
}
