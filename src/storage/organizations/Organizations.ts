import { Effect, Schema } from "effect"
import type { Statement } from "effect/sql"
import { Conflict, NotFound } from "../../domain/Errors.ts"
import type { OrganizationId } from "../../domain/Ids.ts"
import { Organization, type OrganizationPatch } from "../../domain/organizations/Organization.ts"
import type { Range } from "../../domain/Page.ts"
import { changeOf, concealed } from "../../domain/audit/AuditChange.ts"
import { Service } from "../../domain/Service.ts"
import { creationOf, type FirstApiKey } from "../keys/ApiKeys.ts"
import { Auditing } from "../audit/Auditing.ts"
import { SystemSql } from "../sql/Database.ts"
import { afterPlace, placeColumn, readLimit, toListed } from "../sql/Listing.ts"
import { decodeRows, TimestampColumn, decodeRow, decodeRowOr } from "../Rows.ts"
import { committing, withoutSqlErrors } from "../sql/SqlErrors.ts"
import { json } from "../sql/SqlValues.ts"

const Row = Schema.Struct({ ...Organization.fields, created_at: TimestampColumn })
const decodeOrganization = decodeRow(Row)
const decodeListed = decodeRows(Schema.Struct({ ...Row.fields, at: Schema.String }))

/** The column `used`: what an organization stores. */
const USED = `(
  select jsonb_build_object('chatbots', coalesce(sum(chatbots), 0), 'tools', coalesce(sum(tools), 0),
    'documents', coalesce(sum(documents), 0), 'bytes', coalesce(sum(bytes), 0), 'chunks', coalesce(sum(chunks), 0),
    'conversations', coalesce(sum(conversations), 0))
  from (
    select organization_id, chatbots, tools, documents, bytes, chunks, conversations from holdings
    union all
    select organization_id, chatbots, tools, documents, bytes, chunks, conversations from holding_entries
  ) held where held.organization_id = organizations.id
) as used`

const only = decodeRowOr(Row, new NotFound({ detail: "There is no such organization." }))
const isOperators = new Conflict({ detail: "The operator's own organization cannot be deleted." })

/**
 * The table `organizations`. A deleted organization is never found, although its row stays until everything that it
 * owned is deleted too.
 */
export class Organizations extends Service<Organizations>()("parley/storage/organizations/Organizations", function* () {
  const sql = yield* SystemSql
  const auditing = yield* Auditing
  const columns = sql.literal(`id, name, is_operator, budget, quota, retention_days, created_at, ${USED}`)

  const creation = (
    { id, name }: { readonly id: OrganizationId; readonly name: string },
    condition?: Statement.Fragment,
  ) =>
    auditing.entry(
      sql,
      { organization: id, action: "organization.created", target: id, after: concealed({ name }) },
      condition,
    )

  const present = (id: OrganizationId) => sql`id = ${id} and deleted_at is null`

  return {
    insert: Effect.fnUntraced(
      function* (organization: { readonly id: OrganizationId; readonly name: string }) {
        const row = yield* decodeOrganization(sql`
          with audited as (${yield* creation(organization)})
          insert into organizations ${sql.insert(organization)} returning ${columns}`)
        return yield* Effect.fromNullishOr(row)
      },
      Effect.catchTag("NoSuchElementError", Effect.die),
      withoutSqlErrors,
    ),

    /**
     * Returns the operator's organization. The first call ever inserts it, together with the key, and then `made` is
     * true. Processes that start at the same time agree on one organization and one key.
     */
    bootstrap: Effect.fnUntraced(
      function* (name: string, id: OrganizationId, key: Omit<FirstApiKey, "organization_id">) {
        const isMade = sql`exists (select from made)`
        const made = yield* decodeOrganization(sql`
          with made as (
            insert into organizations (id, name, is_operator) values (${id}, ${name}, true)
            on conflict (is_operator) where is_operator do nothing returning ${columns}
          ), key as (
            insert into api_keys (id, organization_id, name, hash, prefix, last_four, scopes, created_by)
            select ${key.id}::uuid, id, ${key.name}::text, ${key.hash}::bytea, ${key.prefix}::text,
              ${key.last_four}::text, ${key.scopes}::text[], ${key.created_by}::text from made
          ), audited as (
            ${yield* creation({ id, name }, isMade)}
          ), key_audited as (
            ${yield* auditing.entry(sql, creationOf({ ...key, organization_id: id }), isMade)}
          )
          select * from made`)
        const organization =
          made ?? (yield* decodeOrganization(sql`select ${columns} from organizations where is_operator`))
        return { organization: yield* Effect.fromNullishOr(organization), made: made !== undefined }
      },
      Effect.catchTag("NoSuchElementError", Effect.die),
      withoutSqlErrors,
    ),

    find: (id: OrganizationId) =>
      withoutSqlErrors(decodeOrganization(sql`select ${columns} from organizations where ${present(id)}`)),

    /** Lists the organizations, oldest first. */
    list: Effect.fnUntraced(function* (range: Range) {
      const rows = yield* decodeListed(sql`
        select ${columns}, ${sql.literal(placeColumn())} from organizations
        where deleted_at is null ${afterPlace(sql, range.after, ">")}
        order by created_at, id limit ${readLimit(range)}`)
      return toListed(rows, range, (row): Organization => row)
    }, withoutSqlErrors),

    /** Changes an organization under its row's lock. Fields that the patch leaves out stay as they are. */
    modify: <E>(id: OrganizationId, change: (organization: Organization) => Effect.Effect<OrganizationPatch, E>) =>
      Effect.gen(function* () {
        const before = yield* only(sql`select ${columns} from organizations where ${present(id)} for update`)
        const {
          name = before.name,
          budget = {},
          quota = {},
          retention_days = before.retention_days,
        } = yield* change(before)
        const after = yield* only(sql`
          update organizations set name = ${name}, budget = budget || ${json(budget)},
            quota = quota || ${json(quota)}, retention_days = ${retention_days}
          where id = ${id} returning ${columns}`)
        // What an organization stores changes by itself.
        const changed = changeOf({ ...before, used: null }, { ...after, used: null })
        if (changed !== undefined) {
          yield* auditing.record(sql, { organization: id, action: "organization.updated", target: id, ...changed })
        }
        return after
      }).pipe(committing(sql)),

    /**
     * Marks an organization as deleted; `OrganizationRemains` deletes what it owns. Fails with `Conflict` for the
     * operator's own organization.
     */
    remove: Effect.fnUntraced(function* (id: OrganizationId) {
      const { is_operator, name } = yield* only(sql`
        select ${columns} from organizations where ${present(id)} for update`)
      if (is_operator) return yield* isOperators
      yield* auditing.record(sql, {
        organization: id,
        action: "organization.deleted",
        target: id,
        before: concealed({ name }),
      })
      yield* sql`update organizations set deleted_at = now() where id = ${id}`
    }, committing(sql)),
  }
}) {}
