import { Context, Effect, Layer } from "effect"
import type { Budget } from "../domain/Budget.ts"
import { Conflict, NotFound, type Unavailable } from "../domain/Errors.ts"
import type { OrganizationId } from "../domain/Ids.ts"
import type { Organization, OrganizationPatch } from "../domain/Organization.ts"
import type { Listed, Range } from "../domain/Page.ts"
import { timestamp } from "../domain/schema/Timestamp.ts"
import type { NewApiKey } from "./ApiKeys.ts"
import { SystemSql } from "./sql/Database.ts"
import { beyond, listed, type Placed, placeColumn, readLimit } from "./sql/Listing.ts"
import { transaction, withoutSqlErrors } from "./sql/SqlErrors.ts"
import { json } from "./sql/SqlValues.ts"

interface Row {
  readonly id: OrganizationId
  readonly name: string
  readonly is_operator: boolean
  readonly budget: Budget
  readonly created_at: Date
}

const organizationNotFound = new NotFound({ detail: "There is no such organization." })
const isOperators = new Conflict({ detail: "The operator's own organization cannot be deleted." })

/** The table `organizations`. One that is deleted is not there, though its row may be until all that it owned is gone. */
export class Organizations extends Context.Service<
  Organizations,
  {
    readonly insert: (organization: Pick<Row, "id" | "name">) => Effect.Effect<Organization, Unavailable>
    /**
     * The operator's organization with this key, both made by the first call ever; `made` tells whether this was it.
     * Processes that start at once agree on one organization and one key.
     */
    readonly bootstrap: (
      name: string,
      id: OrganizationId,
      key: Omit<NewApiKey, "organization_id" | "chatbot_id" | "expires_at">,
    ) => Effect.Effect<{ readonly organization: Organization; readonly made: boolean }, Unavailable>
    readonly find: (id: OrganizationId) => Effect.Effect<Organization | undefined, Unavailable>
    /** Oldest first. */
    readonly list: (range: Range) => Effect.Effect<Listed<Organization>, Unavailable>
    /** Changes the row under its lock. What the change leaves out stays. */
    readonly modify: <E>(
      id: OrganizationId,
      change: (organization: Organization) => Effect.Effect<OrganizationPatch, E>,
    ) => Effect.Effect<Organization, E | NotFound | Unavailable>
    /** `Conflict` for the operator's. What it owns is still to be deleted, see `OrganizationRemains`. */
    readonly remove: (id: OrganizationId) => Effect.Effect<void, NotFound | Conflict | Unavailable>
  }
>()("parley/storage/Organizations") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SystemSql
      const columns = sql.literal("id, name, is_operator, budget, created_at")

      const insert = Effect.fnUntraced(
        function* (organization: { readonly id: OrganizationId; readonly name: string }) {
          const rows = yield* sql<Row>`insert into organizations ${sql.insert(organization)} returning ${columns}`
          return yield* Effect.fromNullishOr(rows.map(toOrganization)[0])
        },
        Effect.catchTag("NoSuchElementError", Effect.die),
        withoutSqlErrors,
      )

      const bootstrap = Effect.fnUntraced(
        function* (
          name: string,
          id: OrganizationId,
          key: Omit<NewApiKey, "organization_id" | "chatbot_id" | "expires_at">,
        ) {
          const [made] = yield* sql<Row>`
            with made as (
              insert into organizations (id, name, is_operator) values (${id}, ${name}, true)
              on conflict (is_operator) where is_operator do nothing returning ${columns}
            ), key as (
              insert into api_keys (id, organization_id, name, hash, prefix, last_four, scopes)
              select ${key.id}::uuid, id, ${key.name}::text, ${key.hash}::bytea, ${key.prefix}::text,
                ${key.last_four}::text, ${key.scopes}::text[] from made
            )
            select * from made`
          const [row] =
            made === undefined ? yield* sql<Row>`select ${columns} from organizations where is_operator` : [made]
          return {
            organization: toOrganization(yield* Effect.fromNullishOr(row)),
            made: made !== undefined,
          }
        },
        Effect.catchTag("NoSuchElementError", Effect.die),
        withoutSqlErrors,
      )

      const find = Effect.fnUntraced(function* (id: OrganizationId) {
        const rows = yield* sql<Row>`select ${columns} from organizations where id = ${id} and deleted_at is null`
        return rows.map(toOrganization)[0]
      }, withoutSqlErrors)

      const list = Effect.fnUntraced(function* (range: Range) {
        const rows = yield* sql<Row & Placed>`
          select ${columns}, ${sql.literal(placeColumn)} from organizations
          where deleted_at is null ${beyond(sql, range.after, ">")}
          order by created_at, id limit ${readLimit(range)}`
        return listed(rows, range, toOrganization)
      }, withoutSqlErrors)

      const present = (id: OrganizationId) => sql`id = ${id} and deleted_at is null`

      const found = <E, R>(rows: Effect.Effect<ReadonlyArray<Row>, E, R>) =>
        Effect.flatMap(rows, ([row]) =>
          row === undefined ? Effect.fail(organizationNotFound) : Effect.succeed(toOrganization(row)),
        )

      const modify = <E>(
        id: OrganizationId,
        change: (organization: Organization) => Effect.Effect<OrganizationPatch, E>,
      ) =>
        Effect.gen(function* () {
          const before = yield* found(sql<Row>`select ${columns} from organizations where ${present(id)} for update`)
          const { name = before.name, budget = {} } = yield* change(before)
          return yield* found(
            sql<Row>`update organizations set name = ${name}, budget = budget || ${json(budget)}
              where id = ${id} returning ${columns}`,
          )
        }).pipe(transaction(sql), withoutSqlErrors)

      const remove = Effect.fnUntraced(
        function* (id: OrganizationId) {
          const { is_operator } = yield* found(
            sql<Row>`select ${columns} from organizations where ${present(id)} for update`,
          )
          if (is_operator) return yield* isOperators
          yield* sql`update organizations set deleted_at = now() where id = ${id}`
        },
        transaction(sql),
        withoutSqlErrors,
      )

      return { insert, bootstrap, find, list, modify, remove }
    }),
  )
}

const toOrganization = (row: Row): Organization => ({
  ...row,
  created_at: timestamp(row.created_at),
})
