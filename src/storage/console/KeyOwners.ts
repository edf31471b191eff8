import { Context, Effect, Layer } from "effect"
import { Actor } from "../../domain/audit/Actor.ts"
import type { Caller } from "../../domain/Caller.ts"
import type { ConsoleSession } from "../../domain/console/ConsoleSession.ts"
import { NotFound } from "../../domain/Errors.ts"
import type { OrganizationId } from "../../domain/Ids.ts"
import { timestamp } from "../../domain/schema/Timestamp.ts"
import { Auditing } from "../audit/Auditing.ts"
import { SystemSql } from "../sql/Database.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"

/** An API key, without its secret, and the organization that owns it. */
export type KeyOwner = Pick<ConsoleSession, "api_key" | "organization">

interface Row {
  readonly api_key: Omit<KeyOwner["api_key"], "expires_at">
  readonly organization: KeyOwner["organization"]
  readonly expires_at: Date | null
}

const keyNotFound = new NotFound({ detail: "There is no such API key." })

/** The tables `api_keys` and `organizations`, as the console shows who is signed in. */
export class KeyOwners extends Context.Service<KeyOwners>()("parley/storage/console/KeyOwners", {
  make: Effect.gen(function* () {
    const sql = yield* SystemSql
    const auditing = yield* Auditing

    return {
      get: Effect.fnUntraced(function* ({ apiKeyId, organizationId }: Caller["Service"]) {
        const [row] = yield* sql<Row>`
          select k.expires_at,
            jsonb_build_object('id', k.id, 'name', k.name, 'prefix', k.prefix, 'last_four', k.last_four) as api_key,
            jsonb_build_object('id', o.id, 'name', o.name, 'is_operator', o.is_operator) as organization
          from api_keys k join organizations o on o.id = k.organization_id
          where k.id = ${apiKeyId} and o.id = ${organizationId}`
        if (row === undefined) return yield* keyNotFound
        const expires_at = row.expires_at === null ? null : timestamp(row.expires_at)
        return { api_key: { ...row.api_key, expires_at }, organization: row.organization }
      }, withoutSqlErrors),

      /** Records in the operator's audit log that somebody could not sign in at the console. */
      recordRefusal: Effect.gen(function* () {
        const rows = yield* sql<{ id: OrganizationId }>`select id from organizations where is_operator`
        for (const { id } of rows) yield* auditing.mention(sql, { organization: id, action: "sign_in.refused" })
      }).pipe(Effect.provideService(Actor, "anonymous"), withoutSqlErrors),

      /** Records in the audit log that somebody has signed in at the console with this key. */
      recordSignIn: ({ apiKeyId, organizationId }: Caller["Service"]) =>
        auditing.mention(sql, {
          organization: organizationId,
          action: "api_key.signed_in",
          target: apiKeyId,
          apiKey: apiKeyId,
        }),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
