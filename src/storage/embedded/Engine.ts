import { Worker } from "node:worker_threads"
import { Deferred, Duration, Effect, Schema, type Scope } from "effect"
import type { EngineReply, EngineRequest } from "./EngineMain.ts"
import { Wire } from "./Wire.ts"

/** The engine cannot be started, or has ended by itself. `message` is Postgres's last one. */
export class EngineFailure extends Schema.TaggedError<EngineFailure>()("EngineFailure", {
  message: Schema.String,
}) {}

export interface Engine {
  readonly wire: Wire
  /** Fails when the engine ends by itself; from then on, every statement fails too. */
  readonly lost: Effect.Effect<never, EngineFailure>
}

/** Longest time that the engine may take to write its last checkpoint and close. */
const CLOSE_TIMEOUT = Duration.seconds(20)
const TERMINATE_TIMEOUT = Duration.seconds(1)
/** Longest time that a start may take. Recovery after a crash reads all of the log since the last checkpoint. */
const START_TIMEOUT = Duration.minutes(5)

/** Opens an existing cluster, and closes it cleanly with the scope. */
export const openEngine = Effect.fn("Engine.open")(function* (
  directory: string,
): Effect.fn.Return<Engine, EngineFailure, Scope.Scope> {
  const thread = yield* Effect.acquireRelease(
    Effect.sync(() => new EngineThread()),
    (thread) => thread.end,
  )
  yield* thread.start(directory)
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(thread.control({ kind: "close" }), CLOSE_TIMEOUT)))
  const wire = new Wire((batch) => thread.run(batch))
  thread.onFailure = (failure) => wire.fail(failure)
  return { wire, lost: Deferred.await(thread.failed) }
})

let module: Promise<WebAssembly.Module> | undefined

/**
 * Compiles the engine's WebAssembly, beside the thread that starts meanwhile. A process that opens several databases, as tests
 * do, compiles it once, and what is optimized for one of them is optimized for all.
 */
const compile = Effect.tryPromise({
  try: () =>
    (module ??= Bun.file(new URL("pglite.wasm", import.meta.resolve("@electric-sql/pglite")))
      .bytes()
      .then((bytes) => WebAssembly.compile(bytes))),
  catch: (error) => new EngineFailure({ message: String(error) }),
})

interface Waiter {
  readonly resolve: (answer: Uint8Array) => void
  readonly reject: (failure: EngineFailure) => void
}

/** The thread that runs `EngineMain.ts`, as its parent sees it. */
class EngineThread {
  readonly failed = Deferred.makeUnsafe<never, EngineFailure>()
  onFailure: (failure: EngineFailure) => void = () => {}
  private readonly worker = new Worker(new URL("./EngineMain.ts", import.meta.url))
  /** Those who wait for an answer, in the order of the requests. */
  private readonly waiting: Array<Waiter> = []
  private failure: EngineFailure | undefined

  constructor() {
    this.worker.on("message", (reply: EngineReply) =>
      reply.kind === "failed" ? this.fail(reply.message) : this.waiting.shift()?.resolve(reply.bytes),
    )
    this.worker.on("error", (error: Error) => this.fail(error.message))
    this.worker.on("exit", () => this.fail("The thread of the embedded database ended"))
  }

  /** Starts the engine on a cluster, and waits until it can be used. */
  start(directory: string): Effect.Effect<void, EngineFailure> {
    const started = Effect.flatMap(compile, (module) => this.control({ kind: "open", directory, module }))
    return Effect.timeoutOrElse(started, {
      duration: START_TIMEOUT,
      orElse: () => Effect.fail(new EngineFailure({ message: "The engine does not answer" })),
    })
  }

  /** Sends a request, and waits until the thread has done it. */
  control(request: EngineRequest): Effect.Effect<void, EngineFailure> {
    return Effect.callback<void, EngineFailure>((resume) =>
      this.send(request, [], {
        resolve: () => resume(Effect.void),
        reject: (failure) => resume(Effect.fail(failure)),
      }),
    )
  }

  /** Runs a batch of wire messages, and returns the answer. */
  run(batch: Uint8Array): Promise<Uint8Array> {
    // Copied, because the client's buffer is a part of a larger one that it reuses.
    const bytes = new Uint8Array(batch)
    return new Promise((resolve, reject) => this.send({ kind: "batch", bytes }, [bytes.buffer], { resolve, reject }))
  }

  /** Ends the thread at once, and with it all that is under way. It does not wait for a thread that hangs. */
  readonly end: Effect.Effect<void> = Effect.promise(() => this.worker.terminate()).pipe(
    Effect.timeout(TERMINATE_TIMEOUT),
    Effect.ignore,
  )

  private send(request: EngineRequest, handedOver: ReadonlyArray<ArrayBuffer>, waiter: Waiter): void {
    if (this.failure !== undefined) return waiter.reject(this.failure)
    this.waiting.push(waiter)
    this.worker.postMessage(request, [...handedOver])
  }

  private fail(message: string): void {
    if (this.failure !== undefined) return
    const failure = new EngineFailure({ message })
    this.failure = failure
    for (const waiter of this.waiting.splice(0)) waiter.reject(failure)
    this.onFailure(failure)
    Deferred.doneUnsafe(this.failed, Effect.fail(failure))
  }
}
