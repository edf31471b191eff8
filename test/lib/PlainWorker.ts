import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Duration, Effect, Layer } from "effect"
import { Lifecycle } from "../../src/http/edge/Lifecycle.ts"
import { Server } from "../../src/http/server/Server.ts"
import { onStopSignal } from "../../src/Launcher.ts"
import * as WorkerSeat from "../../src/supervisor/WorkerSeat.ts"
import { workerNumber } from "../../src/system/Seat.ts"

/*
 * A worker with the real listener and nothing behind it, which answers with its process id. With FAILS=start it ends at
 * once, and with FAILS=listen when its turn to listen comes; with HANGS=2 the second one never gets ready. With KILLS="moment pid" it kills a process, or itself with
 * the pid 0, at a moment of its life.
 */

/** A moment in the life of a worker, in the order in which they come. */
export type Moment = "start" | "ready" | "turn" | "listening" | "leave"

const [moment, victim] = (process.env["KILLS"] ?? "").split(" ")

const reach = (reached: Moment): void => {
  if (reached !== moment) return
  try {
    process.kill(Number(victim) || process.pid, "SIGKILL")
  } catch {
    // It has been killed before.
  }
}

reach("start")
process.on("message", (order) => {
  const tag: unknown = Object(order)._tag
  if (tag === "Listen") reach("turn")
  if (tag === "Leave") reach("leave")
})
const send = process.send?.bind(process)
if (send !== undefined) {
  process.send = (report: unknown) => {
    const tag: unknown = Object(report)._tag
    if (tag === "Listening") reach("listening")
    const isSent = send(report)
    if (tag === "Ready") reach("ready")
    return isSent
  }
}

if (process.env["FAILS"] === "start") process.exit(3)

const answer = async (request: Request) => {
  if (request.url.endsWith("/slow")) await Bun.sleep(1_500)
  return new Response(String(process.pid))
}

const settings = {
  // The other one is an address of documentation, which no machine has.
  host: process.env["FAILS"] === "listen" ? "192.0.2.1" : "127.0.0.1",
  port: Number(process.env["PORT"]),
  patience: Duration.seconds(30),
  drainTimeout: Duration.seconds(30),
}

const serve = Effect.gen(function* () {
  const lifecycle = yield* Lifecycle
  yield* onStopSignal((signal) => (lifecycle.stoppedBy = signal))
  if (process.env["HANGS"] === String(workerNumber)) return yield* Effect.never
  yield* (yield* Server).serve(answer)
  return yield* Effect.never
}).pipe(
  Effect.scoped,
  Effect.provide(Layer.provideMerge(Server.layer(settings), Layer.merge(Lifecycle.layer, WorkerSeat.layer))),
)

NodeRuntime.runMain(serve, { disableErrorReporting: true })
