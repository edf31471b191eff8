import { Duration, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Attachment, AttachmentId } from "../../domain/chat/Attachment.ts"
import { chatbotNotFound } from "../../domain/chatbot/Chatbot.ts"
import { Conflict, InvalidRequest } from "../../domain/Errors.ts"
import { type ChatbotId, MessageId, type OrganizationId, type SessionId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Quotas } from "../organizations/Quotas.ts"
import { decodeRow, decodeRows, onlyRow } from "../Rows.ts"
import { SystemSql } from "../sql/Database.ts"
import { lengthy, onCheckViolation, onForeignKeyViolation, transaction, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { interval } from "../sql/SqlValues.ts"

/** Time for which an attachment is kept that is not sent. */
const UNSENT_KEPT = Duration.days(1)
/** Most attachments that a visitor has uploaded and not sent. */
const UNSENT_MAX_COUNT = 20
/** Attachments that are deleted, or read for a prompt, at once. */
const ROWS_AT_ONCE = 100

/** An attachment with its file and who uploaded it: a visitor, or a person or an API key where that is undefined. */
export interface NewAttachment extends Attachment {
  readonly visitor: string | undefined
  readonly blob_key: string
  /** The unguessable part of its address. */
  readonly secret: string
}

const StoredFile = Schema.Struct({ name: Schema.String, media_type: Schema.String, blob_key: Schema.String })
const SentFile = Schema.Struct({ ...StoredFile.fields, message_id: MessageId, size: Schema.Finite })
export type SentFile = typeof SentFile.Type

const decodeFile = decodeRow(StoredFile)
const decodeBytes = decodeRows(Schema.Struct({ bytes: Schema.Finite }))
const decodeSent = decodeRows(SentFile)

const tooManyUnsent = new Conflict({
  detail: `At most ${UNSENT_MAX_COUNT} files wait to be sent: send some of them first.`,
})

/** Refuses a message whose attachments the SQL function `send_attachments` does not send. */
export const onUnsendable = onCheckViolation("attachments_sendable", () =>
  InvalidRequest.at(
    "attachments",
    "Expected attachments that were uploaded here for this chatbot within a day, and not sent before",
  ),
)

/** The table `attachments`: files of messages, within the current organization except where it says otherwise. */
export class Attachments extends Service<Attachments>()("parley/storage/conversations/Attachments", function* () {
  const sql = yield* SqlClient.SqlClient
  const system = yield* SystemSql
  const quotas = yield* Quotas

  /** Reads the bytes of the files of an organization's visitors that are not sent yet. */
  const unsentBytes = (organization: OrganizationId) =>
    decodeBytes(sql`
      select coalesce(sum(size), 0)::float8 as bytes from attachments
      where organization_id = ${organization} and message_id is null and visitor is not null`).pipe(
      Effect.flatMap(onlyRow),
      Effect.map(({ bytes }) => bytes),
    )

  return {
    /** Adds an attachment whose file is stored already, within the quota. */
    add: Effect.fnUntraced(
      function* (chatbot: ChatbotId, { blob_key, id, media_type, name, secret, size, url, visitor }: NewAttachment) {
        const organization = yield* CurrentOrganization
        const ensureRoom = yield* quotas.room
        yield* ensureRoom({ bytes: size }, visitor === undefined ? undefined : yield* unsentBytes(organization))
        const added = yield* sql`
          insert into attachments (id, organization_id, chatbot_id, visitor, name, media_type, size, blob_key, secret, url)
          select ${id}::uuid, ${organization}::uuid, ${chatbot}::uuid, ${visitor ?? null}::text, ${name}::text,
            ${media_type}::text, ${size}::bigint, ${blob_key}::text, ${secret}::text, ${url}::text
          where ${visitor ?? null}::text is null or ${UNSENT_MAX_COUNT}::int > (
            select count(*) from attachments where message_id is null and visitor = ${visitor ?? null}::text
              and organization_id = ${organization} and chatbot_id = ${chatbot}
          )
          returning id`
        if (added.length === 0) return yield* tooManyUnsent
      },
      transaction(sql),
      onForeignKeyViolation(() => chatbotNotFound),
      withoutSqlErrors,
    ),

    /** Finds the attachment of any organization that has this address; undefined if there is none. */
    at: (id: AttachmentId, secret: string) =>
      withoutSqlErrors(
        decodeFile(system`
          select a.name, a.media_type, a.blob_key
          from attachments a join organizations o on o.id = a.organization_id and o.deleted_at is null
          where a.id = ${id} and a.secret = ${secret}`),
      ),

    /** Returns the attachments that were sent in a conversation, the latest first. */
    sentIn: Effect.fnUntraced(function* (session: SessionId) {
      return yield* decodeSent(sql`
        select name, media_type, blob_key, message_id, size::int as size from attachments
        where session_id = ${session} and organization_id = ${yield* CurrentOrganization} and message_id is not null
        order by created_at desc, id desc limit ${ROWS_AT_ONCE}`)
    }, withoutSqlErrors),

    /** Deletes some attachments of all organizations that were not sent within a day, and returns their number. */
    forget: Effect.gen(function* () {
      const gone = yield* system`
        delete from attachments where id in (
          select id from attachments where message_id is null and created_at < now() - ${interval(UNSENT_KEPT)}
          limit ${ROWS_AT_ONCE} for update skip locked
        ) and message_id is null
        returning id`
      return gone.length
    }).pipe(lengthy),
  }
}) {}
