import { fileURLToPath } from "node:url"
import { Deferred, Duration, Effect, Schema, type Scope } from "effect"
import { Unavailable } from "../../domain/Errors.ts"
import { wordsOf } from "../../system/SystemError.ts"
import { TextRefused } from "../Embeddings.ts"
import type { InferenceInput, InferenceModel, InferenceReply, InferenceRequest } from "./InferenceMain.ts"

/** A process cannot be started, or has died. `message` completes "The model cannot be used: …". */
export class ProcessFailure extends Schema.TaggedError<ProcessFailure>()("ProcessFailure", {
  message: Schema.String,
}) {}

/** Computes vectors, or scores of passages, in a process of its own. */
export interface Inference {
  /** The vector of a question, or a score for it. Comes before all passages, and fails at once while no process runs. */
  readonly question: (input: InferenceInput) => Effect.Effect<Float32Array, Unavailable | TextRefused>
  /** The vector of a passage. Waits its turn, and for the successor of a process that has died. */
  readonly passage: (text: string) => Effect.Effect<Float32Array, Unavailable | TextRefused>
  /** Whether the model runs on the runtime of this machine, and not in WebAssembly. */
  readonly isNative: boolean
}

export interface InferenceSettings {
  readonly model: InferenceModel
  /** The number of threads that compute a text together. */
  readonly threads: number
  readonly script?: URL
  /** The pause before a process that could not be started is started again. */
  readonly restartDelay?: Duration.Duration
}

const SCRIPT = new URL("./InferenceMain.ts", import.meta.url)
/** Longest time that a process may take to read its model. */
const START_TIMEOUT = Duration.minutes(2)
/** Longest time that a process may take for each of the texts that it gets at once. */
const TEXT_TIMEOUT = Duration.minutes(1)
const RESTART_DELAY = Duration.seconds(30)
/** The number of processes that a text may take with it before it is refused. */
const DEATHS_MAX = 3
/**
 * The most questions that a process gets at once. It computes one after the other: so it need not wait for the server,
 * which is busy while many ask, after each.
 */
const QUESTIONS_AT_ONCE = 16

const unavailable = (detail: string, seconds = 1) =>
  new Unavailable({ detail: `The model cannot be used right now: ${detail}.`, retry_after_seconds: seconds })

type Result = Effect.Effect<Float32Array, Unavailable | TextRefused>

/** A text that waits for its vector. */
interface Job {
  readonly input: InferenceInput
  readonly isQuestion: boolean
  readonly finish: (result: Result) => void
  /** The number of processes that died of the text, or with it. */
  deaths: number
}

/** The texts that wait, questions before passages. */
class Jobs {
  private questions: Array<Job> = []
  private passages: Array<Job> = []
  private readonly idle: Array<(jobs: ReadonlyArray<Job>) => void> = []

  add(job: Job): void {
    const taker = this.idle.shift()
    if (taker === undefined) this.listOf(job).push(job)
    else taker([job])
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

  /** Waits for the next texts: questions, or one passage. */
  readonly take: Effect.Effect<ReadonlyArray<Job>> = Effect.callback((resume) => {
    const next = this.questions.splice(0, QUESTIONS_AT_ONCE)
    if (next.length === 0) next.push(...this.passages.splice(0, 1))
    if (next.length > 0) return resume(Effect.succeed(next))
    const taker = (jobs: ReadonlyArray<Job>) => resume(Effect.succeed(jobs))
    this.idle.push(taker)
    return Effect.sync(() => void this.idle.splice(this.idle.indexOf(taker), 1))
  })

  private listOf({ isQuestion }: Job): Array<Job> {
    return isQuestion ? this.questions : this.passages
  }
}

/** A process with a model, as the server sees it. */
class Child {
  isDead = false
  private readonly process: Bun.Subprocess
  private readonly start = Deferred.makeUnsafe<boolean>()
  private readonly death = Deferred.makeUnsafe<never, ProcessFailure>()
  private onReply: (vectors: ReadonlyArray<Float32Array | undefined>) => void = () => {}

  constructor({ model, script = SCRIPT, threads }: InferenceSettings) {
    this.process = Bun.spawn([process.execPath, fileURLToPath(script)], {
      // The environment contains secrets, and Bun would load a `.env` file from the current directory.
      env: {},
      cwd: import.meta.dir,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
      serialization: "advanced",
      ipc: (reply: InferenceReply) => {
        if (reply.kind === "failed") this.die(reply.message)
        else if (reply.kind === "ready") Deferred.doneUnsafe(this.start, Effect.succeed(reply.isNative))
        else this.onReply(reply.vectors)
      },
      onExit: () => this.die("its process ended"),
    })
    this.send({ model, threads })
  }

  /** Waits until the model is read, and tells whether it runs on the runtime of this machine. */
  readonly ready = this.whileAlive(Deferred.await(this.start), START_TIMEOUT)

  /** Computes the vectors of texts; undefined where there is none. */
  compute(inputs: ReadonlyArray<InferenceInput>) {
    const replied = Effect.callback<ReadonlyArray<Float32Array | undefined>>((resume) => {
      this.onReply = (vectors) => resume(Effect.succeed(vectors))
      this.send(inputs)
    })
    return this.whileAlive(replied, Duration.times(TEXT_TIMEOUT, inputs.length))
  }

  readonly end = Effect.promise(() => {
    this.process.kill("SIGKILL")
    return this.process.exited
  }).pipe(Effect.timeout("1 second"), Effect.ignore)

  private send(request: InferenceRequest): void {
    try {
      this.process.send(request)
    } catch {
      this.die("its process ended")
    }
  }

  private whileAlive<A>(reply: Effect.Effect<A>, duration: Duration.Duration): Effect.Effect<A, ProcessFailure> {
    return Effect.raceFirst(reply, Deferred.await(this.death)).pipe(
      Effect.timeoutOrElse({
        duration,
        orElse: () => Effect.fail(new ProcessFailure({ message: "its process does not answer" })),
      }),
    )
  }

  private die(message: string): void {
    this.isDead = true
    Deferred.doneUnsafe(this.death, Effect.fail(new ProcessFailure({ message })))
  }
}

/**
 * Starts a process that ends with the scope. Fails when the first start fails; from then on, a process that dies is
 * replaced, and so is one that takes too long for a text.
 */
export const startInference = Effect.fn("Inference.start")(function* (
  settings: InferenceSettings,
): Effect.fn.Return<Inference, ProcessFailure, Scope.Scope> {
  const restartDelay = settings.restartDelay ?? RESTART_DELAY
  const jobs = new Jobs()
  const first = Deferred.makeUnsafe<boolean, ProcessFailure>()
  let isRunning = false
  let hasStarted = false

  const serveNext = Effect.fnUntraced(function* (child: Child) {
    const taken = yield* jobs.take
    if (child.isDead) {
      for (const job of taken.toReversed()) jobs.putBack(job)
      return yield* new ProcessFailure({ message: "its process ended" })
    }
    const vectors = yield* child
      .compute(taken.map(({ input }) => input))
      .pipe(Effect.tapError((failure) => Effect.sync(() => taken.forEach((job) => lose(job, failure)))))
    taken.forEach(({ finish }, index) => {
      const vector = vectors[index]
      finish(vector === undefined ? Effect.fail(new TextRefused()) : Effect.succeed(vector))
    })
  })

  /** Decides what becomes of a text whose process has died. */
  const lose = (job: Job, { message }: ProcessFailure): void => {
    job.deaths++
    if (job.isQuestion) job.finish(Effect.fail(unavailable(message)))
    else if (job.deaths >= DEATHS_MAX) job.finish(Effect.fail(new TextRefused()))
    else jobs.putBack(job)
  }

  /** Runs one process until it dies. */
  const serve = Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.try({
        try: () => new Child(settings),
        catch: (error) => new ProcessFailure({ message: `its process cannot be started: ${wordsOf(error)}` }),
      }),
      ({ end }) => end,
    )
    const isNative = yield* child.ready
    hasStarted = isRunning = true
    yield* Effect.addFinalizer(() => Effect.sync(() => (isRunning = false)))
    Deferred.doneUnsafe(first, Effect.succeed(isNative))
    return yield* Effect.forever(serveNext(child))
  }).pipe(Effect.scoped)

  /** Keeps a process running, unless the first start fails. */
  const keep = Effect.gen(function* () {
    for (;;) {
      hasStarted = false
      const failure = yield* Effect.flip(serve)
      if (yield* Deferred.fail(first, failure)) return
      yield* Effect.logWarning("The process of a model is replaced", { reason: failure.message })
      if (hasStarted) continue
      // Nothing is known of how long this lasts: those who wait are to try again later, and not to hang.
      jobs.fail(unavailable(failure.message, Math.ceil(Duration.toSeconds(restartDelay))))
      yield* Effect.sleep(restartDelay)
    }
  })

  yield* Effect.forkScoped(keep)
  const isNative = yield* Deferred.await(first)

  const submit = (isQuestion: boolean) => (input: InferenceInput) =>
    Effect.callback<Float32Array, Unavailable | TextRefused>((resume) => {
      const job: Job = { input, isQuestion, finish: resume, deaths: 0 }
      jobs.add(job)
      return Effect.sync(() => jobs.remove(job))
    })
  const ask = submit(true)

  return {
    question: (input) =>
      Effect.suspend(() => (isRunning ? ask(input) : Effect.fail(unavailable("its process is being replaced")))),
    passage: submit(false),
    isNative,
  }
})
