import { Context, Duration, Effect, Layer, Pool, Schema } from "effect"
import type { Format } from "../domain/knowledge/Formats.ts"
import { chunk } from "./chunk/Chunker.ts"
import {
  failureCodes,
  type PageSource,
  type PageText,
  type SplitText,
  type StoredSource,
  Unreadable,
} from "./extract/Extraction.ts"
import { type Answer, ExtractProcess } from "./process/ExtractProcess.ts"
import { ReaderSandbox, type SandboxMode } from "./process/ReaderSandbox.ts"
import { read } from "./extract/Read.ts"

/** A document cannot be read. The code is stable; the message is safe to show to the user. */
export class ExtractionFailed extends Schema.TaggedError<ExtractionFailed>()("ExtractionFailed", {
  code: Schema.Literals(failureCodes),
  message: Schema.String,
}) {}

/**
 * Most characters (UTF-16 code units) that the text of a document may have: twenty times the Bible in a large file of
 * plain text is as much as one document can mean.
 */
export const TextLimit: Context.Reference<number> = Context.Reference<number>("parley/knowledge/TextLimit", {
  defaultValue: () => 20_000_000,
})

export interface ExtractSettings {
  /** The most documents that are read at the same time, each in a process of its own. */
  readonly concurrency: number
  /** The processor time that reading one document may take. Beyond it the process is killed and the document fails. */
  readonly deadline: Duration.Duration
  /** The memory in bytes that a process may occupy. Beyond it the process is killed and the document fails. */
  readonly memory: number
  /** Strictness with which the operating system confines the processes. */
  readonly sandbox: SandboxMode
  /** Time for which an idle process is kept before it is ended to free its memory. Defaults to a minute. */
  readonly idle?: Duration.Duration
}

const IDLE = Duration.minutes(1)

/** A process is replaced after this many documents, because of whatever they may have left behind in it. */
const MAX_REQUESTS = 500
/** A process is also replaced when it still occupies this share of its memory limit after a document. */
const MAX_RESTING_SHARE = 0.5

/**
 * Formats that need no conversion. Reading and splitting them takes linear time, and their text is not larger than the
 * file. A small file is therefore read in the server's own process, where it blocks the event loop for a few
 * milliseconds at most; sending it to another process would take longer.
 */
const IN_PLACE_FORMATS: ReadonlySet<Format> = new Set(["md", "txt"])
const MAX_IN_PLACE_BYTES = 32 * 1024

const isReadInPlace = ({ format, content }: StoredSource) =>
  IN_PLACE_FORMATS.has(format) && content.size <= MAX_IN_PLACE_BYTES

const failed = (code: ExtractionFailed["code"], message: string) => new ExtractionFailed({ code, message })

const timedOut = (deadline: Duration.Duration) =>
  failed("extraction_timed_out", `The document could not be read within ${Duration.toSeconds(deadline)} seconds.`)

const outOfMemory = (bytes: number) =>
  failed(
    "extraction_out_of_memory",
    `Reading the document took more than ${Math.round(bytes / 1024 / 1024)} MiB of memory.`,
  )

const crash = failed("extraction_crashed", "The document could not be read: its reader failed on it.")

const formatOf = (source: StoredSource | PageSource): Format => ("format" in source ? source.format : "html")

/** The answers of a process that has read its document. */
type Result = Exclude<Answer, { readonly kind: "unreadable" | "out of memory" | "fault" }>

const orUnreadable = (cause: unknown): Answer => {
  if (cause instanceof Unreadable) return { kind: "unreadable", code: cause.code, message: cause.message }
  throw cause
}

/**
 * Turns uploaded files into text. Whatever could take long or much memory is read in processes of its own, which are
 * killed when a document exceeds its limits.
 *
 * A retry is pointless: the same file fails with the same `ExtractionFailed` each time.
 */
export class Extract extends Context.Service<
  Extract,
  {
    /** Reads a file as passages, split where the file is read, since splitting may take longer than reading. */
    readonly split: (source: StoredSource) => Effect.Effect<SplitText, ExtractionFailed>
    /** Reads what a web page says, always in a process of its own, since anybody can have written it. */
    readonly page: (source: PageSource) => Effect.Effect<PageText, ExtractionFailed>
  }
>()("parley/knowledge/Extract") {
  static readonly layer = (settings: ExtractSettings) =>
    Layer.effect(
      Extract,
      Effect.gen(function* () {
        const { chosen } = yield* ReaderSandbox
        const textLimit = yield* TextLimit
        const processes = yield* Pool.makeWithTTL({
          acquire: Effect.flatMap(chosen, (sandbox) => ExtractProcess.start(textLimit, sandbox)),
          min: 0,
          max: settings.concurrency,
          timeToLive: settings.idle ?? IDLE,
        })

        const retireIfWorn = Effect.fnUntraced(function* (process: ExtractProcess) {
          const resting = yield* process.residentBytes
          const isWorn = process.requests >= MAX_REQUESTS || resting > settings.memory * MAX_RESTING_SHARE
          if (isWorn) yield* Pool.invalidate(processes, process)
        })

        /** Turns the answers that are no result into failures. */
        const resultOf = (format: Format, answer: Answer): Effect.Effect<Result, ExtractionFailed> => {
          switch (answer.kind) {
            case "unreadable":
              return Effect.fail(failed(answer.code, answer.message))
            case "out of memory":
              return Effect.fail(outOfMemory(settings.memory))
            case "fault":
              return Effect.logError("Reading a document failed").pipe(
                Effect.annotateLogs({ format, cause: answer.cause }),
                Effect.andThen(Effect.fail(crash)),
              )
            default:
              return Effect.succeed(answer)
          }
        }

        const readInProcess = Effect.fnUntraced(function* (source: StoredSource | PageSource) {
          const process = yield* Pool.get(processes)
          const limits = { memory: settings.memory, time: settings.deadline }
          const answer = yield* process.read(source, limits).pipe(
            Effect.catchTags({
              OutOfMemory: () => Effect.fail(outOfMemory(settings.memory)),
              TimedOut: () => Effect.fail(timedOut(settings.deadline)),
              ProcessEnded: ({ how }) =>
                Effect.logWarning("A process that read a document ended").pipe(
                  Effect.annotateLogs({ format: formatOf(source), how }),
                  Effect.andThen(Effect.fail(crash)),
                ),
            }),
            // The process may still be busy with this document, and its reply would answer the next request.
            Effect.onError(() => Pool.invalidate(processes, process)),
          )
          yield* retireIfWorn(process)
          return answer
        }, Effect.scoped)

        const readInPlace = ({ content, ...source }: StoredSource) =>
          Effect.promise(() =>
            content
              .bytes()
              .then((bytes) => read({ ...source, bytes }, textLimit))
              .then(
                (document): Answer => ({
                  kind: "split",
                  document: { title: document.title, passages: chunk(document) },
                }),
                orUnreadable,
              ),
          )

        return {
          split: Effect.fn("Extract.split")(function* (source) {
            const answer = yield* isReadInPlace(source) ? readInPlace(source) : readInProcess(source)
            const result = yield* resultOf(source.format, answer)
            return yield* result.kind === "split" ? Effect.succeed(result.document) : Effect.fail(crash)
          }),
          page: Effect.fn("Extract.page")(function* (source) {
            const result = yield* resultOf("html", yield* readInProcess(source))
            return yield* result.kind === "page" ? Effect.succeed(result.page) : Effect.fail(crash)
          }),
        }
      }),
    ).pipe(Layer.provide(ReaderSandbox.layer(settings.sandbox)))
}
