import { Context, Effect, Layer } from "effect"
import type { Budget, BudgetPatch } from "../domain/Budget.ts"
import { NotFound, type Unavailable } from "../domain/Errors.ts"
import type { OrganizationId } from "../domain/Ids.ts"
import type { Organization } from "../domain/Organization.ts"
import type { Listed, Range } from "../domain/Page.ts"
import { timestamp } from "../domain/Timestamp.ts"
import type { NewApiKey } from "./ApiKeys.ts"
import { SystemSql } from "./Database.ts"
import { beyond, listed, type Placed, placeColumn, readLimit } from "./Listing.ts"
import { withoutSqlErrors } from "./SqlErrors.ts"
import { json } from "./SqlValues.ts"

interface Row {
  readonly id: OrganizationId
  readonly name: string
  readonly is_operator: boolean
  readonly budget: Budget
  readonly created_at: Date
}

/** The table `organizations`. */
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
    /** What the patch leaves out stays. */
    readonly setBudget: (id: OrganizationId, patch: BudgetPatch) => Effect.Effect<Organization, NotFound | Unavailable>
  }
>()("parley/storage/Organizations") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SystemSql

      const insert = Effect.fnUntraced(
        function* (organization: { readonly id: OrganizationId; readonly name: string }) {
          const rows = yield* sql<Row>`insert into organizations ${sql.insert(organization)} returning *`
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
              on conflict (is_operator) where is_operator do nothing returning *
            ), key as (
              insert into api_keys (id, organization_id, name, hash, prefix, last_four, scopes)
              select ${key.id}::uuid, id, ${key.name}::text, ${key.hash}::bytea, ${key.prefix}::text,
                ${key.last_four}::text, ${key.scopes}::text[] from made
            )
            select * from made`
          const [row] = made === undefined ? yield* sql<Row>`select * from organizations where is_operator` : [made]
          return {
            organization: toOrganization(yield* Effect.fromNullishOr(row)),
            made: made !== undefined,
          }
        },
        Effect.catchTag("NoSuchElementError", Effect.die),
        withoutSqlErrors,
      )

      const find = Effect.fnUntraced(function* (id: OrganizationId) {
        const rows = yield* sql<Row>`select * from organizations where id = ${id}`
        return rows.map(toOrganization)[0]
      }, withoutSqlErrors)

      const list = Effect.fnUntraced(function* (range: Range) {
        const rows = yield* sql<Row & Placed>`
          select *, ${sql.literal(placeColumn)} from organizations where true ${beyond(sql, range.after, ">")}
          order by created_at, id limit ${readLimit(range)}`
        return listed(rows, range, toOrganization)
      }, withoutSqlErrors)

      const setBudget = Effect.fnUntraced(function* (id: OrganizationId, patch: BudgetPatch) {
        const [row] = yield* sql<Row>`
          update organizations set budget = budget || ${json(patch)} where id = ${id} returning *`
        return row === undefined
          ? yield* new NotFound({ detail: "There is no such organization." })
          : toOrganization(row)
      }, withoutSqlErrors)

      return { insert, bootstrap, find, list, setBudget }
    }),
  )
}

const toOrganization = (row: Row): Organization => ({
  ...row,
  created_at: timestamp(row.created_at),
})
