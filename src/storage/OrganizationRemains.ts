import { Context, Effect, Layer } from "effect"
import type { Unavailable } from "../domain/Errors.ts"
import type { ChatbotId, OrganizationId } from "../domain/Ids.ts"
import { SystemSql } from "./sql/Database.ts"
import { transaction, unlessItGivesWay, withoutSqlErrors } from "./sql/SqlErrors.ts"

/** Rows that one statement deletes, at most: so few that those who wait for it, on the embedded database, hardly notice. */
const ROWS_AT_ONCE = 100
const CHATBOTS_AT_ONCE = 50

/**
 * What deleted organizations still own. Nobody can reach it any more; it is deleted in many small statements, so that
 * nobody waits for a large organization, and so that a crash between any two loses nothing but time.
 */
export class OrganizationRemains extends Context.Service<
  OrganizationRemains,
  {
    /** Organizations that are deleted and not gone yet. */
    readonly organizations: Effect.Effect<ReadonlyArray<OrganizationId>, Unavailable>
    /**
     * Deletes what belongs to none of its chatbots alone: usage, and the queue of its documents, so that none is read any
     * more, or embedded for money. Several processes may do so at once, here and below.
     */
    readonly emptyOrganization: (organization: OrganizationId) => Effect.Effect<void, Unavailable>
    /** Some of its chatbots; none when there are no more. */
    readonly chatbots: (organization: OrganizationId) => Effect.Effect<ReadonlyArray<ChatbotId>, Unavailable>
    /** Deletes the organization itself with its keys, unless it has chatbots again. */
    readonly finish: (organization: OrganizationId) => Effect.Effect<void, Unavailable>
  }
>()("parley/storage/OrganizationRemains") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SystemSql

      /**
       * Runs a statement that deletes some of what it finds until it finds nothing. It tells how much it found and not how
       * much it deleted, since another process may have been faster.
       */
      const exhaust = <E>(some: Effect.Effect<ReadonlyArray<{ readonly found: number }>, E>) =>
        unlessItGivesWay(some).pipe(Effect.repeat({ while: ([row]) => (row?.found ?? 0) > 0 }), Effect.asVoid)

      const emptyTable = (
        table: "chat_reservations" | "ingestions" | "unfinished_replies" | "usage_days" | "usage_entries",
        organization: OrganizationId,
      ) => {
        const name = sql.literal(table)
        return exhaust(sql<{ found: number }>`
          with found as (
            select ctid as place from ${name} where organization_id = ${organization} limit ${ROWS_AT_ONCE}
          ), gone as (
            delete from ${name} where ctid in (select place from found)
          )
          select count(*)::int as found from found`)
      }

      const emptyOrganization = Effect.fn("OrganizationRemains.emptyOrganization")(function* (
        organization: OrganizationId,
      ) {
        yield* emptyTable("ingestions", organization)
        yield* emptyTable("usage_entries", organization)
        yield* emptyTable("usage_days", organization)
        yield* emptyTable("chat_reservations", organization)
        yield* emptyTable("unfinished_replies", organization)
      }, withoutSqlErrors)

      const organizations = sql<{ id: OrganizationId }>`
        select id from organizations where deleted_at is not null order by deleted_at`.pipe(
        Effect.map((rows) => rows.map(({ id }) => id)),
        withoutSqlErrors,
      )

      const chatbots = Effect.fnUntraced(function* (organization: OrganizationId) {
        const rows = yield* sql<{ id: ChatbotId }>`
          select id from chatbots where organization_id = ${organization} order by id limit ${CHATBOTS_AT_ONCE}`
        return rows.map(({ id }) => id)
      }, withoutSqlErrors)

      const finish = Effect.fnUntraced(
        function* (organization: OrganizationId) {
          // A chatbot refers to it, so none is made while this lock is held.
          yield* sql`select from organizations where id = ${organization} for update`
          yield* sql`
            delete from organizations where id = ${organization} and deleted_at is not null
              and not exists (select from chatbots where organization_id = ${organization})`
        },
        transaction(sql),
        withoutSqlErrors,
      )

      return { organizations, emptyOrganization, chatbots, finish }
    }),
  )
}
