import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SessionName } from "../../domain/chat/SessionToken.ts"
import type { ChatbotId, MessageId } from "../../domain/Ids.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Spoken } from "../../domain/voice/Heard.ts"
import { Service } from "../../domain/Service.ts"
import { decodeRow } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { json } from "../sql/SqlValues.ts"
import { sessionNamed } from "./Messages.ts"

const decodeReply = decodeRow(Schema.Struct({ content: Schema.String, voice: Schema.NullOr(Spoken) }))

/** The column `voice` of the table `messages`: how far the speech of a reply had come. */
export class SpokenReplies extends Service<SpokenReplies>()("parley/storage/conversations/SpokenReplies", function* () {
  const sql = yield* SqlClient.SqlClient

  return {
    /** Finds a reply of a conversation; undefined where there is none, or none yet. */
    find: Effect.fnUntraced(function* (chatbot: ChatbotId, name: SessionName, reply: MessageId) {
      const organization = yield* CurrentOrganization
      return yield* decodeReply(sql`
        select m.content, m.voice from sessions s join messages m on m.session_id = s.id
        where m.id = ${reply} and m.organization_id = ${organization} and m.sender_type = 'bot'
          and ${sessionNamed(sql)(chatbot, name, organization)}`)
    }, withoutSqlErrors),

    /** Stores how far the speech of a reply had come. Of a reply of which nothing was stored, nothing is. */
    mark: Effect.fnUntraced(function* (reply: MessageId, spoken: Spoken) {
      yield* sql`update messages set voice = ${json(spoken)}
        where id = ${reply} and organization_id = ${yield* CurrentOrganization}`
    }, withoutSqlErrors),

    /** Cuts a reply to its beginning, as if it had been stopped there. */
    cut: Effect.fnUntraced(function* (reply: MessageId, content: string, spoken: Spoken) {
      yield* sql`update messages set content = ${content}, finish_reason = 'aborted', voice = ${json(spoken)},
          unsupported = (select jsonb_agg(u) from jsonb_array_elements(unsupported) u where (u->>'end')::int <= ${content.length})
        where id = ${reply} and organization_id = ${yield* CurrentOrganization}`
    }, withoutSqlErrors),
  }
}) {}
