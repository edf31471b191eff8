import { Worker } from "node:worker_threads"
import { Array, Deferred, Duration, Effect, Schema, type Scope } from "effect"
import { Unavailable } from "../../domain/Errors.ts"
import { TextRefused } from "../Embeddings.ts"
import type { InferenceInput, InferenceModel, InferenceReply } from "./InferenceMain.ts"

/** A thread cannot be started, or has died. `message` completes "The model cannot be used: …". */
export class ThreadFailure extends Schema.TaggedError<ThreadFailure>()("ThreadFailure", { message: Schema.String }) {}

/** Computes vectors, or scores of passages, in threads. */
export interface InferenceThreads {
  /** The vector of a question, or a score for it. Comes before all passages, and fails at once while no thread runs. */
  readonly question: (input: InferenceInput) => Effect.Effect<Float32Array, Unavailable | TextRefused>
  /** The vector of a passage. Waits its turn, and for the successor of a thread that has died. */
  readonly passage: (text: string) => Effect.Effect<Float32Array, Unavailable | TextRefused>
}

export interface ThreadSettings {
  readonly model: InferenceModel
  /** The number of threads, each of which has the model in its memory. */
  readonly threads: number
  readonly script?: URL
  /** The pause before a thread that could not be started is started again. */
  readonly restartDelay?: Duration.Duration
}

const SCRIPT = new URL("./InferenceMain.ts", import.meta.url)
/** Longest time that a thread may take to read its model. */
const START_TIMEOUT = Duration.minutes(2)
/** Longest time that a thread may take for a text. */
const TEXT_TIMEOUT = Duration.minutes(1)
const RESTART_DELAY = Duration.seconds(30)
/** The number of threads that a text may take with it before it is refused. */
const DEATHS_MAX = 3

type Result = Effect.Effect<Float32Array, Unavailable | TextRefused>

/** A text that waits for its vector. */
interface Job {
  readonly input: InferenceInput
  readonly isQuestion: boolean
  readonly finish: (result: Result) => void
  /** The number of threads that died of the text, or with it. */
  deaths: number
}

const unavailable = (detail: string, seconds = 1) =>
  new Unavailable({ detail: `The model cannot be used right now: ${detail}.`, retry_after_seconds: seconds })

/** The texts that wait, questions before passages. */
class Jobs {
  private questions: Array<Job> = []
  private passages: Array<Job> = []
  private readonly idle: Array<(job: Job) => void> = []

  add(job: Job): void {
    const taker = this.idle.shift()
    if (taker === undefined) this.listOf(job).push(job)
    else taker(job)
  }

  putBack(job: Job): void {
    this.listOf(job).unshift(job)
  }

  remove(job: Job): void {
    this.questions = this.questions.filter((other) => other !== job)
    this.passages = this.passages.filter((other) => other !== job)
  }

  /** Ends all that waits. */
  fail(failure: Unavailable): void {
    for (const { finish } of [...this.questions.splice(0), ...this.passages.splice(0)]) finish(Effect.fail(failure))
  }

  /** Waits for the next text. */
  readonly take: Effect.Effect<Job> = Effect.callback((resume) => {
    const job = this.questions.shift() ?? this.passages.shift()
    if (job !== undefined) return resume(Effect.succeed(job))
    const taker = (job: Job) => resume(Effect.succeed(job))
    this.idle.push(taker)
    return Effect.sync(() => void this.idle.splice(this.idle.indexOf(taker), 1))
  })

  private listOf({ isQuestion }: Job): Array<Job> {
    return isQuestion ? this.questions : this.passages
  }
}

/** A thread, as its parent sees it. */
class Thread {
  isDead = false
  private readonly worker: Worker
  private readonly start = Deferred.makeUnsafe<void>()
  private readonly death = Deferred.makeUnsafe<never, ThreadFailure>()
  private onReply: (vector: Float32Array | undefined) => void = () => {}

  constructor(script: URL, model: InferenceModel) {
    this.worker = new Worker(script, { workerData: model })
    this.worker.on("message", (reply: InferenceReply) => {
      if (reply.kind === "failed") this.die(reply.message)
      else if (reply.kind === "ready") Deferred.doneUnsafe(this.start, Effect.void)
      else this.onReply(reply.kind === "vector" ? reply.vector : undefined)
    })
    this.worker.on("error", (error: Error) => this.die(error.message))
    this.worker.on("exit", () => this.die("its thread ended"))
  }

  /** Waits until the model is read. */
  readonly ready = this.whileAlive(Deferred.await(this.start), START_TIMEOUT)

  /** Computes the vector of one text; undefined when there is none. */
  compute(input: InferenceInput): Effect.Effect<Float32Array | undefined, ThreadFailure> {
    const replied = Effect.callback<Float32Array | undefined>((resume) => {
      this.onReply = (vector) => resume(Effect.succeed(vector))
      this.worker.postMessage(input)
    })
    return this.whileAlive(replied, TEXT_TIMEOUT)
  }

  readonly end = Effect.promise(() => this.worker.terminate()).pipe(Effect.timeout("1 second"), Effect.ignore)

  private whileAlive<A>(reply: Effect.Effect<A>, duration: Duration.Duration): Effect.Effect<A, ThreadFailure> {
    return Effect.raceFirst(reply, Deferred.await(this.death)).pipe(
      Effect.timeoutOrElse({
        duration,
        orElse: () => Effect.fail(new ThreadFailure({ message: "its thread does not answer" })),
      }),
    )
  }

  private die(message: string): void {
    this.isDead = true
    Deferred.doneUnsafe(this.death, Effect.fail(new ThreadFailure({ message })))
  }
}

/**
 * Starts threads that end with the scope. Fails when the first start of one fails; from then on, a thread that dies is
 * replaced, and so is one that takes too long for a text.
 */
export const startThreads = Effect.fn("InferenceThreads.start")(function* (
  settings: ThreadSettings,
): Effect.fn.Return<InferenceThreads, ThreadFailure, Scope.Scope> {
  const { model, restartDelay = RESTART_DELAY, script = SCRIPT, threads } = settings
  const jobs = new Jobs()
  let running = 0

  const serveOne = Effect.fnUntraced(function* (thread: Thread) {
    const job = yield* jobs.take
    if (thread.isDead) {
      jobs.putBack(job)
      return yield* new ThreadFailure({ message: "its thread ended" })
    }
    const vector = yield* thread
      .compute(job.input)
      .pipe(Effect.tapError((failure) => Effect.sync(() => lose(job, failure))))
    job.finish(vector === undefined ? Effect.fail(new TextRefused()) : Effect.succeed(vector))
  })

  /** Decides what becomes of a text whose thread has died. */
  const lose = (job: Job, { message }: ThreadFailure): void => {
    job.deaths++
    if (job.isQuestion) job.finish(Effect.fail(unavailable(message)))
    else if (job.deaths >= DEATHS_MAX) job.finish(Effect.fail(new TextRefused()))
    else jobs.putBack(job)
  }

  /** Runs one thread until it dies. */
  const serve = (onReady: Effect.Effect<void>) =>
    Effect.gen(function* () {
      const thread = yield* Effect.acquireRelease(
        Effect.sync(() => new Thread(script, model)),
        ({ end }) => end,
      )
      yield* thread.ready
      yield* Effect.acquireRelease(
        Effect.sync(() => running++),
        () => Effect.sync(() => running--),
      )
      yield* onReady
      return yield* Effect.forever(serveOne(thread))
    }).pipe(Effect.scoped)

  /** Keeps one thread running, unless the first start fails. */
  const keep = Effect.fnUntraced(function* (first: Deferred.Deferred<void, ThreadFailure>) {
    for (;;) {
      let isStarted = false
      const onReady = Effect.sync(() => {
        isStarted = true
        Deferred.doneUnsafe(first, Effect.void)
      })
      const failure = yield* Effect.flip(serve(onReady))
      if (!isStarted && (yield* Deferred.fail(first, failure))) return
      yield* Effect.logWarning("A thread of a model is replaced", { reason: failure.message })
      if (isStarted) continue
      // Nothing is known of how long this lasts: those who wait are to try again later, and not to hang.
      if (running === 0) jobs.fail(unavailable(failure.message, Math.ceil(Duration.toSeconds(restartDelay))))
      yield* Effect.sleep(restartDelay)
    }
  })

  const starts = Array.makeBy(threads, () => Deferred.makeUnsafe<void, ThreadFailure>())
  for (const first of starts) yield* Effect.forkScoped(keep(first))
  yield* Effect.forEach(starts, Deferred.await, { discard: true })

  const submit = (isQuestion: boolean) => (input: InferenceInput) =>
    Effect.callback<Float32Array, Unavailable | TextRefused>((resume) => {
      const job: Job = { input, isQuestion, finish: resume, deaths: 0 }
      jobs.add(job)
      return Effect.sync(() => jobs.remove(job))
    })
  const ask = submit(true)

  return {
    question: (input) =>
      Effect.suspend(() => (running === 0 ? Effect.fail(unavailable("its thread is being replaced")) : ask(input))),
    passage: submit(false),
  }
})
