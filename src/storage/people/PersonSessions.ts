import { type Duration, Effect, Schema, Scope as FiberScope } from "effect"
import { ClientAddress } from "../../domain/ClientAddress.ts"
import { NotFound } from "../../domain/Errors.ts"
import { OrganizationId, PersonId } from "../../domain/Ids.ts"
import { Budget } from "../../domain/organizations/Budget.ts"
import { PersonSession } from "../../domain/people/Person.ts"
import { PersonRole } from "../../domain/people/Role.ts"
import { Service } from "../../domain/Service.ts"
import { Auditing } from "../audit/Auditing.ts"
import { decodeRows, TimestampColumn, decodeRow } from "../Rows.ts"
import { SystemSql } from "../sql/Database.ts"
import { committing, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { interval, json } from "../sql/SqlValues.ts"
import { ALL_ROLES } from "./People.ts"

/** The longest name of a browser that is kept. */
const USER_AGENT_MAX_LENGTH = 500

export interface NewSession {
  readonly id: string
  readonly person: PersonId
  readonly organization: OrganizationId
  /** SHA-256 of its secret. */
  readonly hash: Uint8Array
  readonly lifetime: Duration.Duration
  readonly userAgent: string | undefined
  /** The provider that has signed the person in, with what it gave, encrypted; absent for a passkey. */
  readonly provider?: { readonly id: string; readonly tokens: Schema.Json } | undefined
}

/** A session with what the server needs to know to admit a request. */
const LiveSession = Schema.Struct({
  id: Schema.String,
  organization_id: OrganizationId,
  person: Schema.Struct({ id: PersonId, name: Schema.String, avatar: Schema.NullOr(Schema.String) }),
  roles: Schema.Array(PersonRole),
  /** The version of the person, which changes with the roles. */
  version: Schema.String,
  is_operator: Schema.Boolean,
  /** Milliseconds until it expires. */
  expires_in: Schema.Finite,
  budgets: Schema.Struct({ organization: Budget, key: Budget }),
  /** Whether its use was not written for a minute, and can be. */
  stale: Schema.Boolean,
})
export type LiveSession = typeof LiveSession.Type

const sessionNotFound = new NotFound({ detail: "The person has no such session." })

const decodeLive = decodeRow(LiveSession)
const decodeShown = decodeRows(
  PersonSession.mapFields(({ is_current: _, ...fields }) => ({
    ...fields,
    created_at: TimestampColumn,
    last_used_at: TimestampColumn,
    expires_at: TimestampColumn,
  })),
)
const decodeEnded = decodeRow(
  Schema.Struct({ organization_id: OrganizationId, person_id: PersonId, tokens: Schema.NullOr(Schema.Json) }),
)

/** The table `person_sessions`, of all organizations: which one a request belongs to is known once its session is found. */
export class PersonSessions extends Service<PersonSessions>()("parley/storage/people/PersonSessions", function* () {
  const sql = yield* SystemSql
  const auditing = yield* Auditing
  const scope = yield* FiberScope.Scope
  const returning = sql.literal("returning organization_id, person_id, tokens")

  /** Writes that a session and its person were there, at most once a minute: nobody waits for it. */
  const recordUse = ({ id, person }: LiveSession) =>
    sql`
      with used as (
        update person_sessions set last_used_at = now()
        where id = ${id} and last_used_at < now() - interval '1 minute' returning id
      )
      update people set last_seen_at = now() where id = ${person.id} and exists (select from used)`.pipe(
      withoutSqlErrors,
      Effect.ignore,
      Effect.forkIn(scope),
    )

  return {
    /** Finds the session with this hash, of a person who was not removed. That it was used is written apart, soon after. */
    findLive: Effect.fnUntraced(function* (hash: Uint8Array) {
      const row = yield* decodeLive(sql`
        select s.id, s.organization_id, jsonb_build_object('id', p.id, 'name', p.name, 'avatar', p.avatar) as person,
          ${sql.literal(ALL_ROLES)} as roles, p.version::text as version, o.is_operator,
          (extract(epoch from s.expires_at - now()) * 1000)::float8 as expires_in,
          jsonb_build_object('organization', o.budget, 'key', k.budget) as budgets,
          s.last_used_at < now() - interval '1 minute'
            and not current_setting('transaction_read_only')::boolean as stale
        from person_sessions s
          join people p on p.id = s.person_id and p.organization_id = s.organization_id and p.state = 'active'
          join api_keys k on k.id = p.id and k.revoked_at is null
          join organizations o on o.id = s.organization_id and o.deleted_at is null
        where s.token_hash = ${hash} and s.expires_at > now()`)
      if (row?.stale === true) yield* recordUse(row)
      return row
    }, withoutSqlErrors),

    /** Begins a session, which makes an entry in the audit log. */
    insert: Effect.fnUntraced(function* (session: NewSession) {
      const { hash, id, lifetime, organization, person, provider, userAgent } = session
      const address = yield* ClientAddress
      yield* sql`
        insert into person_sessions (id, person_id, organization_id, token_hash, provider_id, tokens, expires_at, address, user_agent)
        values (${id}, ${person}, ${organization}, ${hash}, ${provider?.id ?? null}::uuid, ${json(provider?.tokens ?? null)}::jsonb,
          now() + ${interval(lifetime)}, ${address ?? null}::text,
          ${userAgent?.slice(0, USER_AGENT_MAX_LENGTH) ?? null}::text)`
      yield* sql`update people set last_seen_at = now() where id = ${person}`
      yield* auditing.record(sql, { organization, action: "person.signed_in", target: person, person })
    }, committing(sql)),

    /** Lists the sessions of a person that have not expired, the latest use first. */
    list: Effect.fnUntraced(function* (person: PersonId) {
      return yield* decodeShown(sql`
        select id, created_at, last_used_at, expires_at, address, user_agent from person_sessions
        where person_id = ${person} and expires_at > now() order by last_used_at desc, id desc`)
    }, withoutSqlErrors),

    remove: Effect.fnUntraced(function* (person: PersonId, id: string) {
      const ended = yield* decodeEnded(sql`
        delete from person_sessions where id = ${id} and person_id = ${person} ${returning}`)
      if (ended === undefined) return yield* sessionNotFound
      yield* auditing.record(sql, {
        organization: ended.organization_id,
        action: "person.session_ended",
        target: person,
      })
    }, committing(sql)),

    /** Ends the session with this hash. Returns it; undefined where there is none. */
    end: Effect.fnUntraced(function* (hash: Uint8Array) {
      const gone = yield* decodeEnded(sql`delete from person_sessions where token_hash = ${hash} ${returning}`)
      if (gone === undefined) return undefined
      const { organization_id: organization, person_id: person } = gone
      yield* auditing.record(sql, { organization, action: "person.session_ended", target: person, person })
      return gone
    }, committing(sql)),

    /** Deletes what has expired: sessions, and attempts to sign in. */
    forget: withoutSqlErrors(
      Effect.andThen(
        sql`delete from person_sessions where expires_at < now()`,
        sql`delete from sign_in_attempts where expires_at < now()`,
      ),
    ),
  }
}) {}
