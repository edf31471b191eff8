import { Effect, Schema, SchemaTransformation } from "effect"
import { Timestamp, timestamp } from "../domain/schema/Timestamp.ts"

/** A column of type `timestamptz`, decoded as a `Timestamp`. */
export const TimestampColumn = Schema.Date.pipe(
  Schema.decodeTo(
    Timestamp,
    SchemaTransformation.transform({
      decode: (time: Date): string => timestamp(time),
      encode: (time) => new Date(time),
    }),
  ),
)

/**
 * Decodes the rows that a statement returns, by a decoder that is made once. A row of another shape is a defect, because
 * it is a fault of the statement.
 */
export const decodeRows = <A, I>(row: Schema.Codec<A, I>): DecodeRows<A> => {
  const decode = Schema.decodeUnknownSync(Schema.Array(row))
  return (rows) => Effect.map(rows, decode)
}

/** Returns the first row of a statement, or fails where there is none. */
export const rowOr =
  <F>(failure: F) =>
  <A extends {}, E, R>(rows: Effect.Effect<ReadonlyArray<A>, E, R>): Effect.Effect<A, E | F, R> =>
    Effect.flatMap(rows, ([row]) => (row === undefined ? Effect.fail(failure) : Effect.succeed(row)))

/** Makes the decoder of the first row of a statement, which is undefined where there is none. */
export const decodeRow = <A, I>(row: Schema.Codec<A, I>) => {
  const decode = decodeRows(row)
  return <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>): Effect.Effect<A | undefined, E, R> =>
    Effect.map(decode(rows), ([first]) => first)
}

/** Makes the decoder of the first row of a statement, which fails where there is none. */
export const decodeRowOr = <A extends {}, I, F>(row: Schema.Codec<A, I>, failure: F) => {
  const decode = decodeRows(row)
  return <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>): Effect.Effect<A, E | F, R> =>
    rowOr(failure)(decode(rows))
}

/** Returns the row of a statement that always returns one. */
export const onlyRow = <A>([row]: ReadonlyArray<A>): Effect.Effect<A> => Effect.orDie(Effect.fromNullishOr(row))

const decodeCounts = decodeRows(Schema.Struct({ count: Schema.Int }))

/** Returns what a statement has counted as `count`, in its only row. */
export const counted = <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>): Effect.Effect<number, E, R> =>
  Effect.map(Effect.flatMap(decodeCounts(rows), onlyRow), ({ count }) => count)

/** Decodes the rows of a statement. */
export type DecodeRows<A> = <E, R>(
  rows: Effect.Effect<ReadonlyArray<unknown>, E, R>,
) => Effect.Effect<ReadonlyArray<A>, E, R>
