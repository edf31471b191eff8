import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { changeOf, concealed } from "../../domain/audit/AuditChange.ts"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import { type ChatbotId, DocumentId } from "../../domain/Ids.ts"
import { type Pair, Question, QuestionId } from "../../domain/knowledge/Question.ts"
import type { SourceId } from "../../domain/knowledge/Source.ts"
import { offset, type Page } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import type { Language } from "../../language/Language.ts"
import { Auditing } from "../audit/Auditing.ts"
import { type Content, contentTaken, Documents } from "../documents/Documents.ts"
import { counted, decodeRows, rowOr, TimestampColumn } from "../Rows.ts"
import { committing, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { sourceNotFound } from "./SourceRuns.ts"
import { texts } from "../sql/SqlValues.ts"

/** What a question or one of its variants is recognized by. */
export interface QuestionForm {
  /** A hash of its normalized form. */
  readonly form: string
  /** The words that tell it from other questions, in order; none where they are too few. */
  readonly words: ReadonlyArray<string>
}

/** A question, the forms by which it is recognized, and the file of its document. */
export interface QuestionContent {
  readonly pair: Pair
  readonly forms: ReadonlyArray<QuestionForm>
  /** The language whose stemmer reads the words of the forms. */
  readonly language: Language
  readonly content: Content
}

/** An approved answer that was found for a question. */
export interface ApprovedAnswer extends Pick<Question, "answer" | "document_id" | "question"> {
  /** Moves with every change of the answer, which its document follows only when it is ingested. */
  readonly revision: number
}

const QuestionRow = Schema.Struct({
  ...Question.fields,
  version: Schema.BigInt,
  created_at: TimestampColumn,
  updated_at: TimestampColumn,
})
/** A stored question, with the version that each change of it increments. */
export type QuestionRow = typeof QuestionRow.Type

const decodeQuestions = decodeRows(QuestionRow)
const decodeKinds = decodeRows(Schema.Struct({ kind: Schema.String }))
const decodeForms = decodeRows(Schema.Struct({ form: Schema.String }))
const decodeHolders = decodeRows(Schema.Struct({ ...QuestionRow.fields, form: Schema.String }))
const decodeFound = decodeRows(
  Schema.Struct({
    id: QuestionId,
    document_id: DocumentId,
    question: Schema.String,
    answer: Schema.String,
    revision: Schema.Int,
    is_exact: Schema.Boolean,
  }),
)

const changedMeanwhile = new Conflict({ detail: "The question was changed at the same time. Try again." })
const questionNotFound = new NotFound({ detail: "There is no such question." })
const first = rowOr(questionNotFound)

/** The failure of a question that another one of the chatbot answers already. */
const answered = (question: string) =>
  new Conflict({ detail: `Another question of this chatbot is the same: ${question}` })

/** The most candidates that share their words with a question. */
const CANDIDATES_MAX = 20

/** The tables `questions` and `question_forms`, always within the current organization. */
export class Questions extends Service<Questions>()("parley/storage/sources/Questions", function* () {
  const sql = yield* SqlClient.SqlClient
  const auditing = yield* Auditing
  const documents = yield* Documents

  const columns = sql.literal("id, source_id, document_id, question, variants, answer, created_at, updated_at, version")

  /** Hashes the stems of words, which are between blanks. Null where there is none. */
  const stemmed = (words: ReturnType<typeof sql.literal>, language: Language) => sql`(
    select encode(sha256(convert_to(string_agg(coalesce((ts_lexize(
      ${language === "simple" ? language : `${language}_stem`}::regdictionary, word))[1], word), ' ' order by place), 'UTF8')), 'hex')
    from string_to_table(${words}, ' ') with ordinality as split (word, place) where word <> '')`

  /** Stores the forms of a question. Fails with `Conflict` where another one of the chatbot has one of them. */
  const insertForms = Effect.fnUntraced(function* (
    chatbot: ChatbotId,
    id: QuestionId,
    { forms, language }: QuestionContent,
  ) {
    const organization = yield* CurrentOrganization
    const given = new Map(forms.map(({ form, words }) => [form, words.join(" ")]))
    const added = yield* decodeForms(sql`
      insert into question_forms (chatbot_id, form, organization_id, question_id, words)
      select ${chatbot}::uuid, form, ${organization}::uuid, ${id}::uuid, ${stemmed(sql.literal("given.words"), language)}
      from unnest(${texts([...given.keys()])}, ${texts([...given.values()])}) as given (form, words)
      -- In the same order everywhere, so that two inserts do not wait for each other.
      order by form
      on conflict do nothing returning form`)
    for (const { form } of added) given.delete(form)
    if (given.size === 0) return
    const [other] = yield* holders(chatbot, [...given.keys()])
    return yield* other === undefined ? changedMeanwhile : answered(other.question)
  })

  const holders = Effect.fnUntraced(function* (chatbot: ChatbotId, forms: ReadonlyArray<string>) {
    const organization = yield* CurrentOrganization
    return yield* decodeHolders(sql`
      select form, ${columns}
      from (
        select form, question_id from question_forms
        where chatbot_id = ${chatbot} and organization_id = ${organization} and form = any(${texts(forms)})
      ) held join questions on id = question_id and organization_id = ${organization}`)
  })

  const ensureSource = Effect.fnUntraced(function* (chatbot: ChatbotId, source: SourceId, lock = sql``) {
    const [found] = yield* decodeKinds(sql`
      select kind from sources
      where id = ${source} and chatbot_id = ${chatbot} and organization_id = ${yield* CurrentOrganization} ${lock}`)
    if (found === undefined) return yield* sourceNotFound
    if (found.kind !== "questions") {
      return yield* new Conflict({
        detail: `Only a source of kind questions has questions; this is a ${found.kind}.`,
      })
    }
  })

  const read = (chatbot: ChatbotId, source: SourceId, id: QuestionId, lock = sql``) =>
    CurrentOrganization.use((organization) =>
      decodeQuestions(sql`select ${columns} from questions where id = ${id} and source_id = ${source}
        and chatbot_id = ${chatbot} and organization_id = ${organization} ${lock}`),
    )

  return {
    /** Fails where the chatbot has no such source, or the source has no questions. */
    ensureSource: (chatbot: ChatbotId, source: SourceId) => withoutSqlErrors(ensureSource(chatbot, source)),

    /** Inserts a question with its document, which owns the blob. `isAudited` is false for a row of an import. */
    insert: Effect.fnUntraced(function* (
      ids: { readonly question: QuestionId; readonly document: DocumentId },
      chatbot: ChatbotId,
      source: SourceId,
      made: QuestionContent,
      isAudited: boolean,
    ) {
      const organization = yield* CurrentOrganization
      yield* ensureSource(chatbot, source, sql`for key share`)
      const origin = { source_id: source, url: null, is_approved: true }
      const { duplicate } = yield* documents.add(ids.document, chatbot, made.content, origin)
      if (duplicate) return yield* contentTaken()
      const { answer, question, variants } = made.pair
      const row = yield* first(
        decodeQuestions(sql`
          insert into questions (id, organization_id, chatbot_id, source_id, document_id, question, variants, answer)
          values (${ids.question}, ${organization}, ${chatbot}, ${source}, ${ids.document}, ${question},
            ${texts(variants)}, ${answer})
          returning ${columns}`),
      )
      yield* insertForms(chatbot, ids.question, made)
      if (isAudited) {
        const after = concealed(made.pair)
        yield* auditing.record(sql, { organization, action: "question.created", target: row.id, chatbot, after })
      }
      return row
    }, committing(sql)),

    /** Replaces what a question holds, and the content of its document. Fails where another change came first. */
    replace: Effect.fnUntraced(function* (
      chatbot: ChatbotId,
      { document_id, id, source_id, version }: QuestionRow,
      made: QuestionContent,
      isAudited: boolean,
    ) {
      const organization = yield* CurrentOrganization
      // Locked first, as by the deletion of a document, so that the two do not wait for each other.
      yield* sql`select from documents where id = ${document_id} and organization_id = ${organization} for update`
      const before = yield* first(read(chatbot, source_id, id, sql`for update`))
      if (before.version !== version) return yield* changedMeanwhile
      yield* documents.replace(chatbot, before.document_id, made.content)
      yield* sql`delete from question_forms where question_id = ${id} and organization_id = ${organization}`
      yield* insertForms(chatbot, id, made)
      const { answer, question, variants } = made.pair
      const audited = changeOf(pairOf(before), made.pair)
      if (isAudited && audited !== undefined) {
        yield* auditing.record(sql, { organization, action: "question.updated", target: id, chatbot, ...audited })
      }
      return yield* first(
        decodeQuestions(sql`
          update questions set question = ${question}, variants = ${texts(variants)}, answer = ${answer},
            version = version + 1, updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
          where id = ${id} and organization_id = ${organization} returning ${columns}`),
      )
    }, committing(sql)),

    /** Deletes a question with its document. */
    remove: Effect.fnUntraced(function* (chatbot: ChatbotId, source: SourceId, id: QuestionId) {
      const organization = yield* CurrentOrganization
      const { document_id, ...gone } = yield* first(read(chatbot, source, id))
      yield* documents.remove(chatbot, document_id)
      const before = concealed(pairOf(gone))
      yield* auditing.record(sql, { organization, action: "question.deleted", target: id, chatbot, before })
    }, committing(sql)),

    /** Records in the audit log that so many rows are imported. */
    recordImport: Effect.fnUntraced(function* (chatbot: ChatbotId, source: SourceId, rows: number) {
      const organization = yield* CurrentOrganization
      yield* auditing.record(sql, {
        organization,
        action: "question.imported",
        target: source,
        chatbot,
        after: { rows },
      })
    }, withoutSqlErrors),

    get: (chatbot: ChatbotId, source: SourceId, id: QuestionId) => withoutSqlErrors(first(read(chatbot, source, id))),

    /** Lists a page of a source's questions, oldest first: those that hold the text, or all when it is empty. */
    list: Effect.fnUntraced(function* (chatbot: ChatbotId, source: SourceId, page: Page, text: string) {
      const organization = yield* CurrentOrganization
      const held = sql`strpos(lower(question || ' ' || array_to_string(variants, ' ') || ' ' || answer), lower(${text})) > 0`
      const matching = sql`source_id = ${source} and chatbot_id = ${chatbot} and organization_id = ${organization}
        ${text === "" ? sql`` : sql`and ${held}`}`
      const total = yield* counted(sql`select count(*)::int as count from questions where ${matching}`)
      const data = yield* decodeQuestions(sql`
        select ${columns} from questions where ${matching}
        order by questions.created_at, id limit ${page.limit} offset ${offset(page)}`)
      return { data, total }
    }, withoutSqlErrors),

    /** Runs changes of questions in one transaction. One that fails, and whose failure is caught, leaves nothing. */
    together: <A, E, R>(changes: Effect.Effect<A, E, R>) => committing(sql)(changes),

    /** Returns the questions of a chatbot that have one of these forms. */
    holders: (chatbot: ChatbotId, forms: ReadonlyArray<string>) => withoutSqlErrors(holders(chatbot, forms)),

    /**
     * Finds the approved answer to a question: that of the question with one of these forms, and otherwise that of the
     * only question with the same words.
     */
    answerTo: Effect.fnUntraced(function* (
      chatbot: ChatbotId,
      {
        forms,
        language,
        words,
      }: Pick<QuestionContent, "language"> & Pick<QuestionForm, "words"> & { readonly forms: ReadonlyArray<string> },
    ) {
      const organization = yield* CurrentOrganization
      const same = sql`f.form = any(${texts(forms)})`
      const found = yield* decodeFound(sql`
        select q.id, q.document_id, q.question, q.answer, q.version::int as revision, ${same} as is_exact
        from question_forms f join questions q on q.id = f.question_id and q.organization_id = f.organization_id
        where f.chatbot_id = ${chatbot} and f.organization_id = ${organization}
          and (${same} ${words.length === 0 ? sql`` : sql`or f.words = ${stemmed(sql`${words.join(" ")}::text`, language)}`})
        order by is_exact desc limit ${CANDIDATES_MAX}`)
      const [best] = found
      const isCertain = best?.is_exact === true || new Set(found.map(({ id }) => id)).size === 1
      return isCertain ? best : undefined
    }, withoutSqlErrors),
  }
}) {}

/** The fields of a question that people write. */
export const pairOf = ({ answer, question, variants }: Pair): Pair => ({ question, variants, answer })
