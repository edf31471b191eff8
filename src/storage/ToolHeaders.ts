import { Context, Effect, Layer, Redacted, Schema } from "effect"
import type { Unavailable } from "../domain/Errors.ts"
import { originOf } from "../domain/chatbot/UrlTemplate.ts"
import { SystemSql } from "./sql/Database.ts"
import { Secrets, type SecretUnreadable } from "../system/Secrets.ts"
import { transaction, withoutSqlErrors } from "./sql/SqlErrors.ts"
import { json } from "./sql/SqlValues.ts"

/** By name. */
export type Headers = Redacted.Redacted<Readonly<Record<string, string>>>

/** As they are stored: all of them encrypted, or none. */
export interface StoredHeaders {
  /** By name; null where the value is encrypted. */
  readonly headers: Readonly<Record<string, string | null>>
  readonly sealed_headers: Uint8Array | null
  /** Id of the key. */
  readonly sealed_by: string | null
}

/** Whose headers they are. */
export interface HeadersOwner {
  readonly id: string
  readonly organization_id: string
  /** Encrypted headers go to the server that they were given for, and to no other. */
  readonly url: string
}

/** Tools whose headers are alike. `open`: not encrypted, and without a key. */
export interface HeadersState {
  readonly state: "open" | "sealed" | SecretUnreadable["why"]
  readonly key: string | null
  readonly tools: number
}

/** Rows that are looked at in one go. */
const ROWS_AT_ONCE = 100
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000"

/** All rows, some in one go. `visit` is given the id that they come after, in order, and returns those that it saw. */
const walk = Effect.fnUntraced(function* <E>(
  visit: (after: string) => Effect.Effect<ReadonlyArray<{ readonly id: string }>, E>,
) {
  let after: string | undefined = BEFORE_ALL
  while (after !== undefined) after = (yield* visit(after)).at(-1)?.id
})

/** The headers of tools, of all organizations. */
export class ToolHeaders extends Context.Service<
  ToolHeaders,
  {
    /** Id of the key that encrypts, if there is one. */
    readonly key: string | undefined
    /**
     * Encrypts what is not encrypted by the key that encrypts now, as far as it can be read. How many tools that were;
     * none without a key.
     */
    readonly sealAll: Effect.Effect<number, Unavailable>
    /** Reads them all. */
    readonly examine: Effect.Effect<ReadonlyArray<HeadersState>, Unavailable>
  }
>()("parley/storage/ToolHeaders") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const sql = yield* SystemSql
      const secrets = yield* Secrets

      const columns = sql.literal("id, organization_id, url, headers, sealed_headers, sealed_by")

      const sealAgain = (row: HeadersOwner & StoredHeaders) =>
        openHeaders(secrets, row).pipe(
          Effect.flatMap((headers) => sealHeaders(secrets, row, headers)),
          Effect.flatMap(
            (sealed) => sql`
              update chatbot_tools set headers = ${json(sealed.headers)},
                sealed_headers = ${sealed.sealed_headers}::bytea, sealed_by = ${sealed.sealed_by}::text
              where id = ${row.id}`,
          ),
          Effect.as(1),
          Effect.catchTag("SecretUnreadable", () => Effect.succeed(0)),
        )

      const sealAll = Effect.gen(function* () {
        const { key } = secrets
        if (key === undefined) return 0
        let tools = 0
        yield* walk(
          Effect.fnUntraced(function* (after) {
            // Whoever has a row locked encrypts it.
            const rows = yield* sql<HeadersOwner & StoredHeaders>`
              select ${columns} from chatbot_tools
              where id > ${after}::uuid and headers <> '{}' and sealed_by is distinct from ${key}::text
              order by id limit ${ROWS_AT_ONCE} for update skip locked`
            for (const row of rows) tools += yield* sealAgain(row)
            return rows
          }, transaction(sql)),
        )
        return tools
      }).pipe(withoutSqlErrors)

      const stateOf = (row: HeadersOwner & StoredHeaders) =>
        row.sealed_by === null
          ? Effect.succeed("open" as const)
          : Effect.match(openHeaders(secrets, row), {
              onSuccess: () => "sealed" as const,
              onFailure: ({ why }) => why,
            })

      const examine = Effect.gen(function* () {
        const found = new Map<string, HeadersState>()
        yield* walk(
          Effect.fnUntraced(function* (after) {
            const rows = yield* sql<HeadersOwner & StoredHeaders>`
              select ${columns} from chatbot_tools where id > ${after}::uuid and headers <> '{}'
              order by id limit ${ROWS_AT_ONCE}`
            for (const row of rows) {
              const state = yield* stateOf(row)
              const name = `${state} ${row.sealed_by}`
              found.set(name, { state, key: row.sealed_by, tools: (found.get(name)?.tools ?? 0) + 1 })
            }
            return rows
          }),
        )
        return Array.from(found.values())
      }).pipe(withoutSqlErrors)

      return { key: secrets.key, sealAll, examine }
    }),
  )
}

const HeadersJson = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))
const encodeHeaders = Schema.encodeEffect(HeadersJson)
const decodeHeaders = Schema.decodeEffect(HeadersJson)

const placeOf = ({ id, organization_id, url }: HeadersOwner) => [
  "chatbot_tools.headers",
  organization_id,
  id,
  originOf(url),
]

/** As they are to be stored: encrypted where there is a key. */
export const sealHeaders = Effect.fnUntraced(function* (
  secrets: Secrets["Service"],
  owner: HeadersOwner,
  given: Headers,
): Effect.fn.Return<StoredHeaders> {
  const headers = Redacted.value(given)
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
