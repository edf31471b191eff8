import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { SystemSql } from "../../../src/storage/sql/Database.ts"
import { faultsOfEvents, type ReceivedEvent } from "./Receiver.ts"
import type { Clients, KnownDocument, TalkedConversation } from "./Clients.ts"

interface StoredConversation {
  readonly id: string
  readonly name: string
  readonly message_count: number
  readonly messages: ReadonlyArray<{
    readonly id: string
    readonly from: string
    readonly content: string
    readonly finish: string | null
  }>
}

interface StoredDocument {
  readonly id: string
  readonly name: string
  readonly sha256: string
  readonly status: string
  readonly chunk_count: number
  readonly chunks: number
  readonly revision: number
}

/** Compares a database, after all is settled and swept, with what clients know. Returns what is wrong, a line each. */
export const faultsOf = (sql: SystemSql["Service"], clients: Clients, events: ReadonlyArray<ReceivedEvent>) =>
  Effect.gen(function* () {
    const conversations = yield* sql<StoredConversation>`
      select s.id, s.session_token as name, s.message_count, (
        select coalesce(json_agg(json_build_object('id', id, 'from', sender_type, 'content', content, 'finish', finish_reason)
          order by created_at, id), '[]') from messages m where m.session_id = s.id
      ) as messages
      from sessions s`
    const documents = yield* sql<StoredDocument>`
      select d.id, d.name, sha256, status, chunk_count, d.revision, count(c.id)::int as chunks
      from documents d left join chunks c on c.document_id = d.id and c.revision = d.revision group by d.id`
    const leftovers = yield* sql<{ readonly what: string; readonly count: number }>`
      select 'chunks of revisions that do not serve' as what, count(*)::int from chunks c
        where not exists (select from documents d where d.id = c.document_id and d.revision = c.revision)
      union all select 'ingestions', count(*)::int from ingestions
      union all select 'replies under way', count(*)::int from unfinished_replies
      union all select 'reservations of chats', count(*)::int from chat_reservations
      union all select 'idempotency keys without an answer', count(*)::int from idempotency_keys where status is null
      union all select 'documents that are counted wrongly', abs(coalesce(sum(documents), 0)
          - (select count(*) from documents))::int
        from (select documents from holdings union all select documents from holding_entries) h
      union all select 'chunks that are counted wrongly', abs(coalesce(sum(chunks), 0)
          - (select sum(chunk_count) from documents))::int
        from (select chunks from holdings union all select chunks from holding_entries) h
      union all select 'conversations that are counted wrongly', abs(coalesce(sum(conversations), 0)
          - (select count(*) from sessions))::int
        from (select conversations from holdings union all select conversations from holding_entries) h
      union all select 'deliveries to webhooks that wait or have failed', count(*)::int from webhook_deliveries
        where state in ('waiting', 'failed')
      union all select 'replies without their usage', count(*)::int from messages m
        where sender_type = 'bot' and not exists (select from usage_entries u where u.message_id = m.id)
          and not exists (select from usage_days)`
    return [
      ...conversationFaults(conversations, clients.conversations),
      ...documentFaults(documents, clients.documents),
      ...faultsOfEvents(events, {
        conversations,
        documents,
      }),
      ...leftovers.filter(({ count }) => count > 0).map(({ count, what }) => `${count} ${what}`),
    ]
  })

/** Every acknowledged turn is there once and in its order. One that was not acknowledged may be there as well, once. */
const conversationFaults = (
  stored: ReadonlyArray<StoredConversation>,
  known: ReadonlyArray<TalkedConversation>,
): ReadonlyArray<string> => {
  const byName = Map.groupBy(stored, ({ name }) => name)
  return known.flatMap(({ isKeyed, name, turns }) => {
    const found = byName.get(name) ?? []
    const [conversation] = found
    if (found.length > 1) return [`${name} is there ${found.length} times`]
    if (conversation === undefined) return turns.some(({ answer }) => answer !== undefined) ? [`${name} is lost`] : []
    const { message_count, messages } = conversation
    const acknowledged = turns.filter(({ answer }) => answer !== undefined)
    const expected = acknowledged.flatMap(({ answer, question }) => [`user: ${question}`, `bot: ${answer}`])
    const actual = messages.map(({ content, from }) => `${from}: ${content}`)
    const rest = actual.slice(expected.length)
    const last = turns.at(-1)
    const mayHaveMore = last?.answer === undefined && rest.length <= 2 && rest[0] === `user: ${last?.question}`
    const isRight =
      Bun.deepEquals(actual.slice(0, expected.length), expected) && (rest.length === 0 || (!isKeyed && mayHaveMore))
    const shorten = (lines: ReadonlyArray<string>) => lines.map((line) => line.slice(0, 40)).join(" | ")
    return [
      ...(isRight ? [] : [`${name} has ${shorten(actual)} and not ${shorten(expected)}`]),
      ...(message_count === messages.length ? [] : [`${name} counts ${message_count} messages of ${messages.length}`]),
      ...(isKeyed && messages.some(({ finish }) => finish === "aborted" || finish === "error")
        ? [`${name} has a reply that was cut off`]
        : []),
    ]
  })
}

/** Every document has the content that was acknowledged last, whole and ready, and there is no other. */
const documentFaults = (
  stored: ReadonlyArray<StoredDocument>,
  known: ReadonlyArray<KnownDocument>,
): ReadonlyArray<string> => {
  const left = new Map(stored.map((document) => [document.id, document]))
  const faults = known.flatMap(({ content, id, isDeleted, name }) => {
    const document = left.get(id)
    left.delete(id)
    if (document === undefined) return isDeleted ? [] : [`${name} is lost`]
    if (isDeleted) return [`${name} is there although it was deleted`]
    const hash = createHash("sha256").update(content).digest("hex")
    const isWhole = document.chunks === document.chunk_count && document.chunks > 0
    return document.sha256 === hash && document.status === "ready" && isWhole
      ? []
      : [`${name} is ${document.status} with ${document.chunks} chunks of ${document.chunk_count}, or is old`]
  })
  return [...faults, ...Array.from(left.values(), ({ name }) => `${name} is there twice, or was never acknowledged`)]
}
