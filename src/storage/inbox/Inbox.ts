import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { Caller, Reach } from "../../domain/Caller.ts"
import type { AttachmentId } from "../../domain/chat/Attachment.ts"
import type { SessionPatch } from "../../domain/chat/Conversation.ts"
import type { SessionName } from "../../domain/chat/SessionToken.ts"
import { Conflict, InvalidRequest } from "../../domain/Errors.ts"
import { type ChatbotId, type MessageId, type PersonId, SessionId } from "../../domain/Ids.ts"
import { ConversationEvent, type HandoverReason } from "../../domain/inbox/Handover.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Auditing } from "../audit/Auditing.ts"
import { type Acting, assign, handBack, handOver, mayAnswer } from "../conversations/Handovers.ts"
import { onUnsendable } from "../conversations/Attachments.ts"
import { NEXT_INSTANT } from "../conversations/ConversationWrites.ts"
import { SESSION_COLUMNS, SessionRow, toSession } from "../conversations/Conversations.ts"
import {
  MESSAGE_COLUMNS,
  MessageRow,
  personColumns,
  sessionNamed,
  sessionNotFound,
  toMessage,
} from "../conversations/Messages.ts"
import { decodeRows, onlyRow, TimestampColumn, decodeRowOr } from "../Rows.ts"
import { committing, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { json, uuids, within } from "../sql/SqlValues.ts"

/** A message that a person writes. */
export interface PersonMessage {
  readonly id: MessageId
  readonly content: string
  /** Those that were uploaded for it, by no visitor. */
  readonly attachments?: ReadonlyArray<AttachmentId>
  /** The client's own id of the message. */
  readonly mid: string | undefined
  /** Who writes, where a program sends it. */
  readonly senderName: string | undefined
}

const hasBot = new Conflict({ detail: "The chatbot has this conversation; take it over first." })
const hasPeople = new Conflict({ detail: "People have this conversation already; assign it instead." })
const noAssignee = InvalidRequest.at(
  "assignee",
  "Expected a person who may answer in the conversations of this chatbot",
)

/** The most events of a conversation that are listed: the latest. */
const EVENTS_MAX = 1_000

const decodeFound = decodeRowOr(
  Schema.Struct({ id: SessionId, owner: Schema.Literals(["bot", "people"]) }),
  sessionNotFound,
)
const decodeSession = decodeRowOr(SessionRow, sessionNotFound)
const decodeMessages = decodeRows(MessageRow)
const decodeEvents = decodeRows(Schema.Struct({ ...ConversationEvent.fields, created_at: TimestampColumn }))
const decodeMay = decodeRows(Schema.Struct({ may: Schema.Boolean }))
const decodeCounts = decodeRows(Schema.Struct({ waiting: Schema.Int, mine: Schema.Int, open: Schema.Int }))

/** People in conversations, always within the current organization. */
export class Inbox extends Service<Inbox>()("parley/storage/inbox/Inbox", function* () {
  const sql = yield* SqlClient.SqlClient
  const auditing = yield* Auditing
  const named = sessionNamed(sql)

  /** Finds a session and locks it, so that nobody changes its owner before the transaction ends. */
  const lock = Effect.fnUntraced(function* (chatbot: ChatbotId, name: SessionName) {
    const organization = yield* CurrentOrganization
    return yield* decodeFound(sql`
      select s.id, s.owner from sessions s where ${named(chatbot, name, organization)} for update of s`)
  })

  const session = Effect.fnUntraced(function* (id: SessionId) {
    const row = yield* decodeSession(sql`
      select ${sql.literal(SESSION_COLUMNS)} from sessions s
      where s.id = ${id} and s.organization_id = ${yield* CurrentOrganization}`)
    return toSession(row)
  })

  const ensureAnswers = Effect.fnUntraced(function* (chatbot: ChatbotId, assignee: PersonId | null | undefined) {
    if (assignee === null || assignee === undefined) return
    const may = mayAnswer(sql, sql`${assignee}::uuid`, sql`${chatbot}::uuid`)
    const [row] = yield* decodeMay(sql`select ${may} as may`)
    if (row?.may !== true) return yield* noAssignee
  })

  const own = (id: SessionId) =>
    Effect.map(
      CurrentOrganization,
      (organization) => sql`
      select id from sessions where id = ${id} and organization_id = ${organization}`,
    )

  const audited = Effect.fnUntraced(function* (
    action: "conversation.handed_over" | "conversation.returned",
    chatbot: ChatbotId,
    target: SessionId,
  ) {
    yield* auditing.record(sql, { organization: yield* CurrentOrganization, action, target, chatbot })
  })

  return {
    /** Hands a session over to people. Fails with `Conflict` where they have it. */
    handOver: Effect.fnUntraced(function* (
      chatbot: ChatbotId,
      name: SessionName,
      reason: HandoverReason,
      by: Acting,
      assignee: PersonId | null,
    ) {
      const { id } = yield* lock(chatbot, name)
      yield* ensureAnswers(chatbot, assignee === by?.id ? null : assignee)
      const sessions = yield* own(id)
      if ((yield* handOver(sql, reason, { sessions, by, assignee })) === 0) return yield* hasPeople
      yield* audited("conversation.handed_over", chatbot, id)
      return yield* session(id)
    }, committing(sql)),

    /** Hands a session back to the bot. Fails with `Conflict` where the bot has it. */
    handBack: Effect.fnUntraced(function* (chatbot: ChatbotId, name: SessionName, by: Acting) {
      const { id } = yield* lock(chatbot, name)
      if ((yield* handBack(sql, "by_hand", { sessions: yield* own(id), by })) === 0) return yield* hasBot
      yield* audited("conversation.returned", chatbot, id)
      return yield* session(id)
    }, committing(sql)),

    /**
     * Changes the state, the assignee and the tags of a session. Closing a session of people hands it back to the bot;
     * otherwise it is no activity.
     */
    update: Effect.fnUntraced(function* (
      chatbot: ChatbotId,
      name: SessionName,
      { assignee, state, tags }: SessionPatch,
      by: Acting,
    ) {
      const { id, owner } = yield* lock(chatbot, name)
      const sessions = yield* own(id)
      const found = sql`where id = ${id} and organization_id = ${yield* CurrentOrganization}`
      if (assignee !== undefined) {
        yield* ensureAnswers(chatbot, assignee)
        if (owner === "bot") return yield* hasBot
        yield* assign(sql, assignee, { sessions, by })
      }
      if (tags !== undefined) {
        yield* sql`update sessions set updated_at = clock_timestamp(),
            tags = array(select jsonb_array_elements_text(${json(Array.from(new Set(tags)))})) ${found}`
      }
      if (state === "closed") yield* handBack(sql, "closed", { sessions, by })
      if (state !== undefined) yield* sql`update sessions set state = ${state} ${found}`
      return yield* session(id)
    }, committing(sql)),

    /**
     * Stores a message of a person, which takes the session over where the bot has it, and assigns it where nobody looks
     * after it. One with a client's id that is stored is not stored again.
     */
    say: Effect.fnUntraced(
      function* (
        chatbot: ChatbotId,
        name: SessionName,
        message: PersonMessage,
        caller: Pick<Caller["Service"], "apiKeyId" | "person">,
      ) {
        const organization = yield* CurrentOrganization
        const { attachments = [], content, id, mid, senderName } = message
        const by = caller.person
        const found = yield* lock(chatbot, name)
        const stored = (condition: Statement.Fragment) =>
          decodeMessages(sql`select ${sql.literal(MESSAGE_COLUMNS)} from messages
            where session_id = ${found.id} and organization_id = ${organization} and sender_type = 'agent' and ${condition}`)
        const [known] = mid === undefined ? [] : yield* stored(sql`metadata->>'mid' = ${mid} limit 1`)
        if (known !== undefined) return { message: toMessage(known), session: yield* session(found.id), isNew: false }
        const sessions = yield* own(found.id)
        if (found.owner === "bot") {
          yield* handOver(sql, by === undefined ? "api" : "taken", { sessions, by, assignee: by?.id ?? null })
        } else if (by !== undefined) {
          yield* assign(sql, by.id, { sessions: sql`${sessions} and assignee is null`, by })
        }
        yield* sql`
          insert into messages (id, organization_id, session_id, sender_type, content, metadata, attachments, person_id, person_name, created_at)
          values (${id}, ${organization}, ${found.id}, 'agent', ${content}, ${json(mid === undefined ? {} : { mid })},
            send_attachments(${organization}, ${chatbot}, ${found.id}, ${id}, null, ${uuids(attachments)}),
            ${by?.id ?? null}::uuid, coalesce(${by?.name ?? senderName ?? null}::text,
              (select name from api_keys where id = ${caller.apiKeyId}), ''),
            (select ${sql.literal(NEXT_INSTANT)} from sessions where id = ${found.id}))`
        yield* sql`update sessions set message_count = message_count + 1, waiting_since = null, state = 'open',
          updated_at = ${sql.literal(NEXT_INSTANT)} where id = ${found.id} and organization_id = ${organization}`
        const [row] = yield* stored(sql`id = ${id}`)
        if (row === undefined) return yield* sessionNotFound
        return { message: toMessage(row), session: yield* session(found.id), isNew: true }
      },
      committing<InvalidRequest>(sql, onUnsendable),
    ),

    /** Stores a note among people. */
    note: Effect.fnUntraced(function* (chatbot: ChatbotId, name: SessionName, id: string, text: string, by: Acting) {
      const organization = yield* CurrentOrganization
      const found = yield* lock(chatbot, name)
      yield* sql`update sessions set updated_at = clock_timestamp()
          where id = ${found.id} and organization_id = ${organization}`
      const rows = decodeEvents(sql`
          insert into conversation_events (id, organization_id, session_id, type, person_id, person_name, detail)
          values (${id}, ${organization}, ${found.id}, 'note', ${by?.id ?? null}::uuid, ${by?.name ?? null}::text, ${json({ text })})
          returning ${sql.literal(EVENT_COLUMNS)}`)
      return yield* Effect.flatMap(rows, onlyRow)
    }, committing(sql)),

    /** Lists what happened in a session, oldest first. */
    events: Effect.fnUntraced(function* (chatbot: ChatbotId, name: SessionName) {
      const organization = yield* CurrentOrganization
      const { id } = yield* decodeFound(sql`
        select s.id, s.owner from sessions s where ${named(chatbot, name, organization)}`)
      const rows = yield* decodeEvents(sql`
        select ${sql.literal(EVENT_COLUMNS)} from conversation_events
        where session_id = ${id} and organization_id = ${organization}
        order by created_at desc, id desc limit ${EVENTS_MAX}`)
      return rows.toReversed()
    }, withoutSqlErrors),

    /** Counts the sessions of people, of the chatbots within reach. */
    counts: Effect.fnUntraced(function* (chatbots: Reach, person: PersonId) {
      const rows = decodeCounts(sql`
        select count(*) filter (where waiting_since is not null and assignee is null)::int as waiting,
          count(*) filter (where assignee = ${person})::int as mine, count(*)::int as open
        from sessions where organization_id = ${yield* CurrentOrganization} and owner = 'people' and state = 'open'
          ${within(sql, chatbots, "chatbot_id")}`)
      return yield* Effect.flatMap(rows, onlyRow)
    }, withoutSqlErrors),
  }
}) {}

const EVENT_COLUMNS = `id, type, detail, created_at, case when person_name is not null then
  ${personColumns("conversation_events.person_id", "conversation_events.person_name")} end as person`
