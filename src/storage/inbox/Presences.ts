import { Duration, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SessionName } from "../../domain/chat/SessionToken.ts"
import type { ChatbotId, PersonId } from "../../domain/Ids.ts"
import { Presence } from "../../domain/inbox/Handover.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { sessionNamed, sessionNotFound } from "../conversations/Messages.ts"
import { TimestampColumn, decodeRowOr } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { interval } from "../sql/SqlValues.ts"

/** Time for which a sign of presence holds. */
const HOLDS = Duration.seconds(10)

/**
 * An expression for the presence in the session `s`, as a JSON array of `Presence`. The cast is made before people are
 * looked for: row-level security lets no index serve a comparison with one that may fail.
 */
export const presenceIn = `coalesce((
  select jsonb_agg(jsonb_build_object('who', p.who, 'state', p.state,
    'name', (select name from people where people.id = p.person)) order by p.who)
  from (
    select who, state, nullif(who, 'visitor')::uuid as person from conversation_presence
    where session_id = s.id and organization_id = s.organization_id and until > clock_timestamp() offset 0
  ) p
), '[]')`

const decodePresences = decodeRowOr(
  Schema.Struct({
    presence: Schema.Array(Presence),
    visitor_read_at: Schema.NullOr(TimestampColumn),
    people_read_at: Schema.NullOr(TimestampColumn),
  }),
  sessionNotFound,
)

/** Who is in a conversation at the moment, and up to when the visitor and people have read it. */
export class Presences extends Service<Presences>()("parley/storage/inbox/Presences", function* () {
  const sql = yield* SqlClient.SqlClient
  const named = sessionNamed(sql)

  return {
    /** Stores what somebody does in a session, and up to when they have read; returns everybody who is there. */
    set: Effect.fnUntraced(function* (
      chatbot: ChatbotId,
      name: SessionName,
      who: PersonId | "visitor",
      state: Presence["state"] | "away",
      readTo: Date | undefined,
    ) {
      const organization = yield* CurrentOrganization
      const own = sql`from sessions s where ${named(chatbot, name, organization)}`
      if (readTo !== undefined) {
        const column = sql.literal(who === "visitor" ? "visitor_read_at" : "people_read_at")
        const read = sql`least(${readTo}::timestamptz, clock_timestamp())`
        yield* sql`update sessions s set ${column} = ${read}
          where ${named(chatbot, name, organization)} and (${column} is null or ${column} < ${read})`
      }
      yield* state === "away"
        ? sql`delete from conversation_presence where who = ${who} and organization_id = ${organization}
            and session_id = (select s.id ${own})`
        : sql`insert into conversation_presence (session_id, organization_id, who, state, until)
            select s.id, s.organization_id, ${who}::text, ${state}::text, clock_timestamp() + ${interval(HOLDS)} ${own}
            on conflict (session_id, who) do update set state = excluded.state, until = excluded.until`
      return yield* decodePresences(sql`
        select s.visitor_read_at, s.people_read_at, ${sql.literal(presenceIn)} as presence ${own}`)
    }, withoutSqlErrors),
  }
}) {}
