import { Context, Effect, Layer, type Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Message, SenderType, Session, UserInfo } from "../domain/chat/Conversation.ts"
import { NotFound, type Unavailable } from "../domain/Errors.ts"
import type { ChatbotId, MessageId, SessionId } from "../domain/Ids.ts"
import { offset, type Page } from "../domain/Page.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { timestamp } from "../domain/schema/Timestamp.ts"
import { messageColumns, type MessageRow, sessionNamed, toMessage } from "./Messages.ts"
import { onForeignKeyViolation, withoutSqlErrors } from "./sql/SqlErrors.ts"
import { json } from "./sql/SqlValues.ts"
import { withoutTimeLimit } from "./sql/TimeLimit.ts"
import { type Spent, usageEntries } from "./Usage.ts"

/** What a client says, or says that was said before. */
export interface NewMessage {
  readonly id: MessageId
  readonly sender_type: SenderType
  readonly content: string
  /** Id that the client gave it. */
  readonly mid: string | undefined
}

/** A reply, with what it cost. */
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
}

/** A message as history needs it. */
export interface Said {
  readonly id: MessageId
  readonly sender_type: SenderType
  readonly content: string
  readonly model: string | null
  /** Of replies only. */
  readonly finish_reason: string | null
  /** Id that the client gave it. */
  readonly mid: string | null
}

/** What was said about the user's e-mail address. */
export interface Told {
  readonly email: string | undefined
  readonly mayAskAgain: boolean
}

/** An open session, as a chat finds it. */
export interface OpenSession {
  readonly id: SessionId
  readonly user_info: UserInfo
  /** Whether the chatbot may still ask for the user's e-mail address. */
  readonly may_ask_email: boolean
  /** What was said last, ascending. */
  readonly history: ReadonlyArray<Said>
}

/** Whom a chat talks to: an existing session, or one to be opened. */
export interface SessionTarget {
  readonly id: SessionId
  readonly token: string | null
  readonly platform: string
}

/** How much of a session is read: of what was said last, as much as fits all of these. */
export interface HistoryBounds {
  /** Messages. */
  readonly messages: number
  /** Bytes of their texts, as far as these are read. */
  readonly bytes: number
  /** Characters of one text, of which the rest is not read. */
  readonly characters: number
}

interface SessionRow extends Omit<Session, "created_at" | "updated_at"> {
  readonly created_at: Date
  readonly updated_at: Date
}

/** Statements that look for a session which others open at the same moment. */
const SAY_TRIES = 3

const sessionNotFound = new NotFound({ detail: "There is no such conversation." })
/**
 * The tables `sessions` and `messages`, always within the current organization. A session is named by its id or by the
 * token it was opened with.
 */
export class Conversations extends Context.Service<
  Conversations,
  {
    /** With what was said last, within the bounds. */
    readonly find: (
      chatbot: ChatbotId,
      name: string,
      bounds: HistoryBounds,
    ) => Effect.Effect<OpenSession | undefined, Unavailable, CurrentOrganization>
    /**
     * Stores what was said, and what it tells of the user, and opens the session where it is new. Returns the session's id.
     */
    readonly say: (
      chatbot: ChatbotId,
      session: SessionTarget,
      messages: ReadonlyArray<NewMessage>,
      told: Told | undefined,
    ) => Effect.Effect<SessionId, NotFound | Unavailable, CurrentOrganization>
    /**
     * Stores a reply, and counts what a model took for it. A session that was deleted meanwhile stays deleted; the
     * tokens are counted all the same. One that `isUnfinished` has been stored as far as it had got, see
     * `UnfinishedReplies`: it takes the place of that. Where that was taken for what a dead server left, and is a message
     * by now, the message becomes the whole reply, and what it took is not counted again.
     */
    readonly reply: (
      session: SessionId,
      message: BotMessage,
      spent?: Spent,
      isUnfinished?: boolean,
    ) => Effect.Effect<void, Unavailable, CurrentOrganization>
    readonly messages: (
      chatbot: ChatbotId,
      name: string,
      page: Page,
    ) => Effect.Effect<
      { readonly messages: ReadonlyArray<Message>; readonly total: number },
      NotFound | Unavailable,
      CurrentOrganization
    >
    /** Newest activity first. */
    readonly list: (
      chatbot: ChatbotId,
      page: Page,
    ) => Effect.Effect<
      { readonly sessions: ReadonlyArray<Session>; readonly total: number },
      Unavailable,
      CurrentOrganization
    >
    readonly get: (
      chatbot: ChatbotId,
      name: string,
    ) => Effect.Effect<Session, NotFound | Unavailable, CurrentOrganization>
    readonly remove: (
      chatbot: ChatbotId,
      name: string,
    ) => Effect.Effect<void, NotFound | Unavailable, CurrentOrganization>
  }
>()("parley/storage/Conversations") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const named = sessionNamed(sql)

      const find = Effect.fnUntraced(function* (chatbot: ChatbotId, name: string, bounds: HistoryBounds) {
        const organization = yield* CurrentOrganization
        // How long a text is, the database knows without reading it; what does not fit is never read.
        const [row] = yield* sql<OpenSession>`
          select s.id, s.user_info, s.may_ask_email, coalesce((
            select jsonb_agg(jsonb_build_object('id', id, 'sender_type', sender_type,
              'content', left(content, ${bounds.characters}::int), 'model', model, 'finish_reason', finish_reason, 'mid', metadata->>'mid')
              order by created_at, id)
            from (
              select id, sender_type, content, model, finish_reason, metadata, created_at,
                sum(least(octet_length(content), ${bounds.characters}::int))
                  over (order by created_at desc, id desc rows unbounded preceding) as bytes
              from messages
              where session_id = s.id and organization_id = ${organization}
              order by created_at desc, id desc limit ${bounds.messages}
            ) last where bytes <= ${bounds.bytes}::int
          ), '[]') as history
          from sessions s where ${named(chatbot, name, organization)}`
        return row
      }, withoutSqlErrors)

      const say = Effect.fnUntraced(
        function* (
          chatbot: ChatbotId,
          session: SessionTarget,
          messages: ReadonlyArray<NewMessage>,
          told: Told | undefined,
        ) {
          const userInfo = json(told?.email === undefined ? {} : { email: told.email })
          const mayAsk = told?.mayAskAgain ?? true
          const organization_id = yield* CurrentOrganization
          const said = messages.map(({ id, sender_type, content, mid }) => ({
            id,
            sender_type,
            content,
            metadata: mid === undefined ? {} : { mid },
          }))
          const statement = sql<{ id: SessionId }>`
            with session as (
              -- A foreign key does not ask whose the chatbot is.
              insert into sessions
                (id, organization_id, chatbot_id, session_token, platform, message_count, user_info, may_ask_email)
              select ${session.id}::uuid, organization_id, id, ${session.token}::text, ${session.platform}::text,
                ${said.length}::int, ${userInfo}, ${mayAsk}
              from chatbots where id = ${chatbot} and organization_id = ${organization_id}
              -- Both constraints that an existing session can meet: its id, and its token.
              on conflict do nothing
              returning id
            ), existing as (
              update sessions set message_count = message_count + ${said.length}, updated_at = clock_timestamp(),
                user_info = user_info || ${userInfo}, may_ask_email = may_ask_email and ${mayAsk}
              where organization_id = ${organization_id} and chatbot_id = ${chatbot}
                and (id = ${session.id} or session_token = ${session.token}::text)
                and not exists (select from session)
              returning id
            ), target as (
              select id from session union all select id from existing
            ), stored as (
              insert into messages (id, organization_id, session_id, sender_type, content, metadata)
              select m.id, ${organization_id}::uuid, target.id, m.sender_type, m.content, m.metadata
              from target, rows from (jsonb_to_recordset(${json(said)})
                as (id uuid, sender_type text, content text, metadata jsonb)) with ordinality
                as m(id, sender_type, content, metadata, position)
              order by m.position
            )
            select id from target`
          let [found] = yield* statement
          // Another request opened the session after this statement began: the next one sees it.
          for (let tries = 1; found === undefined && tries < SAY_TRIES; tries++) [found] = yield* statement
          return found === undefined ? yield* sessionNotFound : found.id
        },
        onForeignKeyViolation(() => new NotFound({ detail: "There is no such chatbot." })),
        withoutSqlErrors,
      )

      const reply = Effect.fnUntraced(function* (
        session: SessionId,
        message: BotMessage,
        spent?: Spent,
        isUnfinished = false,
      ) {
        const organization = yield* CurrentOrganization
        const isKnown = isUnfinished ? sql`exists (select from known)` : undefined
        const counted =
          spent && sql`, counted as (${usageEntries(sql, organization, message.id, spent, message, isKnown)})`
        const before = sql`
          known as (
            select id from messages where id = ${message.id} and organization_id = ${organization}
          ), taken_out as (
            delete from unfinished_replies where message_id = ${message.id} and organization_id = ${organization}
          ),`
        yield* sql`
          with ${isUnfinished ? before : sql``} session as (
            update sessions set updated_at = clock_timestamp(),
              message_count = message_count + ${isKnown === undefined ? sql`1` : sql`(not ${isKnown})::int`}
            where id = ${session} and organization_id = ${organization} returning id
          ) ${counted ?? sql``}
          insert into messages (id, organization_id, session_id, sender_type, content, model, provider, tokens_used,
            usage, finish_reason, tool_calls, tool_results)
          select ${message.id}::uuid, ${organization}::uuid, id, 'bot', ${message.content}::text, ${message.model}::text,
            ${message.provider}::text, ${message.tokens_used}::int, ${json(message.usage)}, ${message.finish_reason}::text,
            ${json(message.tool_calls)}, ${json(message.tool_results)}
          from session ${isUnfinished ? replacing : sql``}`
      }, withoutSqlErrors)

      const replacing = sql`on conflict (id) do update set content = excluded.content, model = excluded.model,
        provider = excluded.provider, tokens_used = excluded.tokens_used, usage = excluded.usage,
        finish_reason = excluded.finish_reason, tool_calls = excluded.tool_calls, tool_results = excluded.tool_results`

      const messages = Effect.fnUntraced(function* (chatbot: ChatbotId, name: string, page: Page) {
        const organization = yield* CurrentOrganization
        // The session comes back even when the page is empty: then without a message.
        const rows = yield* sql<{ readonly total: number; readonly message: MessageRow["id"] | null } & MessageRow>`
          select s.message_count as total, m.*
          from sessions s left join lateral (
            select ${sql.literal(messageColumns)} from messages where session_id = s.id and organization_id = ${organization}
            order by created_at, id limit ${page.limit} offset ${offset(page)}
          ) m on true
          where ${named(chatbot, name, organization)} order by m.created_at, m.id`
        const [first] = rows
        if (first === undefined) return yield* sessionNotFound
        return {
          total: first.total,
          messages: rows.flatMap((row) => (row.id === null ? [] : [toMessage(row)])),
        }
      }, withoutSqlErrors)

      const sessionColumns = sql.literal(`s.id, s.chatbot_id, s.session_token, s.platform, s.state, s.user_info,
        s.message_count, s.created_at, s.updated_at, (
          select jsonb_build_object('id', m.id, 'content', m.content, 'sender_type', m.sender_type)
          from messages m where m.session_id = s.id and m.organization_id = s.organization_id
          order by m.created_at desc, m.id desc limit 1
        ) as last_message`)

      const list = Effect.fnUntraced(function* (chatbot: ChatbotId, page: Page) {
        const organization = yield* CurrentOrganization
        const own = sql`s.chatbot_id = ${chatbot} and s.organization_id = ${organization}`
        // What comes before the page is passed over in the index alone. The total comes back even when the page is empty.
        const rows = yield* sql<{ readonly total: number } & (SessionRow | { readonly id: null })>`
          with page as (
            select s.id, s.updated_at from sessions s where ${own}
            order by s.updated_at desc, s.id desc limit ${page.limit} offset ${offset(page)}
          )
          select counted.total, ${sessionColumns}
          from (select count(*)::int as total from sessions s where ${own}) counted
          left join (page join sessions s on s.id = page.id and ${own}) on true
          order by page.updated_at desc, page.id desc`
        return {
          sessions: rows.flatMap(({ total: _, ...row }) => (row.id === null ? [] : [toSession(row)])),
          total: rows[0]?.total ?? 0,
        }
      }, withoutSqlErrors)

      const get = Effect.fnUntraced(function* (chatbot: ChatbotId, name: string) {
        const organization = yield* CurrentOrganization
        const [row] = yield* sql<SessionRow>`
          select ${sessionColumns} from sessions s where ${named(chatbot, name, organization)}`
        return row === undefined ? yield* sessionNotFound : toSession(row)
      }, withoutSqlErrors)

      const remove = Effect.fnUntraced(
        function* (chatbot: ChatbotId, name: string) {
          const organization = yield* CurrentOrganization
          const gone = yield* sql`delete from sessions s where ${named(chatbot, name, organization)} returning s.id`
          if (gone.length === 0) return yield* sessionNotFound
        },
        withoutTimeLimit,
        withoutSqlErrors,
      )

      return { find, say, reply, messages, list, get, remove }
    }),
  )
}

const toSession = (row: SessionRow): Session => ({
  ...row,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})
