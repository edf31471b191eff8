import type { SqlClient, Statement } from "effect/sql"
import { version } from "../../../package.json" with { type: "json" }
import type { ReplySearch, ChatbotSetup } from "../../domain/chat/ReplyGround.ts"
import type { ChatbotId, MessageId, OrganizationId } from "../../domain/Ids.ts"
import { LIKELY_SIMILARITY } from "../../domain/knowledge/Passage.ts"
import { json } from "../sql/SqlValues.ts"

/** The settings by which a chatbot answers, as the table `chatbot_setups` has them. */
export interface StoredSetup {
  /** Names them: the same settings have the same hash. */
  readonly hash: string
  readonly setup: ChatbotSetup
}

/** What a reply rests on, as the table `reply_grounds` has it. */
export interface ReplyGround {
  readonly chatbotId: ChatbotId
  readonly question: string | null
  readonly similarity: number | null
  /** Undefined where it is not kept. */
  readonly kept: { readonly searches: ReadonlyArray<ReplySearch>; readonly setup: StoredSetup } | undefined
}

/**
 * Why a reply that is not rated down shows a gap of the knowledge, for a statement that has the columns `unanswered` of
 * its message, and `question` and `similarity` of its ground.
 */
export const GAP = `case when unanswered then 'unanswered'
  when question is not null and coalesce(similarity, 0) < ${LIKELY_SIMILARITY} then 'weak' end`

/**
 * Makes the parts of a statement that store what a reply rests on, in the session that the statement has found and that
 * meets the condition. One row is left of several attempts at a reply.
 */
export const makeGrounding =
  (sql: SqlClient.SqlClient) =>
  (
    organization: OrganizationId,
    { id, unanswered }: { readonly id: MessageId; readonly unanswered: boolean },
    { chatbotId, kept, question, similarity }: ReplyGround,
    condition: Statement.Fragment,
  ) =>
    sql`${
      kept === undefined
        ? sql``
        : sql`, setup as (
        insert into chatbot_setups (chatbot_id, setup_hash, organization_id, setup)
        select ${chatbotId}::uuid, ${kept.setup.hash}::text, ${organization}::uuid, ${json(kept.setup.setup)} from session
        on conflict do nothing
      )`
    }, ground as (
      insert into reply_grounds
        (message_id, organization_id, chatbot_id, question, similarity, gap, searches, setup_hash, server_version)
      select ${id}::uuid, ${organization}::uuid, ${chatbotId}::uuid, question, similarity, ${sql.literal(GAP)},
        ${json(kept?.searches ?? null)}, ${kept?.setup.hash ?? null}::text, ${kept === undefined ? null : version}::text
      from session, (
        select ${question}::text as question, ${similarity}::real as similarity, ${unanswered}::boolean as unanswered
      ) facts
      where ${condition}
      on conflict (message_id) do update set question = excluded.question, similarity = excluded.similarity,
        gap = case reply_grounds.gap when 'rated_down' then 'rated_down' else excluded.gap end,
        searches = excluded.searches, setup_hash = excluded.setup_hash, server_version = excluded.server_version
    )`
