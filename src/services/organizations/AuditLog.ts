import { Context, Duration, Effect, Layer } from "effect"
import type { AuditFilter } from "../../domain/audit/AuditEntry.ts"
import { Caller, isOperator } from "../../domain/Caller.ts"
import { NotFound } from "../../domain/Errors.ts"
import type { OrganizationId } from "../../domain/Ids.ts"
import type { Range } from "../../domain/Page.ts"
import * as Storage from "../../storage/audit/AuditLog.ts"
import { regularly } from "../../system/Background.ts"

export interface AuditSettings {
  /** Days for which entries are kept. */
  readonly retentionDays: number
}

const FORGET_INTERVAL = Duration.hours(1)

const noOrganization = new NotFound({ detail: "There is no such organization." })

export class AuditLog extends Context.Service<AuditLog>()("parley/services/organizations/AuditLog", {
  make: ({ retentionDays }: AuditSettings) =>
    Effect.gen(function* () {
      const storage = yield* Storage.AuditLog

      const forget = storage.forget(retentionDays)
      yield* Effect.forkScoped(regularly(FORGET_INTERVAL, "Old entries of the audit log could not be deleted", forget))

      return {
        /**
         * Lists the entries within the reach of the caller's admin key, the latest first: to the operator those of the
         * organization, which may be deleted, or of all when it is undefined; to others those of their own.
         */
        list: Effect.fn("AuditLog.list")(function* (
          organization: OrganizationId | undefined,
          filter: AuditFilter,
          range: Range,
        ) {
          const caller = yield* Caller
          if (isOperator(caller)) return yield* storage.listAny(organization, filter, range)
          if (organization !== undefined && organization !== caller.organizationId) return yield* noOrganization
          return yield* storage.list(filter, range)
        }),
      }
    }),
}) {
  /** Deletes entries that are too old, in the background as long as the layer lives. */
  static readonly layer = (settings: AuditSettings) => Layer.effect(this, this.make(settings))
}
