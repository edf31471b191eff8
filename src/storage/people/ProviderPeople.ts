import { Duration, Effect, Redacted, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { ChatbotId, OrganizationId, PersonId } from "../../domain/Ids.ts"
import type { PersonRole } from "../../domain/people/Role.ts"
import type { SignInFailureCode } from "../../domain/people/SignInFailure.ts"
import { SignInProviderId } from "../../domain/people/SignInProvider.ts"
import { Actor } from "../../domain/audit/Actor.ts"
import { Secrets } from "../../system/Secrets.ts"
import { decodeRows, decodeRow } from "../Rows.ts"
import { SystemSql } from "../sql/Database.ts"
import { openSecret, sealSecret } from "../sql/SealedRows.ts"
import { committing, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { interval, json, uuids } from "../sql/SqlValues.ts"
import { insertKey, People } from "./People.ts"
import { Auditing } from "../audit/Auditing.ts"
import { SignIns } from "./SignIns.ts"
import type { Statement } from "effect/sql"
import type { Profile } from "../../domain/people/Person.ts"
import { Service } from "../../domain/Service.ts"

/** Least time between two attempts to check a session whose provider does not answer. */
const RETRY = Duration.minutes(1)
/** A session ends when it could not be checked for this many times the interval of checks. */
const INTERVALS_MAX = 4
/** Bytes of the hash of a person's key, which no secret has. */
const KEY_HASH_BYTES = 32

/** What a provider says about somebody who signs in there. */
export interface Arrival extends Profile {
  readonly organization: OrganizationId
  readonly roles: ReadonlyArray<PersonRole>
  /** SHA-256 of the secret of the invitation that is accepted; undefined for none. */
  readonly invitation: Uint8Array | undefined
}

type Refusal = Extract<SignInFailureCode, "invitation" | "no_role" | "removed">

/** What it takes to ask the provider again, and to sign out there. */
export const ProviderTokens = Schema.Struct({
  /** Where the provider sends browsers back to. */
  redirectUri: Schema.String,
  refresh: Schema.optional(Schema.String),
  signOut: Schema.optional(Schema.String),
})
export type ProviderTokens = typeof ProviderTokens.Type

/** The tokens as a row has them: in plain text, or encrypted, in base64. */
const StoredTokens = Schema.Struct({
  secret: Schema.NullOr(Schema.String),
  sealed: Schema.NullOr(Schema.Uint8ArrayFromBase64),
  sealed_by: Schema.NullOr(Schema.String),
})

const decodeIds = decodeRows(Schema.Struct({ id: ChatbotId }))

/** A person, for whom the tokens of a session are encrypted. */
interface TokensOwner {
  readonly person_id: string
  readonly organization_id: string
}

/** The row of a session with its tokens, which only one by a provider has. */
export interface TokensRow extends TokensOwner {
  readonly tokens: Schema.Json
}

const DueRow = Schema.Struct({
  id: Schema.String,
  organization_id: OrganizationId,
  person_id: PersonId,
  provider_id: SignInProviderId,
  subject: Schema.String,
  /** Whether the latest successful check is so old that the session ends unless this one succeeds. */
  is_overdue: Schema.Boolean,
  tokens: Schema.NullOr(Schema.Json),
})

/** A session that is to be checked with its provider. */
export interface DueSession extends Omit<typeof DueRow.Type, "tokens"> {
  /** Undefined where there are none, or they cannot be decrypted. */
  readonly tokens: ProviderTokens | undefined
}

const decodePerson = decodeRow(
  Schema.Struct({ id: PersonId, state: Schema.String, issuer: Schema.NullOr(Schema.String) }),
)
const decodeDue = decodeRows(DueRow)
const TokensText = Schema.fromJsonString(ProviderTokens)
const encodeTokens = Schema.encodeEffect(TokensText)
const decodeTokens = Schema.decodeEffect(TokensText)
const encodeStored = Schema.encodeEffect(StoredTokens)
const decodeStored = Schema.decodeUnknownEffect(StoredTokens)

const nameOf = ({ name, subject }: Arrival): string => name ?? subject

const tokensPlace = ({ organization_id, person_id }: TokensOwner) => [
  "person_sessions.tokens",
  organization_id,
  person_id,
]

/** People as the providers that sign them in know them: by issuer and subject, never by an e-mail address. */
export class ProviderPeople extends Service<ProviderPeople>()("parley/storage/people/ProviderPeople", function* () {
  const sql = yield* SystemSql
  const secrets = yield* Secrets
  const random = yield* SecureRandom.SecureRandom
  const auditing = yield* Auditing
  const people = yield* People
  const signIns = yield* SignIns

  /** Encrypts the tokens of a session, if a key is configured. */
  const seal = Effect.fnUntraced(function* (session: TokensOwner, tokens: ProviderTokens) {
    const text = Redacted.make(yield* encodeTokens(tokens))
    return yield* encodeStored(yield* sealSecret(secrets, text, tokensPlace(session)))
  }, Effect.orDie)

  /** Undefined where there are none, or they cannot be decrypted: the person signs in again then. */
  const open = (session: TokensRow) =>
    decodeStored(session.tokens).pipe(
      Effect.flatMap((stored) => openSecret(secrets, stored, tokensPlace(session))),
      Effect.flatMap((text) => decodeTokens(Redacted.value(text))),
      Effect.orElseSucceed(() => undefined),
    )

  const find = (organization: OrganizationId, condition: Statement.Fragment) =>
    decodePerson(sql`
      select id, state, issuer from people where organization_id = ${organization} and ${condition} for update`)

  const insert = Effect.fnUntraced(function* (arrival: Arrival) {
    const { avatar, email, issuer, organization, subject } = arrival
    const id = PersonId.make(yield* random.uuidV7())
    const keyHash = yield* random.randomBytes(KEY_HASH_BYTES)
    const name = nameOf(arrival)
    yield* insertKey(sql, { id, keyHash, name, createdBy: null }, organization)
    yield* sql`
      insert into people (id, organization_id, name, email, avatar, state, issuer, subject)
      values (${id}, ${organization}, ${name}, ${email ?? null}, ${avatar ?? null}, 'active', ${issuer}, ${subject})`
    return id
  })

  /** The roles but those for chatbots that the organization has no more. */
  const existing = Effect.fnUntraced(function* (organization: OrganizationId, roles: ReadonlyArray<PersonRole>) {
    const named = roles.flatMap(({ chatbot_id }) => chatbot_id ?? [])
    const found = yield* decodeIds(sql`
      select id from chatbots where id = any(${uuids(named)}) and organization_id = ${organization} for key share`)
    const ids = new Set(found.map(({ id }) => id))
    return roles.filter(({ chatbot_id }) => chatbot_id === null || ids.has(chatbot_id))
  })

  /** Replaces the roles that claims give. Returns whether the person has any role. */
  const setRoles = Effect.fnUntraced(
    function* (person: PersonId, roles: ReadonlyArray<PersonRole>) {
      const after = yield* people.setClaimedRoles(person, roles)
      return after.roles.length + after.claimed_roles.length > 0
    },
    Effect.catchTag("NotFound", () => Effect.succeed(false)),
  )

  /** Says in the audit log why somebody may not sign in, whom a provider has named. */
  const refuse = (arrival: Arrival, code: Refusal, person?: PersonId) =>
    auditing
      .record(sql, {
        organization: arrival.organization,
        action: "sign_in.refused",
        ...(person && { target: person }),
        after: { reason: code, name: nameOf(arrival) },
      })
      .pipe(Effect.provideService(Actor, "anonymous"), Effect.as(Result.fail(code)))

  return {
    seal,
    open,

    /**
     * Finds who signs in, or adds them, with the roles that their claims give now. Refusals are values, because the
     * roles that somebody has no more are taken from them nevertheless.
     */
    arrive: Effect.fnUntraced(function* (arrival: Arrival) {
      const { invitation, issuer, organization, subject } = arrival
      // Of two sign-ins at once, one adds the person.
      yield* sql`select pg_advisory_xact_lock(hashtextextended(${`${issuer} ${subject}`}, 0))`
      const before = yield* find(organization, sql`issuer = ${issuer} and subject = ${subject}`)
      if (before?.state === "removed") return yield* refuse(arrival, "removed", before.id)
      const roles = yield* existing(organization, arrival.roles)
      if (invitation !== undefined) {
        const isOpen = sql`invitation_hash = ${invitation} and invitation_expires_at > now()`
        const guest = yield* find(organization, isOpen)
        const isFree = before === undefined ? guest?.issuer === null : before.id === guest?.id
        const accepted = isFree ? yield* signIns.accept(invitation, { issuer, subject }) : undefined
        if (accepted === undefined) return yield* refuse(arrival, "invitation", before?.id)
        yield* setRoles(accepted.id, roles)
        return Result.succeed(accepted.id)
      }
      // Nobody is added who may do nothing.
      if (before === undefined && roles.length === 0) return yield* refuse(arrival, "no_role")
      const id = before?.id ?? (yield* insert(arrival))
      return (yield* setRoles(id, roles)) ? Result.succeed(id) : yield* refuse(arrival, "no_role", id)
    }, committing(sql)),

    /**
     * Takes some sessions whose latest check is older than `age`, and that no other server is checking, the oldest first.
     */
    due: Effect.fnUntraced(function* (age: Duration.Duration, count: number) {
      const rows = yield* decodeDue(sql`
        with due as (
          select id from person_sessions
          where provider_id is not null and checked_at < now() - ${interval(age)} and expires_at > now()
            and (tried_at is null or tried_at < now() - ${interval(RETRY)})
          order by checked_at limit ${count} for update skip locked
        )
        update person_sessions s set tried_at = now() from due, people p
        where s.id = due.id and p.id = s.person_id
        returning s.id, s.person_id, s.organization_id, s.provider_id, s.tokens, p.subject,
          s.checked_at < now() - ${INTERVALS_MAX}::float8 * ${interval(age)} as is_overdue`)
      return yield* Effect.forEach(rows, (row) => Effect.map(open(row), (tokens): DueSession => ({ ...row, tokens })))
    }, withoutSqlErrors),

    /**
     * Notes a successful check, with the roles that the claims give now, where they say anything. Returns whether any
     * role is left.
     */
    checked: Effect.fnUntraced(function* (
      session: DueSession,
      tokens: ProviderTokens,
      roles: ReadonlyArray<PersonRole> | undefined,
    ) {
      yield* sql`
        update person_sessions set checked_at = now(), tried_at = null, tokens = ${json(yield* seal(session, tokens))}
        where id = ${session.id}`
      return (
        roles === undefined || (yield* setRoles(session.person_id, yield* existing(session.organization_id, roles)))
      )
    }, committing(sql)),
  }
}) {}
