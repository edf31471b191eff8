import { Cache, Duration, Effect, Exit, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ATTACHMENT_MAX_BYTES } from "../../domain/chat/Attachment.ts"
import { QuotaReached } from "../../domain/Errors.ts"
import type { OrganizationId } from "../../domain/Ids.ts"
import { type Amounts, defaultQuota, excess, Holdings, Quota, quotaLimitsOf } from "../../domain/organizations/Quota.ts"
import { Service } from "../../domain/Service.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"

/** Time for which a process counts new conversations by itself before it asks the database again. */
const CONVERSATIONS_FRESH = Duration.seconds(5)
/** The most organizations whose conversations a process counts. */
const CONVERSATIONS_CAPACITY = 10_000

/**
 * The part of an organization's bytes that may be stored when a visitor sends a file, so that visitors, who need no key,
 * cannot keep its own people from storing anything.
 */
const VISITORS_SHARE = 0.75
/** The part of them that all visitors' files may take which are not sent yet, and never less than the largest file. */
const UNSENT_SHARE = 0.05

const tooManyUnsent = new QuotaReached({
  detail: "Visitors have sent as many files as may wait for their messages. Try again later.",
})

/**
 * Fails when these things are more than the organization may store, or, with the bytes of visitors' files that are not
 * sent yet, than may be stored when a visitor uploads them.
 */
type EnsureRoom = (more: Amounts, unsent?: number) => Effect.Effect<void, QuotaReached>

const decodeQuotas = decodeRows(Schema.Struct({ quota: Quota, held: Schema.NullOr(Holdings) }))

/**
 * The tables `holdings` and `holding_entries`, which the database itself keeps, and the quotas of organizations that
 * have one of their own.
 */
export class Quotas extends Service<Quotas>()("parley/storage/organizations/Quotas", function* () {
  const sql = yield* SqlClient.SqlClient

  const read = Effect.fnUntraced(function* (organization: OrganizationId) {
    const [row] = yield* decodeQuotas(sql`
          select o.quota, row_to_json(h) as held
          from organizations o left join fold_holdings(${organization}) h on true
          where o.id = ${organization}`)
    return {
      limits: row === undefined ? defaultQuota : quotaLimitsOf(row.quota),
      held: { ...nothing, ...row?.held },
    }
  })

  const room = Effect.map(
    Effect.flatMap(CurrentOrganization, read),
    ({ held, limits }): EnsureRoom =>
      (more, unsent) => {
        const bytes = unsent === undefined ? limits.bytes : Math.floor(limits.bytes * VISITORS_SHARE)
        const unsentMax = Math.max(limits.bytes * UNSENT_SHARE, ATTACHMENT_MAX_BYTES)
        const isCrowded = unsent !== undefined && unsent + (more.bytes ?? 0) > unsentMax
        const failure = excess({ ...limits, bytes }, held, more) ?? (isCrowded ? tooManyUnsent : undefined)
        return failure === undefined ? Effect.void : Effect.fail(failure)
      },
  )

  const conversations = yield* Cache.makeWith(
    (organization: OrganizationId) =>
      read(organization).pipe(Effect.provideService(CurrentOrganization, organization), withoutSqlErrors),
    {
      capacity: CONVERSATIONS_CAPACITY,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? CONVERSATIONS_FRESH : Duration.zero),
    },
  )

  return {
    /**
     * Reads what the current organization stores and may store. In a transaction, other transactions that call this
     * wait until it ends, so that several of them cannot exceed a quota together. Only repositories use it.
     */
    room,

    /** Fails when these things are more than the current organization may store at this moment. */
    ensureRoom: (more: Amounts) =>
      room.pipe(
        Effect.flatMap((ensure) => ensure(more)),
        withoutSqlErrors,
      ),

    /**
     * Fails when the current organization may not store another conversation. Costs a statement every few seconds only,
     * so that each process may exceed the quota by what it stores meanwhile.
     */
    ensureConversation: CurrentOrganization.use((organization) =>
      Effect.flatMap(Cache.get(conversations, organization), ({ held, limits }) => {
        const failure = excess(limits, held, { conversations: 1 })
        if (failure !== undefined) return Effect.fail(failure)
        held.conversations++
        return Effect.void
      }),
    ),
  }
}) {}

const nothing: Holdings = { chatbots: 0, tools: 0, documents: 0, bytes: 0, chunks: 0, conversations: 0 }
