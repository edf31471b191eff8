import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { chatbotNotFound } from "../../domain/chatbot/Chatbot.ts"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import type { ChatbotId } from "../../domain/Ids.ts"
import {
  CANNED_ANSWERS_MAX,
  CannedAnswer,
  type CannedAnswerId,
  type CannedAnswerInput,
  type CannedAnswerPatch,
} from "../../domain/inbox/CannedAnswer.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { decodeRows, TimestampColumn, decodeRowOr } from "../Rows.ts"
import { committing, onUniqueViolation, withoutSqlErrors } from "../sql/SqlErrors.ts"

const Row = Schema.Struct({ ...CannedAnswer.fields, created_at: TimestampColumn, updated_at: TimestampColumn })
const COLUMNS = "id, shortcut, content, created_at, updated_at"

const notFound = new NotFound({ detail: "The chatbot has no such canned answer." })
const enough = new Conflict({ detail: `The chatbot has ${CANNED_ANSWERS_MAX} canned answers already.` })
const decode = decodeRows(Row)
const decodeInserted = decodeRowOr(Row, enough)
const decodeUpdated = decodeRowOr(Row, notFound)
const ifTaken = onUniqueViolation(
  "canned_answers_shortcut",
  () => new Conflict({ detail: "The chatbot has a canned answer with this shortcut." }),
)

/** The table `canned_answers`, always within the current organization. */
export class CannedAnswers extends Service<CannedAnswers>()("parley/storage/inbox/CannedAnswers", function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = sql.literal(COLUMNS)

  const of = (chatbot: ChatbotId) =>
    CurrentOrganization.useSync((organization) => sql`chatbot_id = ${chatbot} and organization_id = ${organization}`)

  return {
    /** Lists the canned answers of a chatbot by their shortcuts. */
    list: Effect.fnUntraced(function* (chatbot: ChatbotId) {
      return yield* decode(sql`select ${columns} from canned_answers where ${yield* of(chatbot)} order by shortcut`)
    }, withoutSqlErrors),

    /** Fails with `Conflict` when the shortcut is taken, or the chatbot has as many as it may have. */
    insert: Effect.fnUntraced(
      function* (chatbot: ChatbotId, id: CannedAnswerId, { content, shortcut }: CannedAnswerInput) {
        const organization = yield* CurrentOrganization
        // The lock keeps two requests at once from adding one too many.
        const [found] = yield* sql`
          select id from chatbots where id = ${chatbot} and organization_id = ${organization} for no key update`
        if (found === undefined) return yield* chatbotNotFound
        return yield* decodeInserted(sql`
          insert into canned_answers (id, organization_id, chatbot_id, shortcut, content)
          select ${id}::uuid, ${organization}::uuid, ${chatbot}::uuid, ${shortcut}::text, ${content}::text
          where (select count(*) from canned_answers where ${yield* of(chatbot)}) < ${CANNED_ANSWERS_MAX}::int
          returning ${columns}`)
      },
      ifTaken,
      committing(sql),
    ),

    /** Fails with `Conflict` when another one has the shortcut. */
    update: Effect.fnUntraced(
      function* (chatbot: ChatbotId, id: CannedAnswerId, { content, shortcut }: CannedAnswerPatch) {
        return yield* decodeUpdated(sql`
          update canned_answers set shortcut = coalesce(${shortcut ?? null}::text, shortcut),
            content = coalesce(${content ?? null}::text, content), updated_at = now()
          where id = ${id} and ${yield* of(chatbot)} returning ${columns}`)
      },
      ifTaken,
      withoutSqlErrors,
    ),

    remove: Effect.fnUntraced(function* (chatbot: ChatbotId, id: CannedAnswerId) {
      const [gone] = yield* sql`delete from canned_answers where id = ${id} and ${yield* of(chatbot)} returning id`
      if (gone === undefined) return yield* notFound
    }, withoutSqlErrors),
  }
}) {}
