import { Service } from "../../domain/Service.ts"
import { Effect, Schema } from "effect"
import { ChatbotId, OrganizationId } from "../../domain/Ids.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows } from "../Rows.ts"
import { committing, retryConflicts, withoutSqlErrors } from "../sql/SqlErrors.ts"

/** Deletes at most this many rows in one statement: on the embedded database, all other statements wait for it. */
const ROWS_AT_ONCE = 100
const CHATBOTS_AT_ONCE = 50

/** The tables of what does not go with a chatbot, those of queues first, in the order in which they are emptied. */
const ownTables = [
  "source_queue",
  "test_queue",
  "mail_queue",
  "ingestions",
  "usage_entries",
  "usage_days",
  "conversation_days",
  "folded_days",
  "chat_reservations",
  "conversation_presence",
  "unfinished_replies",
  "idempotency_keys",
  "webhooks",
  "webhook_deliveries",
] as const

const decodeOrganizations = decodeRows(Schema.Struct({ id: OrganizationId }))
const decodeChatbots = decodeRows(Schema.Struct({ id: ChatbotId }))
const decodeCounts = decodeRows(Schema.Struct({ found: Schema.Int }))

/**
 * The rows that deleted organizations still own. No request can reach them. They are deleted in many small statements,
 * so that no request waits for a large organization, and so that deletion can go on after a crash.
 */
export class OrganizationRemains extends Service<OrganizationRemains>()(
  "parley/storage/organizations/OrganizationRemains",
  function* () {
    const sql = yield* SystemSql

    /**
     * Repeats a statement that finds some rows and deletes them, until it finds none. What counts is the number of
     * rows found, because another process may have deleted some of them first.
     */
    const exhaust = <E>(some: Effect.Effect<ReadonlyArray<unknown>, E>) =>
      retryConflicts(decodeCounts(some)).pipe(Effect.repeat({ while: ([row]) => (row?.found ?? 0) > 0 }), Effect.asVoid)

    const emptyTable = (table: (typeof ownTables)[number], organization: OrganizationId) => {
      const name = sql.literal(table)
      return exhaust(sql`
        with found as (
          select ctid as place from ${name} where organization_id = ${organization} limit ${ROWS_AT_ONCE}
        ), gone as (
          delete from ${name} where ctid in (select place from found)
        )
        select count(*)::int as found from found`)
    }

    /**
     * Deletes from the entries of the audit log, which the operator keeps, what may concern people: addresses, names
     * and changes. The entry of the deletion itself stays whole.
     */
    const blankAuditLog = (organization: OrganizationId) =>
      exhaust(sql`
        with found as (
          select ctid as place from audit_log
          where organization_id = ${organization} and action <> 'organization.deleted'
            and num_nonnulls(api_key_name, api_key_hint, address, before, after) > 0
          limit ${ROWS_AT_ONCE}
        ), blanked as (
          update audit_log set api_key_name = null, api_key_hint = null, address = null, before = null, after = null
          where ctid in (select place from found)
        )
        select count(*)::int as found from found`)

    return {
      /** Lists the organizations that are marked as deleted, the earliest first. */
      organizations: decodeOrganizations(
        sql`select id from organizations where deleted_at is not null order by deleted_at`,
      ).pipe(
        Effect.map((rows) => rows.map(({ id }) => id)),
        withoutSqlErrors,
      ),

      /**
       * Deletes the rows that do not go with a chatbot, such as usage, and the queued jobs, so that no more
       * documents are read and embedded. Entries of the audit log stay, without what may concern people. Several processes
       * may call any of these methods at the same time.
       */
      emptyOrganization: Effect.fn("OrganizationRemains.emptyOrganization")(function* (organization: OrganizationId) {
        for (const table of ownTables) yield* emptyTable(table, organization)
        yield* blankAuditLog(organization)
      }, withoutSqlErrors),

      /** Returns some of the organization's chatbots, or none when all are deleted. */
      chatbots: Effect.fnUntraced(function* (organization: OrganizationId) {
        const rows = yield* decodeChatbots(
          sql`select id from chatbots where organization_id = ${organization} order by id limit ${CHATBOTS_AT_ONCE}`,
        )
        return rows.map(({ id }) => id)
      }, withoutSqlErrors),

      /** Deletes the organization's own row with its keys, unless it has a chatbot. */
      finish: Effect.fnUntraced(function* (organization: OrganizationId) {
        // A chatbot refers to the organization's row, so that none can be inserted under this lock.
        yield* sql`select from organizations where id = ${organization} for update`
        yield* sql`delete from holding_entries where organization_id = ${organization}`
        yield* sql`
          delete from organizations where id = ${organization} and deleted_at is not null
            and not exists (select from chatbots where organization_id = ${organization})`
      }, committing(sql)),
    }
  },
) {}
