import { join } from "node:path"
import { Deferred, Effect, Layer, Schema } from "effect"
import { Seat } from "../system/Seat.ts"
import { Order, type Report, SEAT } from "./Messages.ts"
import { spread } from "./PortSpread.ts"

/** The place of this process among the workers of a supervisor; undefined where no supervisor has started it. */
const [, number, seats, directory] =
  process.send === undefined ? [] : (/^(\d+)\/(\d+):(.+)$/.exec(process.env[SEAT] ?? "") ?? [])

/** The number of this worker; undefined where no supervisor has started it. */
export const workerNumber: number | undefined = number === undefined ? undefined : Number(number)

const decodeOrder = Schema.decodeUnknownSync(Order)

/** Takes the orders of the supervisor, and ends this process when the supervisor has ended. */
const takeSeat = Effect.fnUntraced(function* (number: number) {
  const isTurn = yield* Deferred.make<void>()
  const report = (report: Report) => Effect.sync(() => void process.send?.(report))
  let isReplaced = false
  const onMessage = (message: unknown) => {
    const order = decodeOrder(message)
    if (order._tag === "Listen") return void Deferred.doneUnsafe(isTurn, Effect.void)
    if (order._tag === "Leave") {
      isReplaced = true
      return void process.kill(process.pid, "SIGTERM")
    }
    process.send?.({ _tag: "Spread", isDone: spread(order.port, order.places) } satisfies Report)
  }
  const onDisconnect = () => process.kill(process.pid, "SIGTERM")
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("message", onMessage).on("disconnect", onDisconnect)),
    () => Effect.sync(() => process.off("message", onMessage).off("disconnect", onDisconnect)),
  )
  return {
    number,
    seats: Number(seats),
    socketOf: (seat: number) => join(directory ?? "", `${seat}.sock`),
    turnToListen: Effect.andThen(report({ _tag: "Ready" }), Deferred.await(isTurn)),
    isReplaced: () => isReplaced,
    listening: report({ _tag: "Listening" }),
    closed: report({ _tag: "Closed" }),
  }
})

/** The seat of this process, as its environment says. */
export const layer: Layer.Layer<never> =
  workerNumber === undefined ? Layer.succeed(Seat, undefined) : Layer.effect(Seat, takeSeat(workerNumber))
