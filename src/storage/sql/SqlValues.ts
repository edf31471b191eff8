import { PgTypes } from "@effect/sql-pg"
import { Duration, Result } from "effect"
import { type SqlClient, Statement } from "effect/sql"
import type { Reach } from "../../domain/Caller.ts"

/** The OID of `float4[]`, a type that the client does not know. It is the same in every Postgres. */
const FLOAT4_ARRAY = 1021

/**
 * A value for a `jsonb` column, in a template and in `sql.insert`. JavaScript's `null` becomes SQL's NULL, not JSON's.
 */
export const json = (value: unknown): PgTypes.Parameter => PgTypes.jsonb(value)

/** A value for a `json` column, which keeps the order of the keys. */
export const orderedJson = (value: unknown): PgTypes.Parameter => PgTypes.json(value)

/** An expression of type `interval`, for a template. */
export const interval = (duration: Duration.Duration): Statement.Fragment =>
  Statement.fragment([
    Statement.parameter(Duration.toMillis(duration)),
    Statement.literal("::float8 * interval '1 millisecond'"),
  ])

/**
 * A value for a `vector` column or operator, in a template and in `sql.insert`. It travels as binary `float4[]`, which
 * pgvector casts: unlike pgvector's own type, that has the same OID everywhere, and no text is made or parsed.
 */
export const vector = (values: Float32Array): Statement.Fragment =>
  Statement.fragment([Statement.parameter(floats(values)), Statement.literal("::vector")])

/**
 * An item of the `from` clause that makes the statement's transaction commit without waiting for the disk. It is for
 * writes that no client has been told of, such as chunks that do not serve yet: the next ordinary commit waits for all
 * of them.
 */
export const asynchronousCommit = (sql: SqlClient.SqlClient): Statement.Fragment =>
  sql.literal("set_config('synchronous_commit', 'off', true) as asynchronous_commit")

/** Makes a registry that encodes a `Float32Array` as `float4[]`. `registerVector` adds pgvector's types. */
export const makeRegistry = (): PgTypes.Registry => {
  const registry = PgTypes.makeRegistry()
  registry.register(FLOAT4_ARRAY, float4ArrayCodec)
  return registry
}

/** The OIDs of pgvector's types in this database. */
export interface VectorOids {
  readonly vector: number
  /** The OID of `vector[]`. */
  readonly vectors: number
}

/** Registers `vector`, decoded as `Float32Array`, and `vector[]`, which the parameters that `vectors` makes have. */
export const registerVector = (registry: PgTypes.Registry, oids: VectorOids): void => {
  registry.register(oids.vector, vectorCodec)
  registry.register(oids.vectors, { encode: encodeVectors(oids.vector), decode: notRead })
}

/** A parameter of type `vector[]`: half of the bytes of a `float4[]` for each vector, and no cast for each number. */
export const vectors = (oids: VectorOids, values: ReadonlyArray<Float32Array>): PgTypes.Parameter =>
  parameter(oids.vectors, values)

/*
 * Parameters in binary that are columns of many rows, for `unnest`, so that no text is made and parsed.
 */

export const texts = (values: ReadonlyArray<string>) => parameter(PgTypes.OID.textArray, values)
export const uuids = (values: ReadonlyArray<string>) => parameter(PgTypes.OID.uuidArray, values)
export const integers = (values: ReadonlyArray<number | null>) => parameter(PgTypes.OID.int4Array, values)
const floats = (values: Float32Array) => parameter(FLOAT4_ARRAY, values)
export const byteas = (values: ReadonlyArray<Uint8Array | null>) => parameter(PgTypes.OID.byteaArray, values)

/**
 * A condition that a chatbot is within reach. One chatbot is compared by itself, so that an index that begins with it
 * gives its rows in order.
 */
export const within = (sql: SqlClient.SqlClient, reach: Reach, column: string): Statement.Fragment => {
  if (reach === null) return sql``
  const [only] = reach
  return only !== undefined && reach.length === 1
    ? sql`and ${sql.literal(column)} = ${only}`
    : sql`and ${sql.literal(column)} = any(${uuids(reach)})`
}

/** An array in text form, for a column of arrays: within one array of arrays, Postgres wants all to have one length. */
export const arrayText = (values: ReadonlyArray<string>): string =>
  `{${values.map((value) => `"${value.replace(/["\\]/g, "\\$&")}"`).join(",")}}`

const parameter = (oid: number, value: unknown): PgTypes.Parameter => ({
  [PgTypes.ParameterTypeId]: PgTypes.ParameterTypeId,
  oid,
  value,
})

/** Arrays of numbers are parameters only. */
const notRead = (): Result.Result<never, PgTypes.CodecError> =>
  Result.fail(new PgTypes.CodecError({ message: "An array of numbers is not read here" }))

/** The header of an array: dimensions, null flag, element type, length, and lower bound, one 32-bit word each. */
const ARRAY_HEADER_WORDS = 5
const FLOAT4 = PgTypes.OID.float4

/** Each element is two words, its length in bytes (always 4) and its value. The wire is big-endian throughout. */
const encodeFloat4Array = (values: Float32Array): Uint8Array => {
  const words = new Int32Array(ARRAY_HEADER_WORDS + 2 * values.length)
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length)
  words.set([1, 0, FLOAT4, values.length, 1])
  for (let index = 0; index < bits.length; index++) {
    words[ARRAY_HEADER_WORDS + 2 * index] = 4
    words[ARRAY_HEADER_WORDS + 2 * index + 1] = bits[index] ?? 0
  }
  return Buffer.from(words.buffer).swap32()
}

const float4ArrayCodec: PgTypes.Codec<Float32Array> = {
  encode: (values) => Result.succeed(encodeFloat4Array(values)),
  decode: notRead,
}

/** The header of pgvector's binary form: a 16-bit length and 16 unused bits. The values follow. */
const VECTOR_HEADER_BYTES = 4

const vectorCodec: PgTypes.Codec<Float32Array> = {
  encode: (values) => {
    const words = new Int32Array(1 + values.length)
    words[0] = values.length << 16
    words.set(new Int32Array(values.buffer, values.byteOffset, values.length), 1)
    return Result.succeed(Buffer.from(words.buffer).swap32())
  },
  decode: (bytes) => {
    // Copied, because a Float32Array must start at a multiple of four and the wire's buffer is reused.
    const values = bytes.slice(VECTOR_HEADER_BYTES)
    Buffer.from(values.buffer).swap32()
    return Result.succeed(new Float32Array(values.buffer))
  },
}

/** Encodes all vectors into one buffer: a buffer for each took as long as making the vectors (measured). */
const encodeVectors =
  (vectorOid: number) =>
  (values: ReadonlyArray<Float32Array>): Result.Result<Uint8Array, PgTypes.CodecError> => {
    const elements = values.reduce((words, { length }) => words + 2 + length, 0)
    const words = new Int32Array(ARRAY_HEADER_WORDS + elements)
    words.set([1, 0, vectorOid, values.length, 1])
    let at = ARRAY_HEADER_WORDS
    for (const vector of values) {
      words[at] = VECTOR_HEADER_BYTES + 4 * vector.length
      words[at + 1] = vector.length << 16
      words.set(new Int32Array(vector.buffer, vector.byteOffset, vector.length), at + 2)
      at += 2 + vector.length
    }
    return Result.succeed(Buffer.from(words.buffer).swap32())
  }
