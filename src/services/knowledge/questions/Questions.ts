import { Array as Arr, Effect, Option, Result, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { Shares } from "../../../admission/Shares.ts"
import { Blobs } from "../../../blobs/Blobs.ts"
import { type ChatbotId, DocumentId } from "../../../domain/Ids.ts"
import {
  type Pair,
  type Question,
  QuestionId,
  type QuestionImport,
  type QuestionInput,
  questionMarkdown,
  type QuestionPatch,
  type RefusedRow,
} from "../../../domain/knowledge/Question.ts"
import type { SourceId } from "../../../domain/knowledge/Source.ts"
import type { Page } from "../../../domain/Page.ts"
import type { Change } from "../../../domain/schema/Merge.ts"
import { CurrentOrganization } from "../../../domain/Tenancy.ts"
import { Service } from "../../../domain/Service.ts"
import { Ingestion } from "../../../jobs/Ingestion.ts"
import { Chatbots } from "../../../storage/chatbots/Chatbots.ts"
import { contentOf } from "../../../storage/documents/Documents.ts"
import * as Storage from "../../../storage/sources/Questions.ts"
import { AfterCommit } from "../../../storage/sql/AfterCommit.ts"
import { recognizedBy } from "../../../knowledge/QuestionForms.ts"
import { prepared } from "../../Preparation.ts"
import { ensureMatch, type IfMatch } from "../../Versions.ts"
import { type CsvRow, csvHeader, csvRow, readCsv } from "./QuestionsCsv.ts"

/** The number of rows of an import that the database commits together. */
const TOGETHER = 25
const EXPORTED_AT_ONCE = 200

/** Manages the questions of a source, each of which is a document with the answer that people have approved. */
export class Questions extends Service<Questions>()("parley/services/knowledge/questions/Questions", function* () {
  const storage = yield* Storage.Questions
  const chatbots = yield* Chatbots
  const blobs = yield* Blobs
  const ingestion = yield* Ingestion
  const afterCommit = yield* AfterCommit
  const random = yield* SecureRandom.SecureRandom
  const withinShare = (yield* Shares).within("uploads")

  const prepare = (pair: Pair) =>
    Effect.map(random.uuidV4(), (id) => {
      const bytes = Buffer.from(questionMarkdown(pair))
      const content = contentOf(id, pair.question.replaceAll(/[/\\]/g, " "), "md", bytes)
      return { bytes, pair, content, ...recognizedBy(pair) }
    })

  /** Stores the files of questions, which no document owns yet. */
  const store = (made: ReadonlyArray<Effect.Success<ReturnType<typeof prepare>>>) =>
    blobs.putAll(made.map(({ bytes, content }) => ({ key: content.blob_key, content: Stream.succeed(bytes) })))

  /** Adds a question, or changes the one that is there. */
  const write = Effect.fnUntraced(function* (
    chatbot: ChatbotId,
    source: SourceId,
    content: Storage.QuestionContent,
    { before, isAudited }: { readonly before?: Storage.QuestionRow | undefined; readonly isAudited: boolean },
  ) {
    if (before !== undefined) return yield* storage.replace(chatbot, before, content, isAudited)
    const ids = {
      question: QuestionId.make(yield* random.uuidV7()),
      document: DocumentId.make(yield* random.uuidV7()),
    }
    return yield* storage.insert(ids, chatbot, source, content, isAudited)
  })

  const prepareAndStore = (pair: Pair) => Effect.tap(prepare(pair), (content) => store([content]))

  const settle = afterCommit.run(Effect.andThen(ingestion.nudge, blobs.nudge))

  /** Imports rows, which the database commits together; one that is refused leaves nothing. */
  const importRows = Effect.fnUntraced(function* (
    chatbot: ChatbotId,
    source: SourceId,
    rows: ReadonlyArray<CsvRow>,
    seen: Map<string, number>,
  ) {
    const refused: Array<RefusedRow> = []
    const read = new Map<string, { readonly row: number; readonly pair: Pair }>()
    for (const { pair, row } of rows) {
      const form = Result.isSuccess(pair) ? (recognizedBy(pair.success).forms[0]?.form ?? "") : ""
      const twin = seen.get(form)
      if (Result.isFailure(pair)) refused.push({ row, reason: pair.failure })
      else if (twin !== undefined) refused.push({ row, reason: `Row ${twin} has the same question.` })
      else {
        seen.set(form, row)
        read.set(form, { row, pair: pair.success })
      }
    }
    const held = yield* storage.holders(chatbot, [...read.keys()])
    const holderOf = new Map(held.map((holder) => [holder.form, holder]))
    const found = Array.from(read, ([form, each]) => ({ ...each, before: holderOf.get(form) }))
    const isThere = ({ before, pair }: (typeof found)[number]) =>
      before !== undefined && before.source_id === source && isSame(before, pair)
    const others = found.filter((each) => !isThere(each))
    const contents = yield* Effect.forEach(others, ({ pair }) => prepare(pair))
    yield* store(contents)
    const written = yield* storage.together(
      Effect.forEach(Arr.zip(others, contents), ([{ before, row }, content]) => {
        const refuse = ({ detail }: { readonly detail: string }) => Effect.succeed<RowResult>({ row, reason: detail })
        return before !== undefined && before.source_id !== source
          ? refuse({ detail: "Another source of this chatbot has this question." })
          : write(chatbot, source, content, { before, isAudited: false }).pipe(
              Effect.map((): RowResult => (before === undefined ? "added" : "updated")),
              Effect.catchTags({ Conflict: refuse, NotFound: refuse, QuotaReached: refuse }),
            )
      }),
    )
    yield* settle
    return [...refused, ...written, ...found.filter(isThere).map(() => "unchanged" as const)]
  })

  return {
    create: Effect.fn("Questions.create")(function* (chatbot: ChatbotId, source: SourceId, input: QuestionInput) {
      const content = yield* prepared(
        Effect.andThen(storage.ensureSource(chatbot, source), prepareAndStore({ variants: [], ...input })),
      )
      const row = yield* write(chatbot, source, content, { isAudited: true })
      yield* settle
      return row
    }),

    update: Effect.fn("Questions.update")(function* (
      chatbot: ChatbotId,
      source: SourceId,
      id: QuestionId,
      change: Change<Question, QuestionPatch>,
      ifMatch: IfMatch,
    ) {
      const { before, content } = yield* prepared(
        Effect.gen(function* () {
          const before = yield* storage.get(chatbot, source, id)
          yield* ensureMatch(before, ifMatch)
          const pair = { ...Storage.pairOf(before), ...(yield* change(before)) }
          return { before, content: isSame(before, pair) ? undefined : yield* prepareAndStore(pair) }
        }),
      )
      if (content === undefined) return before
      const after = yield* write(chatbot, source, content, { before, isAudited: true })
      yield* settle
      return after
    }),

    get: storage.get,

    /** Lists a page of a source's questions, oldest first: those that hold the text, or all when it is empty. */
    list: Effect.fn("Questions.list")(function* (chatbot: ChatbotId, source: SourceId, page: Page, text: string) {
      yield* storage.ensureSource(chatbot, source)
      return yield* storage.list(chatbot, source, page, text)
    }),

    /** Deletes a question with its document. */
    remove: Effect.fn("Questions.remove")(function* (chatbot: ChatbotId, source: SourceId, id: QuestionId) {
      yield* storage.remove(chatbot, source, id)
      yield* blobs.collect
    }),

    /** Returns the questions of a source as the text of a CSV file, in pieces. */
    exported: Effect.fn("Questions.exported")(function* (chatbot: ChatbotId, source: SourceId) {
      yield* storage.ensureSource(chatbot, source)
      const organization = yield* CurrentOrganization
      const rows = Stream.paginate(1, (page) =>
        Effect.map(storage.list(chatbot, source, { page, limit: EXPORTED_AT_ONCE }, ""), ({ data: questions }) => {
          const next = questions.length < EXPORTED_AT_ONCE ? Option.none() : Option.some(page + 1)
          return [questions.map(csvRow), next] as const
        }),
      )
      return Stream.concat(Stream.make(csvHeader), rows).pipe(
        Stream.provideService(CurrentOrganization, organization),
        Stream.encodeText,
      )
    }),

    /**
     * Imports a CSV file. A row whose question the source has already changes it; rows that are refused change
     * nothing.
     */
    imported: Effect.fn("Questions.imported")(function* (chatbot: ChatbotId, source: SourceId, bytes: Uint8Array) {
      yield* chatbots.get(chatbot)
      yield* storage.ensureSource(chatbot, source)
      const rows = yield* readCsv(bytes)
      yield* storage.recordImport(chatbot, source, rows.length)
      const seen = new Map<string, number>()
      const parts = yield* Effect.forEach(Arr.chunksOf(rows, TOGETHER), (some) =>
        importRows(chatbot, source, some, seen),
      )
      const results = parts.flat()
      const count = (result: RowResult) => results.filter((each) => each === result).length
      const report: QuestionImport = {
        added: count("added"),
        updated: count("updated"),
        unchanged: count("unchanged"),
        refused: results
          .flatMap((result) => (typeof result === "string" ? [] : [result]))
          .toSorted((one, other) => one.row - other.row),
      }
      return report
    }, withinShare),
  }
}) {}

/** What an import did with a row. */
type RowResult = "added" | "unchanged" | "updated" | RefusedRow

const isSame = (one: Pair, other: Pair): boolean =>
  JSON.stringify(Storage.pairOf(one)) === JSON.stringify(Storage.pairOf(other))
