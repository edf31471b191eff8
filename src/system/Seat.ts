import { Context, type Effect } from "effect"

/** The place of a process among the workers that share one port. */
export interface WorkerSeat {
  /** The number of the worker, from 1 on. A replacement has the number of the worker that it replaces. */
  readonly number: number
  /** Number of workers. */
  readonly seats: number
  /** The path of the Unix socket on which a worker takes requests from the others. */
  readonly socketOf: (seat: number) => string
  /** Reports that the worker is ready, and waits for its turn to listen. */
  readonly turnToListen: Effect.Effect<void>
  /** Reports that the worker listens. */
  readonly listening: Effect.Effect<void>
  /** Whether another worker has taken the place, while this one leaves. */
  readonly isReplaced: () => boolean
}

/** The seat of this process; undefined in a process that has its port to itself. */
export const Seat = Context.Reference<WorkerSeat | undefined>("parley/system/Seat", { defaultValue: () => undefined })
