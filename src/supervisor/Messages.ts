import { Schema } from "effect"

/**
 * The environment variable by which the supervisor tells a process its place: the number of the worker, how many there
 * are, and the directory of their sockets, as `1/4:/tmp/parley-x`.
 */
export const SEAT = "SUPERVISED_SEAT"

/** Reports of a worker to its supervisor. */
export const Report = Schema.Union([
  /** It can serve, and waits for its turn to listen. */
  Schema.TaggedStruct("Ready", {}),
  Schema.TaggedStruct("Listening", {}),
  /** It has closed its listener. */
  Schema.TaggedStruct("Closed", {}),
  /** It has spread the connections; `isDone` is false where the system cannot. */
  Schema.TaggedStruct("Spread", { isDone: Schema.Boolean }),
])
export type Report = typeof Report.Type

/** Orders of the supervisor to a worker. */
export const Order = Schema.Union([
  Schema.TaggedStruct("Listen", {}),
  /** Drain and end, since another worker has the place, and new connections go to others. */
  Schema.TaggedStruct("Leave", {}),
  /** Spread new connections evenly over the listeners at these places of the kernel's list. */
  Schema.TaggedStruct("Spread", { port: Schema.Int, places: Schema.Array(Schema.Int) }),
])
export type Order = typeof Order.Type
