import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Console, Deferred, Duration, Effect, Latch, Schema, type Scope, Semaphore } from "effect"
import { currentMonotonicMillis } from "../system/Monotonic.ts"
import { StartupError } from "../system/StartupError.ts"
import { wordsOf } from "../system/SystemError.ts"
import { PORT, WORKERS } from "../system/Variables.ts"
import { type Order, Report, SEAT } from "./Messages.ts"

export interface SupervisorSettings {
  readonly workers: number
  /** The port that the workers share. */
  readonly port: number
  /** The address that clients use, for the line that says where the server listens. */
  readonly url: string
  /** Time for a worker to drain. */
  readonly drainTimeout: Duration.Duration
  /** The path of the program of a worker. */
  readonly program: string
}

/** Wait before a worker that has died is started again: this much, then twice as much each time. */
const BACK_OFF_MIN = Duration.millis(100)
const BACK_OFF_MAX = Duration.seconds(30)
/** A worker that has lived for this long has not died of its start, so that the next wait is short again. */
const LIVED_WELL = Duration.seconds(30)
/** Time beyond `drainTimeout` after which a worker that does not end is killed. */
const END_GRACE = Duration.seconds(15)
/** Time for a worker to follow an order. */
const ORDER_PATIENCE = Duration.seconds(2)

/** The end of a process; `cause` says why it could not begin. */
interface Ending {
  readonly code: number
  readonly signal: NodeJS.Signals | number | null
  readonly cause?: unknown
}

/** A process that serves, and how far it is. */
interface Child {
  readonly number: number
  readonly pid: number | undefined
  readonly ready: Deferred.Deferred<void>
  readonly listening: Deferred.Deferred<void>
  readonly closed: Deferred.Deferred<void>
  readonly exited: Deferred.Deferred<Ending>
  /** Completes at the next report that the worker has spread the connections. */
  spread: Deferred.Deferred<boolean>
  readonly send: (order: Order) => void
  readonly stop: (signal: NodeJS.Signals) => void
}

/** A place among the workers. */
interface Place {
  child: Child
  /** The time from which the worker has the place, by the monotonic clock. */
  since: number
  /** The wait before the next worker is started, if this one ends soon. */
  wait: Duration.Duration
  /** A place changes hands one change at a time. */
  readonly turn: Semaphore.Semaphore
}

const isReport = Schema.is(Report)

/** Starts a worker. One that the system cannot start has ended at once. */
const spawn = ({ port, program, workers }: SupervisorSettings, sockets: string, number: number): Child => {
  const steps = {
    number,
    ready: Deferred.makeUnsafe<void>(),
    listening: Deferred.makeUnsafe<void>(),
    closed: Deferred.makeUnsafe<void>(),
    exited: Deferred.makeUnsafe<Ending>(),
    spread: Deferred.makeUnsafe<boolean>(),
  }
  try {
    const spawned = Bun.spawn([process.execPath, ...process.execArgv, program, "serve"], {
      env: { ...process.env, [SEAT]: `${number}/${workers}:${sockets}`, [PORT]: String(port) },
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
      ipc: (report: unknown) => {
        // A worker of a later version may report more.
        if (!isReport(report)) return
        switch (report._tag) {
          case "Ready":
            return void Deferred.doneUnsafe(child.ready, Effect.void)
          case "Listening":
            return void Deferred.doneUnsafe(child.listening, Effect.void)
          case "Closed":
            return void Deferred.doneUnsafe(child.closed, Effect.void)
          case "Spread":
            return void Deferred.doneUnsafe(child.spread, Effect.succeed(report.isDone))
        }
      },
      onExit: (_, code, signal) => {
        Deferred.doneUnsafe(child.exited, Effect.succeed<Ending>({ code: code ?? 1, signal }))
      },
    })
    const child: Child = {
      ...steps,
      pid: spawned.pid,
      send: (order) => orEnded(() => spawned.send(order)),
      stop: (signal) => orEnded(() => spawned.kill(signal)),
    }
    return child
  } catch (cause) {
    Deferred.doneUnsafe(steps.exited, Effect.succeed<Ending>({ code: 1, signal: null, cause }))
    return { ...steps, pid: undefined, send: () => {}, stop: () => {} }
  }
}

/** Reaches for a process that may end at any moment, which `exited` tells a little later. */
const orEnded = (reach: () => void): void => {
  try {
    reach()
  } catch {
    // Whoever waits for what was ordered learns that the process has ended.
  }
}

const hasExited = ({ exited }: Child): boolean => Deferred.isDoneUnsafe(exited)

/** Waits for a step of a worker. Returns false if the worker has ended instead. */
const reaches = (child: Child, step: Deferred.Deferred<void>): Effect.Effect<boolean> =>
  Effect.raceFirst(Effect.as(Deferred.await(step), true), Effect.as(Deferred.await(child.exited), false))

const describe = ({ cause, code, signal }: Ending): string => {
  if (cause !== undefined) return `could not begin: ${wordsOf(cause)}`
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`
}

/** A supervisor of several workers. */
export interface Supervisor {
  /** Replaces the workers, one after the other: each one leaves when the one in its place listens. */
  readonly replaceAll: Effect.Effect<void>
  /** The process ids of the workers that serve. */
  readonly pids: () => ReadonlyArray<number>
}

/**
 * Starts several servers on one port, and starts each one again that ends, until the scope closes, which stops all of
 * them. Completes when all listen.
 *
 * The first worker starts alone: it migrates the database and makes what is made once. If it ends before it is ready,
 * so would the others, and the supervisor gives up. No worker listens before all have started, so that what looks for
 * readiness finds all or nothing.
 */
export const supervise = Effect.fn("Supervisor.supervise")(function* (
  settings: SupervisorSettings,
): Effect.fn.Return<Supervisor, StartupError, Scope.Scope> {
  /** The directory of the sockets by which workers hand requests over to each other. */
  const sockets = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "parley-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true })),
  )
  /** All processes that have not ended. */
  const children = new Set<Child>()
  /** The places, by the numbers of their workers. */
  const seats = new Map<number, Place>()
  /** No worker that ends is started again before all have been started once. */
  const isStarted = yield* Latch.make(false)
  const scope = yield* Effect.scope
  /** The workers whose listeners are open, in the kernel's order. */
  const listeners: Array<Child> = []
  /** The order of the listeners is known only while they change one at a time. */
  const listenerTurn = yield* Semaphore.make(1)

  const begin = (number: number): Effect.Effect<Child> =>
    Effect.gen(function* () {
      const child = spawn(settings, sockets, number)
      children.add(child)
      yield* Effect.forkDetach(Effect.andThen(Deferred.await(child.exited), leave(child)))
      yield* Effect.forkIn(Effect.andThen(Deferred.await(child.exited), refill(child)), scope)
      return child
    })

  /** Spreads new connections over all listeners except one that is about to close. */
  const spread = Effect.fnUntraced(function* (except?: Child) {
    const places = listeners.flatMap((child, place) => (child === except || hasExited(child) ? [] : [place]))
    const one = listeners[places[0] ?? -1]
    if (one === undefined) return
    one.spread = Deferred.makeUnsafe()
    one.send({ _tag: "Spread", port: settings.port, places })
    // When it ends instead, the end of its listener makes another one spread them.
    const answer = Effect.raceFirst(Deferred.await(one.spread), Effect.as(Deferred.await(one.exited), true))
    const isDone = yield* Effect.timeoutOption(answer, ORDER_PATIENCE)
    if (isDone._tag === "None" || !isDone.value) {
      yield* Effect.logDebug("The system cannot spread connections evenly, and does it by a hash of their addresses")
    }
  })

  /** Lets a worker listen, beside the others except `instead`. Returns false if it has ended. */
  const letListen = (child: Child, instead?: Child) =>
    Effect.gen(function* () {
      child.send({ _tag: "Listen" })
      if (!(yield* reaches(child, child.listening))) return false
      listeners.push(child)
      yield* spread(instead)
      return true
    }).pipe(Semaphore.withPermit(listenerTurn))

  /** Takes notice that the listener of a worker is closed. */
  const leave = (child: Child) =>
    Effect.suspend(() => {
      if (hasExited(child)) children.delete(child)
      const place = listeners.indexOf(child)
      const last = place < 0 ? undefined : listeners.pop()
      if (last === undefined) return Effect.void
      // As in the kernel's list, the last one takes the place.
      if (last !== child) listeners[place] = last
      return spread()
    }).pipe(Semaphore.withPermit(listenerTurn))

  const stopAll = Effect.suspend(() => {
    for (const child of children) child.stop("SIGTERM")
    const ended = Effect.forEach(Array.from(children), ({ exited }) => Deferred.await(exited), {
      concurrency: "unbounded",
    })
    return Effect.timeoutOption(ended, Duration.sum(settings.drainTimeout, END_GRACE))
  }).pipe(
    Effect.andThen(
      Effect.suspend(() => {
        const killed = Array.from(children).filter((child) => !hasExited(child))
        for (const child of killed) child.stop("SIGKILL")
        return Effect.logInfo("The workers have ended", { killed: killed.length })
      }),
    ),
  )
  yield* Effect.addFinalizer(() => stopAll)

  /** Starts a worker again and again until it is ready, with longer waits, and lets it listen. */
  const revive = Effect.fnUntraced(function* (number: number, firstWait: Duration.Duration) {
    for (let wait = firstWait; ; wait = Duration.min(Duration.times(wait, 2), BACK_OFF_MAX)) {
      yield* Effect.sleep(wait)
      const child = yield* begin(number)
      if ((yield* reaches(child, child.ready)) && (yield* letListen(child))) return child
      const ending = yield* Deferred.await(child.exited)
      yield* Effect.logError(`Worker ${number} could not start: it ${describe(ending)}`, { worker: number })
    }
  })

  /** Waits until nobody else changes who has a place. */
  const inTurnOf =
    (number: number) =>
    <A, E, R>(change: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => seats.get(number)?.turn.withPermit(change) ?? change)

  /**
   * Starts a worker in the place of one that has ended, unless another one has the place: one that ends while another
   * one is being made ready for its place needs no third.
   */
  const refill = (child: Child): Effect.Effect<void> =>
    isStarted.await.pipe(
      Effect.andThen(
        Effect.gen(function* () {
          const { number } = child
          const seat = seats.get(number)
          if (seat?.child !== child) return
          const lived = Duration.millis((yield* currentMonotonicMillis) - seat.since)
          const wait = Duration.isGreaterThan(lived, LIVED_WELL) ? BACK_OFF_MIN : seat.wait
          seat.wait = Duration.min(Duration.times(wait, 2), BACK_OFF_MAX)
          const ending = yield* Deferred.await(child.exited)
          yield* Effect.logError(`Worker ${number} ${describe(ending)}, and is started again`, { worker: number })
          seat.child = yield* revive(number, wait)
          seat.since = yield* currentMonotonicMillis
        }).pipe(inTurnOf(child.number)),
      ),
    )

  /** Replaces the worker at a place. Returns it, to leave; undefined where it stays. */
  const succeed = Effect.fnUntraced(function* (number: number) {
    const seat = seats.get(number)
    if (seat === undefined) return undefined
    const old = seat.child
    const next = yield* begin(number)
    if (!(yield* reaches(next, next.ready))) {
      yield* Effect.logError(`Worker ${number} stays: the one to replace it could not start`, { worker: number })
      return undefined
    }
    if (!(yield* letListen(next, old))) {
      // Otherwise a version that cannot listen would replace every worker that does.
      yield* Effect.logError(`Worker ${number} stays: the one to replace it ended before it could listen`, {
        worker: number,
      })
      return undefined
    }
    seat.child = next
    seat.since = yield* currentMonotonicMillis
    return old
  })

  const replace = Effect.fnUntraced(function* (number: number) {
    const old = yield* inTurnOf(number)(succeed(number))
    if (old === undefined) return
    old.send({ _tag: "Leave" })
    const left = Effect.andThen(reaches(old, old.closed), Effect.andThen(leave(old), Deferred.await(old.exited)))
    const ending = yield* Effect.timeoutOption(left, Duration.sum(settings.drainTimeout, END_GRACE))
    if (ending._tag === "None") old.stop("SIGKILL")
  })

  const first = yield* begin(1)
  if (!(yield* reaches(first, first.ready))) {
    const ending = yield* Deferred.await(first.exited)
    return yield* new StartupError({
      what: `No worker was ever ready: the first one ${describe(ending)}.`,
      doThis: `It has said why, if it could; with ${WORKERS}=1 the same start shows it alone.`,
    })
  }
  const others = yield* Effect.forEach(
    Array.from({ length: settings.workers - 1 }, (_, index) => index + 2),
    begin,
  )
  for (const child of others) yield* reaches(child, child.ready)
  const since = yield* currentMonotonicMillis
  for (const child of [first, ...others]) {
    seats.set(child.number, { child, since, wait: BACK_OFF_MIN, turn: yield* Semaphore.make(1) })
    yield* letListen(child)
  }
  yield* isStarted.open
  yield* Console.log(`Listening on ${settings.url}`)
  yield* Effect.logInfo("The workers listen", { workers: settings.workers })

  return {
    replaceAll: Effect.gen(function* () {
      yield* Effect.logInfo("The workers are being replaced")
      for (const number of seats.keys()) yield* replace(number)
      yield* Effect.logInfo("The workers are replaced")
    }),
    pids: () => Array.from(seats.values(), ({ child }) => child.pid ?? 0),
  }
})
