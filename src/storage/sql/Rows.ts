import { Effect, Schema, SchemaTransformation } from "effect"
import { Timestamp, timestamp } from "../../domain/schema/Timestamp.ts"

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
 * Decodes the rows that a statement returns. A row of another shape is a defect, because it is a fault of the
 * statement. For statements that no chat, search or upload waits for: decoding takes longer than a short statement.
 */
export const decodeRows = <A, I>(row: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(row))
  return <E, R>(rows: Effect.Effect<ReadonlyArray<unknown>, E, R>): Effect.Effect<ReadonlyArray<A>, E, R> =>
    Effect.flatMap(rows, (found) => Effect.orDie(decode(found)))
}
