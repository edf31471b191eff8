import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { AttachmentId } from "../../domain/chat/Attachment.ts"
import type { Citation } from "../../domain/chat/Chat.ts"
import type { Unsupported } from "../../domain/chat/Grounding.ts"
import type { SenderType, VisitedPage } from "../../domain/chat/Conversation.ts"
import { chatbotNotFound } from "../../domain/chatbot/Chatbot.ts"
import { type ApiKeyId, type ChatbotId, type MessageId, type OrganizationId, SessionId } from "../../domain/Ids.ts"
import type { Explanation } from "../../domain/Failure.ts"
import { Handover, type HandoverReason } from "../../domain/inbox/Handover.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { onUnsendable } from "./Attachments.ts"
import { handOver } from "./Handovers.ts"
import { sessionNotFound } from "./Messages.ts"
import { makeGrounding, type ReplyGround } from "./ReplyGrounds.ts"
import { answeredElsewhere } from "../IdempotencyKeys.ts"
import { decodeRows } from "../Rows.ts"
import { onForeignKeyViolation, onUniqueViolation, transaction, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { json } from "../sql/SqlValues.ts"
import { type ReplyUsage, usageEntries } from "../usage/Usage.ts"

/*
 * The statements by which a chat writes to its conversation, each a single one, unless it hands the conversation over.
 */

/** A message that a client sends: a new one, or one of a conversation that the client held elsewhere. */
export interface NewMessage {
  readonly id: MessageId
  readonly sender_type: SenderType
  readonly content: string
  /** The id that the client gave the message. */
  readonly mid: string | undefined
  /** The attachments that go with it, which the sender has uploaded. */
  readonly attachments?: ReadonlyArray<AttachmentId> | undefined
}

/** A reply of the chatbot, with the model that made it and the tokens that it used. */
export interface BotMessage {
  readonly id: MessageId
  readonly content: string
  readonly model: string
  readonly provider: string
  readonly tokens_used: number
  readonly usage: Schema.JsonObject
  readonly finish_reason: string
  readonly tool_calls: ReadonlyArray<unknown>
  readonly tool_results: ReadonlyArray<unknown>
  readonly sources: ReadonlyArray<Citation>
  /** Whether it is no answer, as `isUnanswered` decides. */
  readonly unanswered: boolean
  /** Sentences of the content that no passage supports. */
  readonly unsupported?: ReadonlyArray<Unsupported>
  /** Why its model did not answer to the end. */
  readonly failure?: Explanation | undefined
  /** Milliseconds from the message to the first word of the reply; undefined for one that was not streamed. */
  readonly firstWord?: number | undefined
  /** Whether the user has seen the content already, as it was streamed. */
  readonly isSeen?: boolean | undefined
  /** What it rests on; undefined for one that the chatbot's agent has not made. */
  readonly ground?: ReplyGround | undefined
}

/** Replies of a conversation whose times to the first word are stored, so that its row stays small. */
const FIRST_WORDS_MAX = 100

/** Answer of the user's messages to the chatbot's question for an e-mail address. */
export interface EmailAnswer {
  readonly email: string | undefined
  readonly mayAskAgain: boolean
}

/** The session that a chat belongs to, which is opened if it does not exist. */
export interface SessionTarget {
  readonly id: SessionId
  readonly token: string | null
  /** The only key for which the token names the session; null when it does for every key. */
  readonly tokenKey: ApiKeyId | null
  readonly platform: string
  /** The visitor of the chat widget whose conversation it is; undefined for one that an API key has. */
  readonly visitor?: string | undefined
  /** The visitor's name, if it is signed. */
  readonly name?: string | undefined
  /** The page on which the visitor asks. The first one stays. */
  readonly page?: VisitedPage | undefined
  /** The language of the message, if it shows one. The latest one stays. */
  readonly language?: string | undefined
  /**
   * Whether the chat has read the session before. Then the session is not opened anew when it was deleted meanwhile:
   * the reply would be made of what was deleted.
   */
  readonly isKnown?: boolean
}

/** Who answers in a conversation. */
export type Owner = Handover["owner"]

/** Whether a reply was stored, and who answers in its conversation from now on. */
export interface StoredReply {
  readonly owner: Owner
  readonly isStored: boolean
}

/** What makes a message of the user, or a reply, hand its conversation over to people. */
export interface HandoverCause {
  readonly reason: HandoverReason
  /** The replies without an answer in a row, since the bot has the conversation, that it takes; absent: none. */
  readonly unansweredInRow?: number | undefined
}

/** Tries to find a session that concurrent requests open this many times. */
const APPEND_TRIES = 3

/** The time of a change of a conversation, after the one before it, also where the clock was set back meanwhile. */
export const NEXT_INSTANT = "greatest(clock_timestamp(), updated_at + interval '1 millisecond')"

/**
 * The time of a message that changes a conversation: before the next change, also where the statement takes long and the
 * clock is set back then.
 */
const MESSAGE_TIME = "greatest(updated_at, least(clock_timestamp(), updated_at + interval '900 microseconds'))"

const decodeTargets = decodeRows(Schema.Struct({ id: SessionId, owner: Handover.fields.owner }))
const decodeStored = decodeRows(Schema.Struct({ owner: Handover.fields.owner, is_stored: Schema.Boolean }))

export const makeAppend = (sql: SqlClient.SqlClient) => {
  const append = Effect.fnUntraced(function* (
    chatbot: ChatbotId,
    session: SessionTarget,
    messages: ReadonlyArray<NewMessage>,
    answer: EmailAnswer | undefined,
    handover?: HandoverCause,
  ) {
    const { language = null, name, page = null } = session
    const userInfo = json({
      ...(answer?.email !== undefined && { email: answer.email }),
      ...(name !== undefined && { name }),
    })
    const mayAsk = answer?.mayAskAgain ?? true
    const organization_id = yield* CurrentOrganization
    const rows = messages.map(({ attachments = [], id, sender_type, content, mid }) => ({
      id,
      sender_type,
      content,
      attachments,
      metadata: mid === undefined ? {} : { mid },
    }))
    const statement = decodeTargets(sql`
        with session as (
          -- A foreign key would accept the chatbot of another organization.
          insert into sessions
            (id, organization_id, chatbot_id, session_token, token_key, platform, visitor, message_count, user_info,
              may_ask_email, page, language)
          select ${session.id}::uuid, organization_id, id, ${session.token}::text, ${session.tokenKey}::uuid,
            ${session.platform}::text, ${session.visitor ?? null}::text, ${rows.length}::int, ${userInfo}, ${mayAsk},
            ${json(page)}, ${language}::text
          from chatbots where id = ${chatbot} and organization_id = ${organization_id} and not ${session.isKnown === true}
          -- An existing session can conflict by its id or by its token.
          on conflict do nothing
          returning id, owner, updated_at
        ), existing as (
          update sessions set message_count = message_count + ${rows.length}, updated_at = ${sql.literal(NEXT_INSTANT)},
            user_info = user_info || ${userInfo}, may_ask_email = may_ask_email and ${mayAsk}, state = 'open',
            page = coalesce(page, ${json(page)}), language = coalesce(${language}::text, language),
            waiting_since = case when owner = 'people' then coalesce(waiting_since, clock_timestamp()) else waiting_since end
          where organization_id = ${organization_id} and chatbot_id = ${chatbot}
            -- It may have been handed over to another visitor since this one opened it.
            and (${session.visitor ?? null}::text is null or visitor = ${session.visitor ?? null}::text)
            and (id = ${session.id} or (session_token = ${session.token}::text
              and token_key is not distinct from ${session.tokenKey}::uuid))
            and not exists (select from session)
          returning id, owner, updated_at
        ), target as (
          select id, owner, updated_at from session union all select id, owner, updated_at from existing
        ), stored as (
          insert into messages (id, organization_id, session_id, sender_type, content, metadata, attachments, created_at)
          select m.id, ${organization_id}::uuid, target.id, m.sender_type, m.content, m.metadata,
            send_attachments(${organization_id}, ${chatbot}, target.id, m.id, ${session.visitor ?? null}::text, m.attachments),
            ${sql.literal(MESSAGE_TIME)} + (m.position - 1) * interval '1 microsecond'
          from target, rows from (jsonb_to_recordset(${json(rows)})
            as (id uuid, sender_type text, content text, metadata jsonb, attachments uuid[])) with ordinality
            as m(id, sender_type, content, metadata, attachments, position)
          order by m.position
          -- An earlier attempt at the same chat has stored it, longer ago than a history reaches.
          on conflict (id) do nothing
        )
        select id, owner from target`)
    let [found] = yield* statement
    // Another request opened the session after this statement began; the next statement sees it.
    for (let tries = 1; found === undefined && tries < APPEND_TRIES; tries++) [found] = yield* statement
    if (found === undefined) return yield* sessionNotFound
    if (handover === undefined || found.owner === "people") return found
    const sessions = sql`select id from sessions where id = ${found.id} and organization_id = ${organization_id}`
    yield* handOver(sql, handover.reason, { sessions })
    return { ...found, owner: "people" as const }
  })
  return (...args: Parameters<typeof append>) =>
    (args[4] === undefined ? append(...args) : transaction(sql)(append(...args))).pipe(
      onForeignKeyViolation(() => chatbotNotFound),
      onUnsendable,
      withoutSqlErrors,
    )
}

export const makeReply = (sql: SqlClient.SqlClient) => {
  const grounding = makeGrounding(sql)

  const replacing = sql`on conflict (id) do update set content = excluded.content, model = excluded.model,
    provider = excluded.provider, tokens_used = excluded.tokens_used, usage = excluded.usage,
    finish_reason = excluded.finish_reason, tool_calls = excluded.tool_calls, tool_results = excluded.tool_results,
    sources = excluded.sources, unanswered = excluded.unanswered, unsupported = excluded.unsupported,
    metadata = excluded.metadata`

  /** The session, where the replies before this one make it the last that it takes. */
  const dueAfter = (
    organization: OrganizationId,
    session: SessionId,
    { id }: BotMessage,
    { unansweredInRow = 1 }: HandoverCause,
  ) => {
    const before = unansweredInRow - 1
    return sql`
      select s.id from sessions s
      where s.id = ${session} and s.organization_id = ${organization} and (
        select count(*) filter (where unanswered) from (
          select m.unanswered from messages m
          where m.session_id = s.id and m.organization_id = ${organization} and m.sender_type = 'bot'
            and m.id <> ${id} and (s.owner_since is null or m.created_at > s.owner_since)
          order by m.created_at desc, m.id desc limit ${before}
        ) last
      ) = ${before}`
  }

  const reply = Effect.fnUntraced(function* (
    session: SessionId,
    message: BotMessage,
    usage?: ReplyUsage,
    isUnfinished = false,
    handover?: HandoverCause,
  ) {
    const organization = yield* CurrentOrganization
    const { firstWord = null, ground, isSeen = false, unsupported = [] } = message
    const own = sql`id = ${message.id} and organization_id = ${organization}`
    const takenOut = sql`taken_out as (
        delete from unfinished_replies where message_id = ${message.id} and organization_id = ${organization}
      ),`
    const counted =
      usage &&
      sql`, counted as (${usageEntries(sql, organization, message.id, usage, message, sql`exists (select from known)`)})`
    const [found] = yield* decodeStored(sql`
      with ${isUnfinished ? takenOut : sql``} known as (
        -- The part of it that another server has stored.
        select unanswered, content from messages where ${isUnfinished}::boolean and ${own}
      ), session as (
        update sessions set updated_at = ${sql.literal(NEXT_INSTANT)},
          message_count = message_count
            + ((${isSeen}::boolean or owner = 'bot') and not exists (select from known))::int,
          unanswered_replies = unanswered_replies + (owner = 'bot' and ${message.unanswered}::boolean)::int
            - (select count(*) from known where unanswered)::int,
          waiting_since = case owner when 'people' then waiting_since end,
          first_words = case
            when ${firstWord}::int is null or cardinality(first_words) >= ${FIRST_WORDS_MAX}::int then first_words
            else first_words || ${firstWord}::int
          end
        where id = ${session} and organization_id = ${organization}
        -- What the user has seen of a reply belongs before the people who have taken over meanwhile; nobody has seen another.
        returning id, owner, owner_since, updated_at, ${isSeen}::boolean or owner = 'bot' as is_kept
      ) ${counted ?? sql``} ${ground ? grounding(organization, message, ground, sql`is_kept`) : sql``}, stored as (
        insert into messages (id, organization_id, session_id, sender_type, content, model, provider, tokens_used,
          usage, finish_reason, tool_calls, tool_results, sources, unanswered, unsupported, metadata, created_at)
        select ${message.id}::uuid, ${organization}::uuid, id, 'bot', ${message.content}::text, ${message.model}::text,
          ${message.provider}::text, ${message.tokens_used}::int, ${json(message.usage)},
          case owner when 'bot' then ${message.finish_reason}::text else 'aborted' end,
          ${json(message.tool_calls)}, ${json(message.tool_results)},
          ${json(message.sources.length === 0 ? null : message.sources)}, ${message.unanswered}::boolean,
          ${json(unsupported.length === 0 ? null : unsupported)},
          ${json(message.failure === undefined ? {} : { failure: message.failure })},
          case owner when 'bot' then ${sql.literal(MESSAGE_TIME)} else owner_since - interval '1 microsecond' end
        from session where is_kept ${isUnfinished ? replacing : sql``}
        returning id, organization_id, session_id, content
      ), announced as (
        -- Webhooks may have been told of the part.
        select announce_event(m.organization_id, s.chatbot_id, 'message.created', s.id, m.id, null)::text as done
        from stored m
        join known on known.content is distinct from m.content
        join sessions s on s.id = m.session_id and s.organization_id = m.organization_id
      )
      select owner, is_kept as is_stored from session, (select count(done) from announced) announced`)
    if (found === undefined) return undefined
    const isHandedOver =
      handover !== undefined &&
      found.owner === "bot" &&
      (yield* handOver(sql, handover.reason, { sessions: dueAfter(organization, session, message, handover) })) > 0
    return { owner: isHandedOver ? ("people" as const) : found.owner, isStored: found.is_stored }
  })
  return (...args: Parameters<typeof reply>) =>
    (args[4] === undefined ? reply(...args) : transaction(sql)(reply(...args))).pipe(
      onUniqueViolation("messages_pkey", () => answeredElsewhere),
      withoutSqlErrors,
    )
}
