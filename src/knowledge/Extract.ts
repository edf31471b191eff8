import { Context, Duration, Effect, Layer, Pool, Schema, type Scope } from "effect"
import { type ExtractedText, failureCodes, type Source } from "./extract/Extraction.ts"
import type { Reply } from "./extract/ExtractWorker.ts"

/** A document cannot be read. `code` is stable; `message` is shown to the user and names nothing of the server's. */
export class ExtractionFailed extends Schema.TaggedError<ExtractionFailed>()("ExtractionFailed", {
  code: Schema.Literals(failureCodes),
  message: Schema.String,
}) {}

export interface ExtractSettings {
  /** Documents read at once; each has a worker of its own. */
  readonly concurrency: number
  /** A document that takes longer is given up, and its worker ended. */
  readonly deadline: Duration.Duration
  /** An idle worker is ended after this, and gives its memory back. */
  readonly idle: Duration.Duration
}

export const defaultExtractSettings: ExtractSettings = {
  concurrency: 2,
  deadline: Duration.seconds(30),
  idle: Duration.seconds(60),
}

const startWorker: Effect.Effect<Worker, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => new Worker(new URL("./extract/ExtractWorker.ts", import.meta.url))),
  (worker) => Effect.sync(() => worker.terminate()),
)

/** Sends a document and waits for its reply; a worker that ends on the way is a defect. */
const ask = (worker: Worker, source: Source): Effect.Effect<Reply> =>
  Effect.callback<Reply>((resume) => {
    const listening = new AbortController()
    const { signal } = listening
    const settle = (outcome: Effect.Effect<Reply>) => {
      listening.abort()
      resume(outcome)
    }
    worker.addEventListener("message", (event: MessageEvent<Reply>) => settle(Effect.succeed(event.data)), { signal })
    worker.addEventListener("error", (event) => settle(Effect.die(new Error(event.message))), { signal })
    worker.addEventListener("close", () => settle(Effect.die(new Error("The worker ended."))), { signal })
    worker.postMessage(source)
    return Effect.sync(() => listening.abort())
  })

const timedOut = (deadline: Duration.Duration) =>
  new ExtractionFailed({
    code: "extraction_timed_out",
    message: `The document could not be read within ${Duration.toSeconds(deadline)} seconds.`,
  })

/**
 * Documents become text. Reading runs in workers beside the server's loop.
 *
 * `extract` fails with `ExtractionFailed` when the document is at fault, and dies when Parley is.
 */
export class Extract extends Context.Service<
  Extract,
  { readonly extract: (source: Source) => Effect.Effect<ExtractedText, ExtractionFailed> }
>()("parley/knowledge/Extract") {
  static readonly layerWith = (settings: ExtractSettings) =>
    Layer.effect(
      Extract,
      Effect.gen(function* () {
        const workers = yield* Pool.makeWithTTL({
          acquire: startWorker,
          min: 0,
          max: settings.concurrency,
          timeToLive: settings.idle,
        })

        const extract = Effect.fn("Extract.extract")(function* (source: Source) {
          const worker = yield* Pool.get(workers)
          const reply = yield* ask(worker, source).pipe(
            Effect.timeoutOrElse({
              duration: settings.deadline,
              orElse: () => Effect.fail(timedOut(settings.deadline)),
            }),
            // Whatever cut the conversation short, the worker may still be busy with it.
            Effect.onError(() => Pool.invalidate(workers, worker)),
          )
          switch (reply.kind) {
            case "read":
              return reply.document
            case "unreadable":
              return yield* new ExtractionFailed({ code: reply.code, message: reply.message })
            case "fault":
              return yield* Effect.die(new Error(`Reading a ${source.format} document failed: ${reply.cause}`))
          }
        }, Effect.scoped)

        return { extract }
      }),
    )

  static readonly layer = Extract.layerWith(defaultExtractSettings)
}
