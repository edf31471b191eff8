import { mkdtempSync, rmSync } from "node:fs"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import { Console, Deferred, Duration, Effect, Latch, Semaphore } from "effect"
import { Config } from "../Config.ts"
import { watchSurroundings } from "../Launcher.ts"
import { cannotListen } from "../system/CannotListen.ts"
import { currentMonotonicMillis } from "../system/Monotonic.ts"
import { StartupError } from "../system/StartupError.ts"
import { wordsOf } from "../system/SystemError.ts"
import { urlOf } from "../system/Url.ts"
import { DATABASE_URL, PORT, WORKERS } from "../system/Variables.ts"
import { SEAT, workerNumber } from "../system/Seat.ts"
import type { Order, Report } from "./WorkerSeat.ts"

/** Milliseconds before a worker that has died is started again: this many, then twice as many each time. */
const WAIT_MIN = 100
const WAIT_MAX = 30_000
/** Time beyond that for draining after which a worker that does not end is killed. */
const END_GRACE = Duration.seconds(15)

/** A process that serves, and how far it is. */
interface Child {
  readonly ready: Deferred.Deferred<void>
  readonly listening: Deferred.Deferred<void>
  /** Completes with how it has ended, as the rest of a sentence. */
  readonly ended: Deferred.Deferred<string>
  process?: Bun.Subprocess
}

/** A place among the workers, which changes hands one change at a `turn`. */
interface Place {
  readonly number: number
  readonly turn: Semaphore.Semaphore
  child: Child
  nextWait: number
}

const tell = ({ process }: Child, _tag: Order): void => {
  try {
    process?.send({ _tag })
  } catch {
    // It has ended, which `ended` tells a little later.
  }
}

/** Waits for a step of a worker. Returns false if the worker has ended instead. */
const reaches = (child: Child, step: "ready" | "listening"): Effect.Effect<boolean> =>
  Effect.raceFirst(Effect.as(Deferred.await(child[step]), true), Effect.as(Deferred.await(child.ended), false))

/** Lets a worker listen once it is ready. Returns false if it has ended instead. */
const listens = Effect.fnUntraced(function* (child: Child) {
  if (yield* reaches(child, "ready")) tell(child, "Listen")
  return yield* reaches(child, "listening")
})

/**
 * Starts several servers on one port, and starts each one again that ends, until the scope closes, which stops all of
 * them. Completes when all listen. The first one starts alone: it migrates the database and makes what is made once. If
 * it ends before it is ready, so would the others, and the supervisor gives up. It listens before the others have
 * started, so that nobody waits for them.
 *
 * @param program the path of the program of a worker
 */
export const supervise = Effect.fn("Supervisor.supervise")(function* (
  workers: number,
  program: string,
  { drainTimeout, host, port }: Pick<Config["Service"]["server"], "drainTimeout" | "host" | "port">,
) {
  const patience = Duration.sum(drainTimeout, END_GRACE)
  const scope = yield* Effect.scope
  /** The directory of the sockets by which workers hand requests over to each other. */
  const sockets = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true })),
  )
  const living = new Set<Child>()

  /** Starts a worker. One that the system cannot start has ended at once. */
  const begin = (number: number): Child => {
    const child: Child = {
      ready: Deferred.makeUnsafe(),
      listening: Deferred.makeUnsafe(),
      ended: Deferred.makeUnsafe(),
    }
    const end = (how: string) => {
      living.delete(child)
      Deferred.doneUnsafe(child.ended, Effect.succeed(how))
    }
    living.add(child)
    try {
      child.process = Bun.spawn([process.execPath, ...process.execArgv, program, "serve"], {
        env: { ...process.env, [SEAT]: `${number}/${workers}:${sockets}`, [PORT]: String(port) },
        stdio: ["ignore", "inherit", "inherit"],
        ipc: (message: unknown) => {
          const report: Report = Object(message)._tag
          if (report === "Ready") Deferred.doneUnsafe(child.ready, Effect.void)
          if (report === "Listening") Deferred.doneUnsafe(child.listening, Effect.void)
        },
        onExit: (_, code, signal) => end(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`),
      })
    } catch (cause) {
      end(`could not begin: ${wordsOf(cause)}`)
    }
    return child
  }

  yield* Effect.addFinalizer(
    Effect.fnUntraced(function* () {
      for (const child of living) child.process?.kill("SIGTERM")
      const ends = Array.from(living, ({ ended }) => Deferred.await(ended))
      yield* Effect.timeoutOption(Effect.all(ends, { concurrency: "unbounded" }), patience)
      for (const child of living) child.process?.kill("SIGKILL")
      yield* Effect.logInfo("The workers have ended", { killed: living.size })
    }),
  )

  /** Starts a worker, which takes the place when it listens. Returns how it has ended instead, if so. */
  const fill = Effect.fnUntraced(function* (place: Place) {
    const child = begin(place.number)
    if (!(yield* listens(child))) return yield* Deferred.await(child.ended)
    place.child = child
    return void (yield* Effect.forkIn(keep(place, child), scope))
  })

  /** Fills a place again when the worker that has it ends. */
  const keep = Effect.fnUntraced(function* (place: Place, child: Child): Effect.fn.Return<void> {
    const about = { worker: place.number }
    const since = yield* currentMonotonicMillis
    const ending = yield* Deferred.await(child.ended)
    yield* Effect.gen(function* () {
      if (place.child !== child) return
      // One that has lived for so long has not died of its start.
      if ((yield* currentMonotonicMillis) - since > WAIT_MAX) place.nextWait = WAIT_MIN
      yield* Effect.logError(`Worker ${place.number} ${ending}, and is started again`, about)
      for (;;) {
        yield* Effect.sleep(place.nextWait)
        place.nextWait = Math.min(place.nextWait * 2, WAIT_MAX)
        const failure = yield* fill(place)
        if (failure === undefined) return
        yield* Effect.logError(`Worker ${place.number} could not start: it ${failure}`, about)
      }
    }).pipe(place.turn.withPermit)
  })

  /** Gives a place to a new worker. The old one stays where the new one cannot listen. */
  const replace = Effect.fnUntraced(function* (place: Place) {
    const change = Effect.suspend(() => Effect.all([Effect.succeed(place.child), fill(place)]))
    const [old, failure] = yield* place.turn.withPermit(change)
    const stays = `Worker ${place.number} stays: the one to replace it could not start: it ${failure}`
    if (failure !== undefined) return yield* Effect.logError(stays, { worker: place.number })
    tell(old, "Leave")
    yield* Effect.timeoutOption(Deferred.await(old.ended), patience)
    old.process?.kill("SIGKILL")
  })

  const first = begin(1)
  if (!(yield* reaches(first, "ready")))
    return yield* new StartupError({
      what: `No worker was ever ready: the first one ${yield* Deferred.await(first.ended)}.`,
      doThis: `It has said why, if it could; with ${WORKERS}=1 the same start shows it alone.`,
    })
  yield* listens(first)
  const placeOf = (number: number, child: Child): Place => ({
    number,
    turn: Semaphore.makeUnsafe(1),
    child,
    nextWait: WAIT_MIN,
  })
  const places = [
    placeOf(1, first),
    ...Array.from({ length: workers - 1 }, (_, index) => placeOf(index + 2, begin(index + 2))),
  ]
  // Each is kept from the start on: one that hangs keeps no other from its place.
  for (const place of places) yield* Effect.forkIn(keep(place, place.child), scope)
  yield* Effect.forEach(places, ({ child }) => listens(child), { concurrency: "unbounded", discard: true })
  yield* Console.log(`Listening on ${urlOf(host, port)}`)
  yield* Effect.logInfo("The workers listen", { workers })

  return {
    /** Replaces the workers, one after the other: each one leaves when the one in its place listens. */
    replaceAll: Effect.gen(function* () {
      yield* Effect.logInfo("The workers are being replaced")
      for (const place of places) yield* replace(place)
      yield* Effect.logInfo("The workers are replaced")
    }),
    /** The process ids of the workers that serve. */
    pids: (): ReadonlyArray<number> => places.map(({ child }) => child.process?.pid ?? 0),
  }
})

/**
 * The most workers that `auto` starts. Each takes 150 MB at rest, and its part of `DATABASE_CONNECTIONS` and
 * `INDEX_MEMORY`; who has more cores for Parley alone says so.
 */
const AUTO_MAX = 4

/** The number of servers that this process is to run: 1 when it serves itself. The embedded database allows one only. */
export const serverCount = Effect.gen(function* () {
  const { database, workers } = yield* Config
  const isEmbedded = database.url === undefined
  if (workerNumber !== undefined) return 1
  if (!Number.isFinite(workers.count)) return isEmbedded ? 1 : Math.min(availableParallelism(), AUTO_MAX)
  if (workers.count === 1 || !isEmbedded) return workers.count
  return yield* new StartupError({
    what: `${WORKERS} is ${workers.count}, and the embedded database serves one process only.`,
    doThis: `Set ${DATABASE_URL} to a Postgres, or ${WORKERS} to 1.`,
  })
})

/**
 * Finds the port on which several processes are to listen together, and fails when another program has it, which would
 * otherwise get a part of their requests, or they of its.
 */
export const reservePort = (
  settings: Pick<Config["Service"]["server"], "host" | "port">,
): Effect.Effect<number, StartupError> =>
  Effect.sync(() =>
    Bun.serve({ hostname: settings.host, port: settings.port, fetch: () => new Response(null, { status: 503 }) }),
  ).pipe(
    Effect.catchDefect((cause) => Effect.flip(cannotListen(settings, cause))),
    Effect.flatMap((server) =>
      Effect.as(
        Effect.promise(() => server.stop(true)),
        server.port ?? settings.port,
      ),
    ),
  )

/**
 * Runs workers, each of them this program, until this process loses what has launched it, and replaces them on SIGHUP.
 */
export const serveSeveral = Effect.fnUntraced(function* (workers: number, program: string) {
  const { server } = yield* Config
  const port = yield* reservePort(server)
  const hungUp = yield* Latch.make(false)
  const ended = yield* watchSurroundings(() => hungUp.openUnsafe())
  const { replaceAll } = yield* supervise(workers, program, { ...server, port })
  const replacing = Effect.andThen(hungUp.await, Effect.andThen(hungUp.close, replaceAll))
  const reason = yield* Effect.raceFirst(Effect.forever(replacing), ended)
  yield* Effect.logInfo("The workers are stopping", { reason })
}, Effect.scoped)
