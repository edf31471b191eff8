import { Context, Effect, Layer, Schema } from "effect"
import type { Unavailable } from "../../domain/Errors.ts"
import { SystemSql } from "../sql/Database.ts"
import { type QueueState, queueState } from "../sql/LeaseQueue.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { FAILING_FROM, webhookTable } from "./WebhookQueue.ts"

/** The webhooks of all organizations in numbers. */
export interface WebhookNumbers {
  readonly active: number
  /** Webhooks whose endpoint fails, and that are still tried. */
  readonly failing: number
  /** Webhooks that the server has switched off. */
  readonly dead: number
  readonly dropped: number
}

const decodeNumbers = decodeRows(
  Schema.Struct({ active: Schema.Int, failing: Schema.Int, dead: Schema.Int, dropped: Schema.Int }),
)

/** Figures for operators about the webhooks of all organizations. */
export class WebhookFigures extends Context.Service<
  WebhookFigures,
  {
    readonly numbers: Effect.Effect<WebhookNumbers, Unavailable>
    /** The queue of webhooks with deliveries that wait. */
    readonly queue: Effect.Effect<QueueState, Unavailable>
  }
>()("parley/storage/webhooks/WebhookFigures") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(SystemSql, (sql) => ({
      numbers: decodeNumbers(sql`
        select count(*) filter (where active)::int as active,
          count(*) filter (where active and failures >= ${FAILING_FROM})::int as failing,
          count(*) filter (where switched_off is not null)::int as dead,
          coalesce(sum(dropped), 0)::int as dropped
        from webhooks`).pipe(
        Effect.map(([row]) => row ?? { active: 0, failing: 0, dead: 0, dropped: 0 }),
        withoutSqlErrors,
      ),
      queue: withoutSqlErrors(queueState(sql, webhookTable.table)),
    })),
  )
}
