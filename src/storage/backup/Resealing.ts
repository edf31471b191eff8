import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { OrganizationId } from "../../domain/Ids.ts"
import type { Secrets } from "../../system/Secrets.ts"
import { decodeRows } from "../Rows.ts"
import { json } from "../sql/SqlValues.ts"
import { HeadersOwner, openHeaders, sealHeaders, StoredHeaders } from "../tools/ToolHeaders.ts"
import { connectionSecretPlace } from "../models/ModelConnections.ts"
import { providerSecretPlace } from "../people/SignInProviders.ts"
import { webhookSecretPlace } from "../webhooks/WebhookSecrets.ts"
import { identitySecretPlace } from "../widget/IdentitySecrets.ts"

/** A row with an encrypted secret. */
const SealedRow = Schema.Struct({
  id: Schema.String,
  organization_id: Schema.String,
  /** Empty for rows of tables that have no such column, and for a webhook of all chatbots. */
  chatbot_id: Schema.String,
  sealed: Schema.Uint8Array,
  sealed_by: Schema.String,
})
type SealedRow = typeof SealedRow.Type

/** The columns with encrypted secrets, except the headers of tools, and the places to which the secrets are bound. */
const places: ReadonlyArray<{
  readonly table: string
  readonly sealed: string
  readonly by: string
  readonly placeOf: (row: SealedRow) => ReadonlyArray<string>
}> = [
  { table: "identity_secrets", sealed: "sealed", by: "sealed_by", placeOf: identitySecretPlace },
  { table: "sign_in_providers", sealed: "sealed", by: "sealed_by", placeOf: providerSecretPlace },
  { table: "model_connections", sealed: "sealed", by: "sealed_by", placeOf: connectionSecretPlace },
  { table: "webhooks", sealed: "sealed", by: "sealed_by", placeOf: webhookSecretPlace },
  { table: "webhooks", sealed: "old_sealed", by: "old_sealed_by", placeOf: webhookSecretPlace },
]

/**
 * Encrypts the secrets of an organization anew that has got another id, because they are bound to the one before.
 * Those that cannot be decrypted stay as they are.
 */
export const sealAgain = Effect.fn("Resealing.sealAgain")(function* (
  sql: SqlClient.SqlClient,
  secrets: Secrets["Service"],
  from: OrganizationId,
  organization: OrganizationId,
) {
  const tools = yield* decodeTools(sql`
    select id, organization_id, url, headers, sealed_headers, sealed_by from chatbot_tools
    where organization_id = ${organization} and sealed_by is not null`)
  for (const tool of tools) {
    const opened = yield* Effect.option(openHeaders(secrets, { ...tool, organization_id: from }))
    if (Option.isNone(opened)) continue
    const { headers, sealed_by, sealed_headers } = yield* sealHeaders(secrets, tool, opened.value)
    yield* sql`update chatbot_tools set headers = ${json(headers)}, sealed_headers = ${sealed_headers}::bytea,
      sealed_by = ${sealed_by}::text where id = ${tool.id}`
  }
  for (const { by, placeOf, sealed, table } of places) {
    const rows = yield* decodeSealed(sql`
      select id, organization_id, coalesce(to_jsonb(t) ->> 'chatbot_id', '') as chatbot_id, ${sql(sealed)} as sealed,
        ${sql(by)} as sealed_by from ${sql(table)} t
      where organization_id = ${organization} and ${sql(by)} is not null`)
    for (const row of rows) {
      const open = secrets.open({ key: row.sealed_by, bytes: row.sealed }, placeOf({ ...row, organization_id: from }))
      const opened = yield* Effect.option(open)
      const again = Option.isNone(opened) ? undefined : yield* secrets.seal(opened.value, placeOf(row))
      if (again === undefined) continue
      yield* sql`update ${sql(table)} set ${sql(sealed)} = ${again.bytes}, ${sql(by)} = ${again.key} where id = ${row.id}`
    }
  }
})

const decodeTools = decodeRows(Schema.Struct({ ...HeadersOwner.fields, ...StoredHeaders.fields }))
const decodeSealed = decodeRows(SealedRow)
