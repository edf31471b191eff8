import * as NodeRuntime from "@effect/platform-node-shared/NodeRuntime"
import { Duration, Effect, Layer } from "effect"
import { Lifecycle } from "../../src/http/edge/Lifecycle.ts"
import { Server } from "../../src/http/server/Server.ts"
import { onStopSignal } from "../../src/Launcher.ts"
import * as WorkerSeat from "../../src/supervisor/WorkerSeat.ts"

/*
 * A worker with the real listener and nothing behind it, which answers with its process id. With FAILS=start it ends at
 * once, and with FAILS=listen when its turn to listen comes.
 */

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
  drainTimeout: Duration.seconds(5),
}

const serve = Effect.gen(function* () {
  const lifecycle = yield* Lifecycle
  yield* onStopSignal((signal) => (lifecycle.stoppedBy = signal))
  yield* (yield* Server).serve(answer)
  return yield* Effect.never
}).pipe(
  Effect.scoped,
  Effect.provide(Layer.provideMerge(Server.layer(settings), Layer.merge(Lifecycle.layer, WorkerSeat.layer))),
)

NodeRuntime.runMain(serve, { disableErrorReporting: true })
