import { Effect, Redacted, Schema } from "effect"
import { originOf } from "../../domain/chatbot/UrlTemplate.ts"
import { Service } from "../../domain/Service.ts"
import { SystemSql } from "../sql/Database.ts"
import { Secrets, type SecretUnreadable } from "../../system/Secrets.ts"
import { sealRows } from "../sql/SealedRows.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { json } from "../sql/SqlValues.ts"

/** The HTTP headers of a tool by name. Their values may be secrets. */
export type Headers = Redacted.Redacted<Readonly<Record<string, string>>>

/** A tool's headers as its row holds them. Either all of them are encrypted, or none. */
export const StoredHeaders = Schema.Struct({
  /** The values by name; null where the value is encrypted. */
  headers: Schema.Record(Schema.String, Schema.NullOr(Schema.String)),
  /** The encrypted headers; null when they are not encrypted. */
  sealed_headers: Schema.NullOr(Schema.Uint8Array),
  /** The id of the key that encrypted them. */
  sealed_by: Schema.NullOr(Schema.String),
})
export type StoredHeaders = typeof StoredHeaders.Type

/** The tool that headers belong to. */
export const HeadersOwner = Schema.Struct({
  id: Schema.String,
  organization_id: Schema.String,
  /** Encrypted headers are bound to the origin of this URL, and cannot be decrypted for another server. */
  url: Schema.String,
})
export type HeadersOwner = typeof HeadersOwner.Type

/** Count of the tools whose headers are in the same state under the same key. */
export interface HeadersState {
  /** `open`: not encrypted. `sealed`: encrypted by a key that is configured. */
  readonly state: "open" | "sealed" | "unknown key"
  readonly key: string | null
  readonly tools: number
}

const decodeTools = decodeRows(Schema.Struct({ ...HeadersOwner.fields, ...StoredHeaders.fields }))
const decodeKeys = decodeRows(Schema.Struct({ key: Schema.NullOr(Schema.String), tools: Schema.Int }))

/** The encryption of the headers of tools, of all organizations. */
export class ToolHeaders extends Service<ToolHeaders>()("parley/storage/tools/ToolHeaders", function* () {
  const sql = yield* SystemSql
  const secrets = yield* Secrets

  const columns = "id, organization_id, url, headers, sealed_headers, sealed_by"
  const condition = "headers <> '{}'"

  const stateOf = (key: string | null) => {
    if (key === null) return "open"
    return secrets.keys.includes(key) ? "sealed" : "unknown key"
  }

  return {
    /** The id of the key that encrypts; undefined when none is configured. */
    key: secrets.key,

    /** Encrypts the headers of all tools as `sealRows` does. */
    sealAll: sealRows(sql, secrets, {
      name: "chatbot_tools",
      columns,
      decode: decodeTools,
      condition,
      seal: Effect.fnUntraced(function* (row) {
        const sealed = yield* sealHeaders(secrets, row, yield* openHeaders(secrets, row))
        return sql`headers = ${json(sealed.headers)}, sealed_headers = ${sealed.sealed_headers}::bytea,
          sealed_by = ${sealed.sealed_by}::text`
      }),
    }),

    /** Counts the tools with headers by the key that has encrypted these. */
    states: Effect.map(
      decodeKeys(sql`select sealed_by as key, count(*)::int as tools from chatbot_tools
        where ${sql.literal(condition)} group by sealed_by order by sealed_by`),
      (rows) => rows.map((row): HeadersState => ({ ...row, state: stateOf(row.key) })),
    ).pipe(withoutSqlErrors),
  }
}) {}

const HeadersJson = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))
const encodeHeaders = Schema.encodeEffect(HeadersJson)
const decodeHeaders = Schema.decodeEffect(HeadersJson)

const placeOf = ({ id, organization_id, url }: HeadersOwner) => [
  "chatbot_tools.headers",
  organization_id,
  id,
  originOf(url),
]

/** Encrypts a tool's headers for storage, if a key is configured. */
export const sealHeaders = Effect.fnUntraced(function* (
  secrets: Secrets["Service"],
  owner: HeadersOwner,
  redacted: Headers,
): Effect.fn.Return<StoredHeaders> {
  const headers = Redacted.value(redacted)
  const names = Object.keys(headers)
  const sealed =
    names.length === 0 ? undefined : yield* secrets.seal(yield* Effect.orDie(encodeHeaders(headers)), placeOf(owner))
  return sealed === undefined
    ? { headers, sealed_headers: null, sealed_by: null }
    : {
        headers: Object.fromEntries(names.map((name) => [name, null])),
        sealed_headers: sealed.bytes,
        sealed_by: sealed.key,
      }
})

export const openHeaders = Effect.fnUntraced(function* (
  secrets: Secrets["Service"],
  row: HeadersOwner & StoredHeaders,
): Effect.fn.Return<Headers, SecretUnreadable> {
  const { headers, sealed_by: key, sealed_headers: bytes } = row
  if (key === null || bytes === null) {
    return Redacted.make(
      Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
    )
  }
  const text = yield* secrets.open({ key, bytes }, placeOf(row))
  return Redacted.make(yield* Effect.orDie(decodeHeaders(text)))
})
