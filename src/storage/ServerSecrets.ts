import { Effect, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { type Sealed, Secrets } from "../system/Secrets.ts"
import { SystemSql } from "./sql/Database.ts"
import { decodeRows } from "./Rows.ts"
import { withoutSqlErrors } from "./sql/SqlErrors.ts"
import { Service } from "../domain/Service.ts"

const SECRET_BYTES = 32

const Row = Schema.Struct({
  value: Schema.NullOr(Schema.Uint8Array),
  sealed: Schema.NullOr(Schema.Uint8Array),
  sealed_by: Schema.NullOr(Schema.String),
})
type Row = typeof Row.Type

const decodeSecrets = decodeRows(Row)

/** The table `server_secrets`: random secrets that all servers of one database share. */
export class ServerSecrets extends Service<ServerSecrets>()("parley/storage/ServerSecrets", function* () {
  const sql = yield* SystemSql
  const secrets = yield* Secrets
  const random = yield* SecureRandom.SecureRandom

  const placeOf = (name: string) => ["server_secrets", name]

  const columnsOf = Effect.fnUntraced(function* (name: string, bytes: Uint8Array): Effect.fn.Return<Row> {
    const sealed: Sealed | undefined = yield* secrets.seal(Buffer.from(bytes).toString("base64"), placeOf(name))
    return sealed === undefined
      ? { value: bytes, sealed: null, sealed_by: null }
      : { value: null, sealed: sealed.bytes, sealed_by: sealed.key }
  })

  const find = (name: string) =>
    Effect.map(
      decodeSecrets(sql`select value, sealed, sealed_by from server_secrets where name = ${name}`),
      ([row]) => row,
    )

  const make = Effect.fnUntraced(function* (name: string) {
    const columns = yield* columnsOf(name, yield* random.randomBytes(SECRET_BYTES))
    yield* sql`insert into server_secrets ${sql.insert({ name, ...columns })} on conflict do nothing`
    // Another server may have been first.
    const row = yield* find(name)
    return row ?? columns
  })

  return {
    /**
     * Returns the secret of 32 bytes with this name, which is made when it is asked for the first time. It is encrypted
     * when a key for that is configured, also where it was stored before without one or with an older one.
     */
    get: Effect.fnUntraced(function* (name: string) {
      const row = (yield* find(name)) ?? (yield* make(name))
      const { sealed, sealed_by, value } = row
      const bytes =
        sealed === null || sealed_by === null
          ? (value ?? new Uint8Array())
          : Buffer.from(yield* secrets.open({ key: sealed_by, bytes: sealed }, placeOf(name)), "base64")
      if (secrets.key !== undefined && sealed_by !== secrets.key) {
        const columns = yield* columnsOf(name, bytes)
        yield* sql`update server_secrets set ${sql.update({ ...columns })} where name = ${name}`
      }
      return Redacted.make<Uint8Array>(bytes)
    }, withoutSqlErrors),
  }
}) {}
