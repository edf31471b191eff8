import { Effect, Redacted, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Secrets, SecretUnreadable } from "../../system/Secrets.ts"
import { decodeRows, type DecodeRows } from "../Rows.ts"
import { transaction, withoutSqlErrors } from "./SqlErrors.ts"

/** Reads this many rows in one statement. */
const ROWS_AT_ONCE = 100
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000"

const decodeIds = decodeRows(Schema.Struct({ id: Schema.String }))

/** The columns of a secret: its text, or the encrypted text with the key that has encrypted it. */
export const SecretColumns = Schema.Struct({
  secret: Schema.NullOr(Schema.String),
  sealed: Schema.NullOr(Schema.Uint8Array),
  sealed_by: Schema.NullOr(Schema.String),
})
export type SecretColumns = typeof SecretColumns.Type

const SecretRow = Schema.Struct({ id: Schema.String, organization_id: Schema.String, ...SecretColumns.fields })
export const SECRET_COLUMNS = "id, organization_id, secret, sealed, sealed_by"
/** Decodes the columns `SECRET_COLUMNS` of rows of an organization. */
export const decodeSecrets = decodeRows(SecretRow)

/** Encrypts a secret for the place where it is stored, if a key is configured. */
export const sealSecret = Effect.fnUntraced(function* (
  secrets: Secrets["Service"],
  secret: Redacted.Redacted,
  place: ReadonlyArray<string>,
): Effect.fn.Return<SecretColumns> {
  const text = Redacted.value(secret)
  const sealed = yield* secrets.seal(text, place)
  return sealed === undefined
    ? { secret: text, sealed: null, sealed_by: null }
    : { secret: null, sealed: sealed.bytes, sealed_by: sealed.key }
})

/** Decrypts the secret of a row, which is empty where the row has none. */
export const openSecret = (
  secrets: Secrets["Service"],
  { sealed: bytes, sealed_by: key, secret }: SecretColumns,
  place: ReadonlyArray<string>,
): Effect.Effect<Redacted.Redacted, SecretUnreadable> =>
  Effect.map(
    bytes === null || key === null ? Effect.succeed(secret ?? "") : secrets.open({ key, bytes }, place),
    (text) => Redacted.make(text),
  )

export const secretAssignments = (sql: SqlClient.SqlClient, { sealed, sealed_by, secret }: SecretColumns) =>
  sql`secret = ${secret}::text, sealed = ${sealed}::bytea, sealed_by = ${sealed_by}::text`

/** A table whose rows have a secret, and a column `sealed_by` with the key that has encrypted it. */
export interface SealedTable<Row> {
  readonly name: string
  /** The names of the columns of `Row`. */
  readonly columns: string
  readonly decode: DecodeRows<Row>
  /** The condition of the rows that have a secret; absent when all have one. */
  readonly condition?: string
  /** Encrypts the secret of a row again, and returns the assignments of its columns. */
  readonly seal: (row: Row) => Effect.Effect<Statement.Fragment, SecretUnreadable>
}

/**
 * Encrypts, with the key that encrypts, the secrets of all organizations that it has not encrypted and that can be read.
 * Returns the number of rows; 0 without a key.
 *
 * A row is locked from the moment when it is read, so that what another server writes meanwhile is not undone, and no
 * other row is, so that nobody waits for long and nobody for each other.
 */
export const sealRows = <Row>(
  sql: SqlClient.SqlClient,
  { key }: Secrets["Service"],
  { columns, condition = "true", decode, name, seal }: SealedTable<Row>,
) => {
  const pending = sql`${sql.literal(condition)} and sealed_by is distinct from ${key ?? null}::text`

  const sealOne = Effect.fnUntraced(
    function* (id: string) {
      const [row] = yield* decode(sql`
        select ${sql.literal(columns)} from ${sql(name)} where id = ${id}::uuid and ${pending} for update`)
      if (row === undefined) return 0
      yield* sql`update ${sql(name)} set ${yield* seal(row)} where id = ${id}::uuid`
      return 1
    },
    transaction(sql),
    Effect.catchTag("SecretUnreadable", () => Effect.succeed(0)),
  )

  return Effect.gen(function* () {
    if (key === undefined) return 0
    let count = 0
    for (let after = BEFORE_ALL; ;) {
      const rows = yield* decodeIds(sql`
        select id from ${sql(name)} where id > ${after}::uuid and ${pending} order by id limit ${ROWS_AT_ONCE}`)
      for (const { id } of rows) count += yield* sealOne(id)
      const last = rows.at(-1)
      if (last === undefined) return count
      after = last.id
    }
  }).pipe(withoutSqlErrors)
}

/** Does what `sealRows` does for a table whose rows have `SecretColumns`, each encrypted for its own place. */
export const sealSecretsOf = <Row extends SecretColumns>(
  sql: SqlClient.SqlClient,
  secrets: Secrets["Service"],
  table: Omit<SealedTable<Row>, "seal">,
  placeOf: (row: Row) => ReadonlyArray<string>,
) =>
  sealRows(sql, secrets, {
    ...table,
    seal: Effect.fnUntraced(function* (row) {
      const secret = yield* openSecret(secrets, row, placeOf(row))
      return secretAssignments(sql, yield* sealSecret(secrets, secret, placeOf(row)))
    }),
  })

/** Does what `sealRows` does for a table whose rows have `SECRET_COLUMNS`. */
export const sealSecrets = (
  sql: SqlClient.SqlClient,
  secrets: Secrets["Service"],
  name: string,
  placeOf: (row: typeof SecretRow.Type) => ReadonlyArray<string>,
) => sealSecretsOf(sql, secrets, { name, columns: SECRET_COLUMNS, decode: decodeSecrets }, placeOf)
