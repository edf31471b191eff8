import { availableParallelism } from "node:os"
import { Effect, Latch } from "effect"
import { Config } from "../Config.ts"
import { watchLauncher, watchTerminal } from "../Launcher.ts"
import { StartupError } from "../system/StartupError.ts"
import { urlOf } from "../system/Url.ts"
import { DATABASE_URL, WORKERS } from "../system/Variables.ts"
import { supervise } from "./Supervisor.ts"
import { workerNumber } from "./WorkerSeat.ts"

/**
 * The number of servers that the settings ask this process to run: 1 when it serves itself. Fails when several are asked
 * for, and the database serves one process only.
 */
export const serverCount = Effect.gen(function* () {
  const { database, workers } = yield* Config
  const isEmbedded = database.url === undefined
  if (workerNumber !== undefined) return 1
  if (!Number.isFinite(workers.count)) return isEmbedded ? 1 : availableParallelism()
  if (workers.count === 1 || !isEmbedded) return workers.count
  return yield* new StartupError({
    what: `${WORKERS} is ${workers.count}, and the embedded database serves one process only.`,
    doThis: `Set ${DATABASE_URL} to a Postgres, or ${WORKERS} to 1.`,
  })
})

/**
 * Watches the launcher and the terminal of this process, without which a server ends: then `ended` completes with the
 * reason. A worker ends with its supervisor instead.
 */
export const watchSurroundings = Effect.fnUntraced(function* (onHangUp?: () => void) {
  const isWorker = workerNumber !== undefined
  const launcherEnded = isWorker ? Effect.never : yield* watchLauncher
  const terminalClosed = yield* watchTerminal(isWorker ? () => {} : onHangUp)
  const ended = Effect.raceFirst(
    Effect.as(launcherEnded, "what launched it has ended"),
    Effect.as(terminalClosed, "its terminal was closed"),
  )
  return { ended }
})

/**
 * Runs several servers on one port, and replaces them one after the other on SIGHUP.
 *
 * @param program the path of the program of a worker
 * @param reservePort finds the port that the workers share
 */
export const serveSeveral = Effect.fnUntraced(function* (
  workers: number,
  program: string,
  reservePort: (address: Config["Service"]["server"]) => Effect.Effect<number, StartupError>,
) {
  const hungUp = yield* Latch.make(false)
  const { ended } = yield* watchSurroundings(() => hungUp.openUnsafe())
  const { server } = yield* Config
  const port = yield* reservePort(server)
  const url = urlOf(server.host, port)
  const { replaceAll } = yield* supervise({ workers, port, url, drainTimeout: server.drainTimeout, program })
  const replacing = hungUp.await.pipe(
    Effect.andThen(hungUp.close),
    Effect.andThen(replaceAll),
    // Whatever becomes of a replacement, the workers that there are go on.
    Effect.catchDefect((defect) => Effect.logError("The workers could not be replaced", defect)),
    Effect.forever,
  )
  const reason = yield* Effect.raceFirst(replacing, ended)
  yield* Effect.logInfo("The workers are stopping", { reason })
}, Effect.scoped)
