import type { Test } from "./TestData.ts"
import { keysOf } from "../../server/Unknown.ts"
import type { Document } from "../knowledge/Documents.ts"
import { linesIn, textsIn } from "../../data/Texts.ts"

/*
 * A test as it is written in a form: lists are lines, and documents are named by their titles.
 */

type Expectations = Test["expectations"]
type Find = NonNullable<Expectations["find"]>[number]
type Say = NonNullable<Expectations["say"]>[number]

/** What a search must find. */
export interface FindDraft {
  /** The name of a document. */
  readonly document: string
  readonly contains: string
  /** The expectation as it was stored: its rank stays, and its document while the name is not changed. */
  readonly stored?: Find
}

/** An expectation that says nothing yet. It is left out of the test until it does. */
export const emptyFind: FindDraft = { document: "", contains: "" }

type Named = Pick<Document, "id" | "name">

const nameIn = ({ document_id: id, title }: Find, documents: ReadonlyArray<Named>): string =>
  documents.find((each) => each.id === id)?.name ?? title ?? id ?? ""

/** What the answer must and must not say, by the names of the form's fields. */
export const sayFields = {
  words: { kind: "words", label: "The answer must say" },
  notWords: { kind: "words", not: true, label: "The answer must not say" },
  pattern: { kind: "pattern", label: "Patterns that must match the answer" },
  notPattern: { kind: "pattern", not: true, label: "Patterns that must not match the answer" },
  judge: { kind: "judge", label: "Statements that must be true of the answer" },
  notJudge: { kind: "judge", not: true, label: "Statements that must not be true of the answer" },
} as const satisfies Readonly<Record<string, Omit<Say, "value"> & { readonly label: string }>>

export type SayField = keyof typeof sayFields

const saying = (say: ReadonlyArray<Say>, name: SayField): string => {
  const { kind, ...rest } = sayFields[name]
  return say
    .filter((each) => each.kind === kind && (each.not === true) === "not" in rest)
    .map(({ value }) => value.replaceAll(/\s*\n\s*/g, " "))
    .join("\n")
}

const speakers = { user: "User", assistant: "Chatbot" } as const

/** Turns of a conversation as lines, each of which begins with who says it. */
const textOfTurns = (turns: Test["history"]): string =>
  turns.map(({ content, role }) => `${speakers[role]}: ${content}`).join("\n")

/** The turns in a text. A line that does not say who speaks belongs to the turn before it, and else to the user. */
export const turnsIn = (text: string): Test["history"] => {
  const turns: Array<Test["history"][number]> = []
  for (const line of text.split("\n")) {
    const [, speaker, said = line] = /^\s*(user|chatbot):\s*(.*)$/i.exec(line) ?? []
    const last = turns.at(-1)
    if (speaker === undefined && last !== undefined)
      turns[turns.length - 1] = { ...last, content: `${last.content}\n${said}` }
    else turns.push({ role: speaker?.toLowerCase() === "chatbot" ? "assistant" : "user", content: said })
  }
  return turns.map(({ content, role }) => ({ role, content: content.trim() })).filter(({ content }) => content !== "")
}

export const draftOf = (test: Test | undefined, documents: ReadonlyArray<Named>) => {
  const { find = [], refusal, say = [] } = test?.expectations ?? { find: [{}] }
  return {
    question: test?.question ?? "",
    history: textOfTurns(test?.history ?? []),
    tags: test?.tags.join(", ") ?? "",
    refusal: refusal ?? ("" as const),
    find: find.map((stored): FindDraft => ({
      document: nameIn(stored, documents),
      contains: stored.contains ?? "",
      stored,
    })),
    words: saying(say, "words"),
    notWords: saying(say, "notWords"),
    pattern: saying(say, "pattern"),
    notPattern: saying(say, "notPattern"),
    judge: saying(say, "judge"),
    notJudge: saying(say, "notJudge"),
  }
}

export type TestDraft = ReturnType<typeof draftOf>

const findOf = ({ contains, document, stored = {} }: FindDraft, documents: ReadonlyArray<Named>): Find => {
  const { contains: _, document_id: id, title, ...rank } = stored
  const name = document.trim()
  const known = documents.find((each) => each.name === name)?.id
  const isSame = name !== "" && name === nameIn(stored, documents)
  const [documentId, named = ""] = isSame ? [id, title] : [known, name]
  return {
    ...rank,
    ...(documentId !== undefined && { document_id: documentId }),
    ...(named !== "" && { title: named }),
    ...(contains.trim() !== "" && { contains: contains.trim() }),
  }
}

/** The test that a draft describes, as the API takes it. */
export const inputOf = (draft: TestDraft, documents: ReadonlyArray<Named>) => {
  const find = draft.find
    .filter(({ contains, document }) => contains.trim() !== "" || document.trim() !== "")
    .map((each) => findOf(each, documents))
  const say = keysOf(sayFields).flatMap((name) => {
    const { label: _, ...how } = sayFields[name]
    return linesIn(draft[name]).map((value): Say => ({ ...how, value }))
  })
  return {
    question: draft.question.trim(),
    history: turnsIn(draft.history),
    expectations: {
      ...(find.length > 0 && { find }),
      ...(say.length > 0 && { say }),
      ...(draft.refusal !== "" && { refusal: draft.refusal }),
    },
    tags: textsIn(draft.tags),
  }
}
