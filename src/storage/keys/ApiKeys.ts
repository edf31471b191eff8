import { Effect, Schema, Scope as FiberScope, Semaphore, Struct } from "effect"
import { Actor } from "../../domain/audit/Actor.ts"
import { ApiKey, type ApiKeyPatch, type KeyKind, type KeyMaker, Scope } from "../../domain/keys/ApiKey.ts"
import { Budget } from "../../domain/organizations/Budget.ts"
import type { Caller } from "../../domain/Caller.ts"
import { ConsoleSession } from "../../domain/people/ConsoleSession.ts"
import { NotFound } from "../../domain/Errors.ts"
import { ApiKeyId, ChatbotId, OrganizationId } from "../../domain/Ids.ts"
import type { Range } from "../../domain/Page.ts"
import { changeOf, concealed } from "../../domain/audit/AuditChange.ts"
import { timestamp } from "../../domain/schema/Timestamp.ts"
import { Service } from "../../domain/Service.ts"
import { type AuditedChange, Auditing } from "../audit/Auditing.ts"
import type { SqlError } from "effect/sql"
import { SystemSql } from "../sql/Database.ts"
import { afterPlace, placeColumn, readLimit, toListed } from "../sql/Listing.ts"
import { decodeRows, TimestampColumn, decodeRowOr, decodeRow } from "../Rows.ts"
import { committing, onForeignKeyViolation, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { json, texts } from "../sql/SqlValues.ts"

const noOwner = new NotFound({ detail: "There is no such organization, or it has no such chatbot." })
const keyNotFound = new NotFound({ detail: "There is no such API key." })

const Row = Schema.Struct({
  ...ApiKey.fields,
  created_at: TimestampColumn,
  last_used_at: Schema.NullOr(TimestampColumn),
  expires_at: Schema.NullOr(TimestampColumn),
  revoked_at: Schema.NullOr(TimestampColumn),
})
const decodeKey = decodeRow(Row)
const only = decodeRowOr(Row, keyNotFound)
const decodeListed = decodeRows(Schema.Struct({ ...Row.fields, at: Schema.String }))

export interface NewApiKey {
  readonly id: ApiKeyId
  readonly organization_id: OrganizationId
  readonly chatbot_id: ChatbotId | null
  readonly name: string
  /** Further stored fields of a publishable key; absent for a secret one. */
  readonly publishable?: { readonly key: string; readonly allowed_origins: ReadonlyArray<string> }
  /** SHA-256 of the key. */
  readonly hash: Uint8Array
  readonly prefix: string
  readonly last_four: string
  readonly scopes: ReadonlyArray<Scope>
  readonly budget: Budget
  readonly expires_at: Date | null
  readonly created_by: KeyMaker
}

/** A secret key that serves every chatbot, never expires and has no budget of its own. */
export type FirstApiKey = Omit<NewApiKey, "budget" | "chatbot_id" | "expires_at" | "publishable">

/** A valid key with what the server needs to know of it to admit a request. */
export const LiveKey = Schema.Struct({
  id: ApiKeyId,
  organization_id: OrganizationId,
  chatbot_id: Schema.NullOr(ChatbotId),
  /** Without `operator`, unless the organization is the operator's. */
  scopes: Schema.Array(Scope),
  /** Of a publishable key. */
  allowed_origins: Schema.NullOr(Schema.Array(Schema.String)),
  expires_at: Schema.NullOr(Schema.Date),
  /** Milliseconds until the key expires by the database's clock; null when it does not expire. */
  expires_in: Schema.NullOr(Schema.Finite),
  budgets: Schema.Struct({ organization: Budget, key: Budget }),
})
export type LiveKey = typeof LiveKey.Type

/** A change of a key in its row. */
export interface KeyChange extends ApiKeyPatch {
  readonly isRevoked?: true
}

const decodeLive = decodeRows(
  Schema.Struct({
    ...LiveKey.fields,
    live: Schema.Boolean,
    stale: Schema.Boolean,
    used: Schema.Boolean,
    frozen: Schema.Boolean,
  }),
)

const { organization } = ConsoleSession.fields
const decodeOwner = decodeRowOr(
  Schema.Struct({
    ...Struct.pick(Row.fields, ["id", "name", "prefix", "last_four", "expires_at"]),
    email: Schema.NullOr(Schema.String),
    organization,
  }),
  keyNotFound,
)
const decodeIds = decodeRows(Schema.Struct({ id: OrganizationId }))

/**
 * The table `api_keys`, of all organizations: which organization a request belongs to is known only once its key is
 * found.
 */
export class ApiKeys extends Service<ApiKeys>()("parley/storage/keys/ApiKeys", function* () {
  const sql = yield* SystemSql
  const auditing = yield* Auditing
  const scope = yield* FiberScope.Scope
  /** The keys whose use is being written. */
  const marked = new Set<ApiKeyId>()
  const markTurn = yield* Semaphore.make(1)

  const columns = sql.literal(
    `id, organization_id, chatbot_id, kind, name, prefix, last_four, scopes, public_key, allowed_origins, budget,
       created_at, created_by, last_used_at, expires_at, revoked_at`,
  )

  const usedBy = ({ id, organization_id }: LiveKey, action: "api_key.first_used" | "api_key.refused") => ({
    organization: organization_id,
    action,
    target: id,
    apiKey: id,
  })

  const recordFirstUse = Effect.fnUntraced(function* (key: LiveKey) {
    yield* sql`
      with used as (
        update api_keys set last_used_at = now() where id = ${key.id} and last_used_at is null returning id
      )
      ${yield* auditing.entry(sql, usedBy(key, "api_key.first_used"), sql`exists (select from used)`)}`
  })

  const recordUse = (key: LiveKey) => sql`update api_keys set last_used_at = now() where id = ${key.id}`

  const recordRefusal = Effect.fnUntraced(function* (key: LiveKey) {
    yield* yield* auditing.entry(
      sql,
      usedBy(key, "api_key.refused"),
      sql`not exists (
          select from audit_log where target_id = ${key.id} and action = 'api_key.refused'
            and created_at > now() - interval '1 hour'
        )`,
    )
  })

  /** Writes that a key was used, in the background and one at a time. A mark that fails is lost. */
  const mark = (key: LiveKey, write: (key: LiveKey) => Effect.Effect<unknown, SqlError.SqlError>) => {
    if (marked.has(key.id)) return Effect.void
    marked.add(key.id)
    return write(key).pipe(
      withoutSqlErrors,
      Effect.ignore,
      Semaphore.withPermit(markTurn),
      Effect.ensuring(Effect.sync(() => marked.delete(key.id))),
      Effect.forkIn(scope),
    )
  }

  const matching = (id: ApiKeyId, organization: OrganizationId | undefined) =>
    sql`id = ${id} and kind <> 'person' ${organization === undefined ? sql`` : sql`and organization_id = ${organization}`}`

  return {
    /** Fails with `NotFound` when the organization does not exist, or does not own the chatbot of the key. */
    insert: Effect.fnUntraced(
      function* (key: NewApiKey) {
        const audited = yield* auditing.entry(sql, creationOf(key), sql`exists (select from made)`)
        const row = yield* decodeKey(sql`
          with made as (
            insert into api_keys
              (id, organization_id, chatbot_id, kind, name, hash, prefix, last_four, scopes, public_key,
                allowed_origins, budget, expires_at, created_by)
            select ${key.id}::uuid, id, ${key.chatbot_id}::uuid,
              ${key.publishable === undefined ? "secret" : "publishable"}::text, ${key.name}::text,
              ${key.hash}::bytea, ${key.prefix}::text, ${key.last_four}::text, ${texts(key.scopes)},
              ${key.publishable?.key ?? null}::text, ${textsOrNull(key.publishable?.allowed_origins)}::text[],
              ${json(key.budget)}, ${key.expires_at}::timestamptz, ${key.created_by}::text
            from organizations
            where id = ${key.organization_id} and deleted_at is null and (${key.chatbot_id}::uuid is null or exists (
              select from chatbots where id = ${key.chatbot_id}::uuid and organization_id = ${key.organization_id}))
            returning ${columns}
          ), audited as (${audited})
          select * from made`)
        return row ?? (yield* noOwner)
      },
      // The chatbot, or the organization, was deleted while the key was made.
      onForeignKeyViolation(() => noOwner),
      withoutSqlErrors,
    ),

    /** Inserts the key unless a key with the same hash exists. */
    ensure: Effect.fnUntraced(function* (key: FirstApiKey) {
      const audited = yield* auditing.entry(sql, creationOf(key), sql`exists (select from made)`)
      yield* sql`
        with made as (insert into api_keys ${sql.insert(key)} on conflict (hash) do nothing returning id)
        ${audited}`
    }, withoutSqlErrors),

    /**
     * Finds the key of a kind, by default a secret one, with this hash, unless it is revoked or expired. That it was
     * used is written apart, soon after: nobody waits for it, and a database that can only be read misses it. The audit
     * log has the first use of each key, and the use of one that is revoked or expired.
     */
    findLive: Effect.fnUntraced(function* (hash: Uint8Array, kind: KeyKind = "secret") {
      // Accurate to the minute, so that a busy key does not cost a write for each request.
      const [row] = yield* decodeLive(sql`
        select k.id, k.organization_id, k.chatbot_id, k.allowed_origins, k.expires_at,
          case when o.is_operator then k.scopes else array_remove(k.scopes, 'operator') end as scopes,
          (extract(epoch from k.expires_at - now()) * 1000)::float8 as expires_in,
          jsonb_build_object('organization', o.budget, 'key', k.budget) as budgets,
          k.last_used_at is null or k.last_used_at < now() - interval '1 minute' as stale,
          k.last_used_at is not null as used, current_setting('transaction_read_only')::boolean as frozen,
          k.revoked_at is null and (k.expires_at is null or k.expires_at > now()) as live
        from api_keys k join organizations o on o.id = k.organization_id and o.deleted_at is null
        where k.hash = ${hash} and k.kind = ${kind}`)
      if (row === undefined) return undefined
      if (!row.frozen) {
        if (!row.live) yield* mark(row, recordRefusal)
        else if (row.stale) yield* mark(row, row.used ? recordUse : recordFirstUse)
      }
      return row.live ? row : undefined
    }, withoutSqlErrors),

    /** Lists the keys of an organization, newest first. */
    list: Effect.fnUntraced(function* (organization: OrganizationId, range: Range) {
      const rows = yield* decodeListed(sql`
        select ${columns}, ${sql.literal(placeColumn())} from api_keys
        where organization_id = ${organization} and kind <> 'person' ${afterPlace(sql, range.after, "<")}
        order by created_at desc, id desc limit ${readLimit(range)}`)
      return toListed(rows, range, (row): ApiKey => row)
    }, withoutSqlErrors),

    /**
     * Changes or revokes a key under its row's lock: of the given organization, or of any when that is undefined. Fields
     * that the change leaves out stay as they are, and a key that is revoked again keeps its first time of revocation.
     */
    modify: <E>(
      id: ApiKeyId,
      organization: OrganizationId | undefined,
      change: (key: ApiKey) => Effect.Effect<KeyChange, E>,
    ) =>
      Effect.gen(function* () {
        const before = yield* only(sql`
          select ${columns} from api_keys where ${matching(id, organization)} for update`)
        const { allowed_origins = before.allowed_origins, budget = {}, isRevoked = false, name } = yield* change(before)
        const after = yield* only(sql`
          update api_keys set name = ${name ?? before.name}, budget = budget || ${json(budget)},
            allowed_origins = ${textsOrNull(allowed_origins)}::text[],
            revoked_at = case when ${isRevoked}::boolean then coalesce(revoked_at, now()) else revoked_at end
          where id = ${id} returning ${columns}`)
        const changed = changeOf(before, after)
        if (changed !== undefined) {
          yield* auditing.record(sql, {
            organization: before.organization_id,
            target: id,
            ...(isRevoked
              ? { action: "api_key.revoked", before: concealed(Struct.pick(before, ["name", "scopes"])) }
              : { action: "api_key.updated", ...changed }),
          })
        }
        return after
      }).pipe(committing(sql)),

    /** Returns the key of a caller, or the person, with the organization, as the console shows who is signed in. */
    owner: Effect.fnUntraced(function* ({ apiKeyId, organizationId, person }: Caller["Service"]) {
      const { email, organization, ...key } = yield* decodeOwner(sql`
        select k.id, k.name, k.prefix, k.last_four, k.expires_at, (select email from people where id = k.id) as email,
          jsonb_build_object('id', o.id, 'name', o.name, 'is_operator', o.is_operator) as organization
        from api_keys k join organizations o on o.id = k.organization_id
        where k.id = ${apiKeyId} and o.id = ${organizationId}`)
      return person === undefined
        ? { api_key: key, person: null, organization }
        : { api_key: null, person: { ...person, email }, organization }
    }, withoutSqlErrors),

    /** Records in the operator's audit log that somebody could not sign in at the console. */
    recordRefusedSignIn: Effect.gen(function* () {
      const rows = yield* decodeIds(sql`select id from organizations where is_operator`)
      for (const { id } of rows) yield* auditing.mention(sql, { organization: id, action: "sign_in.refused" })
    }).pipe(Effect.provideService(Actor, "anonymous"), withoutSqlErrors),

    /** Records in the audit log that somebody has signed in at the console with this key. */
    recordSignIn: ({ apiKeyId, organizationId }: Caller["Service"]) =>
      auditing.mention(sql, {
        organization: organizationId,
        action: "api_key.signed_in",
        target: apiKeyId,
        apiKey: apiKeyId,
      }),
  }
}) {}

const textsOrNull = (values: ReadonlyArray<string> | null | undefined) => (values == null ? null : texts(values))

/** The entry of the audit log for a new key. */
export const creationOf = ({
  id,
  organization_id,
  chatbot_id = null,
  expires_at = null,
  publishable,
  ...key
}: FirstApiKey & Partial<NewApiKey>): AuditedChange => ({
  organization: organization_id,
  action: "api_key.created",
  target: id,
  after: concealed({
    ...Struct.pick(key, ["name", "prefix", "last_four", "scopes"]),
    ...(publishable !== undefined && { kind: "publishable", allowed_origins: publishable.allowed_origins }),
    chatbot_id,
    expires_at: expires_at && timestamp(expires_at),
  }),
})
