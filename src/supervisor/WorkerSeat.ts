import { join } from "node:path"
import { Deferred, Effect, Layer } from "effect"
import { Seat, socketDirectory, workerCount, workerNumber } from "../system/Seat.ts"

/** The `_tag` of a message of a worker: it can serve and waits for its turn to listen, or it listens. */
export type Report = "Ready" | "Listening"
/** The `_tag` of a message to a worker: to listen, or to drain and end, since another worker has the place. */
export type Order = "Listen" | "Leave"

/** Takes the orders of the supervisor, and ends this process when the supervisor has ended. */
const takeSeat = Effect.fnUntraced(function* (number: number) {
  const isTurn = yield* Deferred.make<void>()
  const report = (_tag: Report) => Effect.sync(() => void process.send?.({ _tag }))
  let isReplaced = false
  const stop = () => process.kill(process.pid, "SIGTERM")
  const onMessage = (message: unknown) => {
    const order: Order = Object(message)._tag
    if (order === "Listen") Deferred.doneUnsafe(isTurn, Effect.void)
    if (order !== "Leave") return
    isReplaced = true
    stop()
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("message", onMessage).on("disconnect", stop)),
    () => Effect.sync(() => process.off("message", onMessage).off("disconnect", stop)),
  )
  return {
    number,
    seats: workerCount,
    socketOf: (seat: number) => join(socketDirectory, `${seat}.sock`),
    turnToListen: Effect.andThen(report("Ready"), Deferred.await(isTurn)),
    listening: report("Listening"),
    isReplaced: () => isReplaced,
  }
})

/** The seat of this process, as its environment says. */
export const layer: Layer.Layer<never> =
  workerNumber === undefined ? Layer.succeed(Seat, undefined) : Layer.effect(Seat, takeSeat(workerNumber))
