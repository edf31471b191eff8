import { Context, Effect, Layer, Schema, Struct } from "effect"
import { Actor } from "../../domain/audit/Actor.ts"
import type { Caller } from "../../domain/Caller.ts"
import { ConsoleSession } from "../../domain/keys/ConsoleSession.ts"
import { NotFound } from "../../domain/Errors.ts"
import { OrganizationId } from "../../domain/Ids.ts"
import { Auditing } from "../audit/Auditing.ts"
import { SystemSql } from "../sql/Database.ts"
import { decodeRows, TimestampColumn } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"

const { api_key, organization } = ConsoleSession.fields
const decodeOwners = decodeRows(
  Schema.Struct({
    api_key: Schema.Struct(Struct.omit(api_key.fields, ["expires_at"])),
    organization,
    expires_at: Schema.NullOr(TimestampColumn),
  }),
)
const decodeIds = decodeRows(Schema.Struct({ id: OrganizationId }))

const keyNotFound = new NotFound({ detail: "There is no such API key." })

/** The tables `api_keys` and `organizations`, as the console shows who is signed in. */
export class KeyOwners extends Context.Service<KeyOwners>()("parley/storage/keys/KeyOwners", {
  make: Effect.gen(function* () {
    const sql = yield* SystemSql
    const auditing = yield* Auditing

    return {
      get: Effect.fnUntraced(function* ({ apiKeyId, organizationId }: Caller["Service"]) {
        const [row] = yield* decodeOwners(sql`
          select k.expires_at,
            jsonb_build_object('id', k.id, 'name', k.name, 'prefix', k.prefix, 'last_four', k.last_four) as api_key,
            jsonb_build_object('id', o.id, 'name', o.name, 'is_operator', o.is_operator) as organization
          from api_keys k join organizations o on o.id = k.organization_id
          where k.id = ${apiKeyId} and o.id = ${organizationId}`)
        if (row === undefined) return yield* keyNotFound
        const { api_key, expires_at, organization } = row
        return { api_key: { ...api_key, expires_at }, organization }
      }, withoutSqlErrors),

      /** Records in the operator's audit log that somebody could not sign in at the console. */
      recordRefusal: Effect.gen(function* () {
        const rows = yield* decodeIds(sql`select id from organizations where is_operator`)
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
