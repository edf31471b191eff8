import { SystemSql } from "../sql/Database.ts"
import { handBack } from "../conversations/Handovers.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { Service } from "../../domain/Service.ts"

const RETURNED_AT_ONCE = 100

/** Conversations of people, of all organizations, in which nothing has happened for as long as their chatbots allow. */
export class Returns extends Service<Returns>()("parley/storage/inbox/Returns", function* () {
  const sql = yield* SystemSql

  return {
    /** Deletes the signs of presence that hold no longer. */
    forgetPresence: withoutSqlErrors(sql`delete from conversation_presence where until < now() - interval '1 minute'`),

    /** Hands some of them back to the bot, and returns their number. */
    returnSome: withoutSqlErrors(
      handBack(sql, "silence", {
        sessions: sql`
            select s.id
            from sessions s join chatbots c on c.id = s.chatbot_id
            where s.owner = 'people' and s.updated_at
              < now() - (c.settings->'handover'->>'returnAfterMinutes')::int * interval '1 minute'
            -- What somebody writes at this moment is looked at again once it is stored.
            limit ${RETURNED_AT_ONCE} for update of s skip locked`,
      }),
    ),
  }
}) {}
