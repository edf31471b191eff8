import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AuditEntry, type AuditFilter } from "../../domain/audit/AuditEntry.ts"
import { type OrganizationId, PersonId } from "../../domain/Ids.ts"
import type { Range } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { SystemSql } from "../sql/Database.ts"
import { afterPlace, placeColumn, readLimit, toListed } from "../sql/Listing.ts"
import { decodeRows, TimestampColumn } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"

/** Deletes at most this many entries in one statement. */
const ENTRIES_AT_ONCE = 1_000

const { actor, target, ...shown } = AuditEntry.fields
const Row = Schema.Struct({
  ...shown,
  created_at: TimestampColumn,
  actor: actor.fields.kind,
  api_key_id: actor.fields.api_key_id,
  api_key_name: Schema.NullOr(Schema.String),
  api_key_hint: Schema.NullOr(Schema.String),
  target_id: Schema.NullOr(Schema.String),
  chatbot_id: target.fields.chatbot_id,
})
type Row = typeof Row.Type

const decodeListed = decodeRows(Schema.Struct({ ...Row.fields, at: Schema.String }))

/** The table `audit_log`, to which `Auditing` adds entries. */
export class AuditLog extends Service<AuditLog>()("parley/storage/audit/AuditLog", function* () {
  const tenant = yield* SqlClient.SqlClient
  const system = yield* SystemSql

  const read = Effect.fnUntraced(function* (
    sql: SqlClient.SqlClient,
    organization: OrganizationId | undefined,
    { action, apiKey, from, target, to }: AuditFilter,
    range: Range,
  ) {
    const rows = yield* decodeListed(sql`
      select id, created_at, organization_id, action, actor, api_key_id, api_key_name, api_key_hint, address,
        request_id, target_id, chatbot_id, before, after, ${sql.literal(placeColumn())}
      from audit_log where ${sql.and([
        ...(organization === undefined ? [sql`true`] : [sql`organization_id = ${organization}`]),
        ...(action === undefined ? [] : [sql`action = ${action}`]),
        ...(apiKey === undefined ? [] : [sql`api_key_id = ${apiKey}`]),
        ...(target === undefined ? [] : [sql`target_id = ${target}`]),
        ...(from === undefined ? [] : [sql`created_at >= ${from}`]),
        ...(to === undefined ? [] : [sql`created_at < ${to}`]),
      ])} ${afterPlace(sql, range.after, "<")}
      order by created_at desc, id desc limit ${readLimit(range)}`)
    return toListed(rows, range, toEntry)
  }, withoutSqlErrors)

  return {
    /** Lists the entries of the current organization, the latest first, without what identifies the operator. */
    list: Effect.fnUntraced(function* (filter: AuditFilter, range: Range) {
      const listed = yield* read(tenant, yield* CurrentOrganization, filter, range)
      return { ...listed, items: listed.items.map(withoutOperator) }
    }),

    /** Lists the entries of an organization, which may be deleted, or of all, for the operator. */
    listAny: (organization: OrganizationId | undefined, filter: AuditFilter, range: Range) =>
      read(system, organization, filter, range),

    /** Deletes the entries of all organizations that are older than this many days. */
    forget: Effect.fnUntraced(function* (days: number) {
      yield* system`
        delete from audit_log where id in (
          select id from audit_log where created_at < now() - make_interval(days => ${days}::int)
          order by created_at limit ${ENTRIES_AT_ONCE}
        ) returning id`.pipe(Effect.repeat({ while: (gone) => gone.length === ENTRIES_AT_ONCE }))
    }, withoutSqlErrors),
  }
}) {}

const toEntry = ({
  actor,
  api_key_hint,
  api_key_id,
  api_key_name,
  chatbot_id,
  target_id,
  ...row
}: Omit<Row, "at">): AuditEntry => ({
  ...row,
  actor: { kind: actor, ...actorIds(actor, api_key_id), name: api_key_name, hint: api_key_hint },
  target: { id: target_id, chatbot_id },
})

/** The key of an entry is that of the person, where a person has acted: its id is the person's. */
const actorIds = (kind: Row["actor"], key: Row["api_key_id"]) =>
  kind === "person"
    ? { api_key_id: null, person_id: key === null ? null : PersonId.make(key) }
    : { api_key_id: key, person_id: null }

const withoutOperator = (entry: AuditEntry): AuditEntry =>
  entry.actor.kind === "operator"
    ? {
        ...entry,
        address: null,
        actor: { kind: "operator", api_key_id: null, person_id: null, name: null, hint: null },
      }
    : entry
