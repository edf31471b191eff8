import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { Schema } from "effect"
import { digest } from "../lib/Sample.ts"

/** What is asked, and how. */
export const kinds = [
  "sentence",
  "number",
  "date",
  "definition",
  "table",
  "list",
  "yes-no",
  "how-to",
  "comparison",
  "follow-up",
  "other-language",
  "typing-error",
  "absent",
  "greeting",
  "thanks",
  "goodbye",
  "about",
] as const
export type Kind = (typeof kinds)[number]

/** The kinds to which a reply needs nothing but courtesy. */
const SMALL_TALK: ReadonlySet<Kind> = new Set(["greeting", "thanks", "goodbye"])
export const isSmallTalk = (kind: Kind): boolean => SMALL_TALK.has(kind)

/** What a reply has to hold to be right. */
export interface Expected {
  /** Any of them is an answer. Small talk that names none is judged by the words of `SmallTalk.ts`. */
  readonly answers: ReadonlyArray<string>
  /** The items of a list, or the steps of an instruction. */
  readonly all: ReadonlyArray<string>
  /** Whether the documents do not answer the question. With `answers`, either is right: an answer, or none. */
  readonly absent: boolean
}

/** Whether only a reply without an answer is right. */
export const hasNoAnswer = ({ absent, all, answers }: Expected): boolean => absent && answers.length + all.length === 0

/** A question with its answer. */
export interface Case extends Expected {
  readonly id: string
  readonly half: Half
  readonly knowledge: string
  readonly kind: Kind
  /** The language of the question, as in ISO 639-1. */
  readonly language: string
  /** Earlier messages of the user in the same conversation. */
  readonly before: ReadonlyArray<string>
  readonly question: string
}

/** `dev` is for development; the other half is kept apart. */
export type Half = "dev" | "held"

export interface KnowledgeFile {
  readonly name: string
  readonly content: Uint8Array<ArrayBuffer>
}

/** The documents of one chatbot, and what it is asked. */
export interface Knowledge {
  readonly name: string
  readonly files: ReadonlyArray<KnowledgeFile>
  readonly cases: ReadonlyArray<Case>
}

/**
 * Makes a case. `origin` decides about its half, so that variants of one question, such as its translations, stay
 * together; by default it is the case's own id.
 */
export const makeCase = (
  fields: Omit<Case, "id" | "half" | keyof Expected | "before"> & Partial<Case>,
  origin?: string,
): Case => {
  const id = [fields.knowledge, fields.kind, ...(fields.before ?? []), fields.question].join(" · ")
  return {
    answers: [],
    all: [],
    absent: false,
    before: [],
    ...fields,
    id,
    half: ((digest(origin ?? id) >>> 24) & 1) === 0 ? "dev" : "held",
  }
}

const Texts = Schema.Array(Schema.NonEmptyString)

const WrittenCase = Schema.Struct({
  kind: Schema.Literals(kinds),
  language: Schema.NonEmptyString,
  before: Schema.optionalKey(Texts),
  question: Schema.NonEmptyString,
  answers: Schema.optionalKey(Texts),
  all: Schema.optionalKey(Texts),
  absent: Schema.optionalKey(Schema.Boolean),
}).check(
  Schema.makeFilter(({ absent, all = [], answers = [] }) =>
    absent === true || answers.length + all.length > 0 ? undefined : "Expected answers, all, or absent",
  ),
)

/** A file that is uploaded: the path of one of the project, of one in the data (`data:…`), or a text with a name. */
const WrittenDocument = Schema.Struct({
  document: Schema.Union([Schema.NonEmptyString, Schema.Struct({ name: Schema.NonEmptyString, text: Schema.String })]),
})

const decodeLine = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Union([WrittenDocument, WrittenCase])), {
  onExcessProperty: "error",
})

const ROOT = join(import.meta.dir, "../../..")
const CASES = join(import.meta.dir, "cases")

/** Reads the cases that are written by hand: a file for each knowledge base, with a document or a case on each line. */
export const writtenKnowledge = (data: string | undefined): ReadonlyArray<Knowledge> =>
  (existsSync(CASES) ? readdirSync(CASES) : [])
    .filter((file) => file.endsWith(".jsonl"))
    .sort()
    .flatMap((file) => {
      const name = basename(file, ".jsonl")
      const lines = readFileSync(join(CASES, file), "utf8")
        .trim()
        .split("\n")
        .map((line) => decodeLine(line))
      const documents = lines.flatMap((line) => ("document" in line ? [line.document] : []))
      const cases = lines.flatMap((line) => ("kind" in line ? [line] : []))
      const needsData = documents.some((document) => typeof document === "string" && document.startsWith("data:"))
      if (needsData && data === undefined) return []
      return [
        {
          name,
          files: documents.map((document) => fileOf(document, data ?? "")),
          cases: cases.map((written) => makeCase({ knowledge: name, ...written })),
        },
      ]
    })

const fileOf = (document: string | { readonly name: string; readonly text: string }, data: string): KnowledgeFile => {
  if (typeof document !== "string") return textFile(document.name, document.text)
  const path = document.startsWith("data:") ? join(data, document.slice("data:".length)) : join(ROOT, document)
  return { name: basename(path), content: new Uint8Array(readFileSync(path)) }
}

/** A file with a text in UTF-8. */
export const textFile = (name: string, text: string): KnowledgeFile => ({
  name,
  content: new TextEncoder().encode(text),
})
