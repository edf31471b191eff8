import { Duration, Effect } from "effect"
import type { ChatbotId, OrganizationId } from "../../src/domain/Ids.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"

/** A question that a chatbot has searched for, or one with what the reply shows. */
export type Asked =
  | string
  | { readonly question: string; readonly gap?: string; readonly up?: boolean; readonly age?: Duration.Duration }

/** Adds a conversation for each question, with the reply's row of `reply_grounds`, as chats store them. */
export const asked = Effect.fnUntraced(function* (
  { chatbot, organization }: { readonly organization: OrganizationId; readonly chatbot: ChatbotId },
  questions: ReadonlyArray<Asked>,
) {
  const sql = yield* SystemSql
  for (const one of questions) {
    const { age = Duration.zero, gap = null, question, up = false } = typeof one === "string" ? { question: one } : one
    // In the order of the questions, as the server makes them: several may be stored within a millisecond.
    const [session, reply] = [Bun.randomUUIDv7(), Bun.randomUUIDv7()]
    const searches = JSON.stringify([
      {
        query: question,
        passages: [
          { document_id: chatbot, title: "Far", chunk: 1, revision: 1, similarity: 0.1 },
          { document_id: chatbot, title: "Near", chunk: 2, revision: 1, similarity: 0.4 },
        ],
      },
    ])
    yield* sql`
      with session as (
        insert into sessions (id, organization_id, chatbot_id, platform, message_count)
        values (${session}, ${organization}, ${chatbot}, 'web', 2) returning id
      ), reply as (
        insert into messages (id, organization_id, session_id, sender_type, content)
        select ${reply}::uuid, ${organization}::uuid, id, 'bot', 'So.' from session returning id
      )
      insert into reply_grounds (message_id, organization_id, chatbot_id, question, similarity, gap, is_rated_up, searches, created_at)
      select id, ${organization}::uuid, ${chatbot}::uuid, ${question}::text, 0.4, ${gap}::text, ${up}::boolean, ${searches}::text::jsonb,
        clock_timestamp() - ${Duration.toMillis(age)}::float8 * interval '1 millisecond' from reply`
  }
})
