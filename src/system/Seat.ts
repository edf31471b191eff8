import { Context, type Effect } from "effect"

/** The environment variable for the number of a worker, how many there are, and the directory of their sockets. */
export const SEAT = "SUPERVISED_SEAT"

const [, number, workers, directory = ""] =
  process.send === undefined ? [] : (/^(\d+)\/(\d+):(.+)$/.exec(process.env[SEAT] ?? "") ?? [])

/** The number of this worker; undefined where no supervisor has started it. */
export const workerNumber: number | undefined = number === undefined ? undefined : Number(number)
/** The number of workers that share the port with this process, itself among them. */
export const workerCount: number = Number(workers ?? 1)
/** The directory of the sockets of the workers. */
export const socketDirectory: string = directory

/** The part of each worker in what all of them may have together. */
export const ofWorker =
  (least: number) =>
  (whole: number): number =>
    Math.max(least, Math.floor(whole / workerCount))

/** The place of a process among the workers that share one port. */
export interface WorkerSeat {
  /** The number of the worker, from 1 on. A replacement has the number of the worker that it replaces. */
  readonly number: number
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
