import { Clock, Context, DateTime, Effect, Layer, type Redacted, Semaphore } from "effect"
import manifest from "../../../package.json" with { type: "json" }
import type { SystemState } from "../../domain/system/SystemState.ts"
import { timestamp } from "../../domain/schema/Timestamp.ts"
import { KnowledgeIndexes } from "../../knowledge/search/KnowledgeIndexes.ts"
import { Inspection } from "../../storage/inspection/Inspection.ts"
import type { QueueState } from "../../storage/sql/LeaseQueue.ts"
import { StartWarnings } from "../../system/StartWarnings.ts"
import { Doctor } from "../doctor/Doctor.ts"
import { Health } from "./Health.ts"

export interface SystemStatesSettings {
  /** The URL of the Postgres server; undefined for the embedded database. */
  readonly database: { readonly url: Redacted.Redacted | undefined }
  /** The most bytes of search indexes in memory. */
  readonly knowledgeIndexes: { readonly bytes: number }
}

/** State of the server, for its operator. */
export class SystemStates extends Context.Service<SystemStates>()("parley/services/system/SystemStates", {
  make: (settings: SystemStatesSettings) =>
    Effect.gen(function* () {
      const health = yield* Health
      const { queues, versions } = yield* Inspection
      const { usage } = yield* KnowledgeIndexes
      const doctor = yield* Doctor
      const warnings = yield* StartWarnings
      const startedAt = yield* DateTime.nowAsDate
      const start = yield* Clock.monotonicTimeNanos
      const turn = yield* Semaphore.make(1)

      const current = Effect.gen(function* () {
        const { areVectorsMissing } = yield* health.check
        const database = yield* versions
        const { ingestions, reembeddings, source_queue } = yield* queues
        return {
          version: manifest.version,
          runtime: `Bun ${Bun.version}`,
          started_at: timestamp(startedAt),
          uptime_seconds: Number(((yield* Clock.monotonicTimeNanos) - start) / 1_000_000n) / 1_000,
          vectors: areVectorsMissing ? ("waiting" as const) : ("complete" as const),
          database: {
            kind: settings.database.url === undefined ? ("embedded" as const) : ("postgres" as const),
            version: database.postgres,
            pgvector: database.pgvector,
            migration: database.migration,
          },
          queues: [
            queueOf("ingestion", ingestions),
            queueOf("embedding", reembeddings),
            queueOf("sources", source_queue),
          ],
          search_indexes: { ...(yield* usage), limit_bytes: settings.knowledgeIndexes.bytes },
          memory_bytes: process.memoryUsage.rss(),
          warnings,
        }
      })

      return {
        current: Effect.withSpan(current, "SystemStates.current"),

        /** Examines everything that a server needs, as it is now. Those who ask at the same time take turns. */
        examine: turn.withPermit(doctor.examine),
      }
    }),
}) {
  static readonly layer = (settings: SystemStatesSettings) => Layer.effect(this, this.make(settings))
}

const queueOf = (
  kind: SystemState["queues"][number]["kind"],
  { delayed, overdue_seconds, underWay, waiting }: QueueState,
): SystemState["queues"][number] => ({
  kind,
  waiting,
  under_way: underWay,
  delayed,
  oldest_seconds: overdue_seconds,
})
