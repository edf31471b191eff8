import { Context, Duration, Effect, Layer, Pool, Schema } from "effect"
import type { Format } from "../domain/Formats.ts"
import { chunk } from "./chunk/Chunker.ts"
import { type ExtractedText, failureCodes, type Source, type SplitText, Unreadable } from "./extract/Extraction.ts"
import { type Answer, ExtractProcess } from "./process/ExtractProcess.ts"
import { read } from "./extract/Read.ts"

/** A document cannot be read. `code` is stable; `message` is shown to the user and names nothing of the server's. */
export class ExtractionFailed extends Schema.TaggedError<ExtractionFailed>()("ExtractionFailed", {
  code: Schema.Literals(failureCodes),
  message: Schema.String,
}) {}

export interface ExtractSettings {
  /** Documents read at once; each has a process of its own. */
  readonly concurrency: number
  /** A document that takes longer, of processor time, is given up, and its process ended. */
  readonly deadline: Duration.Duration
  /** Bytes that a process may hold; the document that takes more is given up, and the process ended. */
  readonly memory: number
  /** Characters (UTF-16 code units) that a document may have once it is text. */
  readonly textLimit: number
  /** An idle process is ended after this, and gives its memory back. Absent: a minute. */
  readonly idle?: Duration.Duration
}

const IDLE = Duration.minutes(1)

/** A process makes room for a new one after so many documents, whatever they left behind. */
const MAX_SERVED = 500
/** And when it still holds this share of its memory after one: the next document wants it too. */
const MAX_RESTING_SHARE = 0.5

/**
 * Formats that only pass through. Reading and splitting them takes linear time, and their text is not larger than the
 * file, so that a small file is read in place: handing it over takes longer, and the server's loop stands still for a
 * few milliseconds at most.
 */
const inPlace: ReadonlySet<Format> = new Set(["md", "txt"])
const MAX_IN_PLACE_BYTES = 32 * 1024

const isReadInPlace = ({ format, bytes }: Source) => inPlace.has(format) && bytes.length <= MAX_IN_PLACE_BYTES

const failed = (code: ExtractionFailed["code"], message: string) => new ExtractionFailed({ code, message })

const timedOut = (deadline: Duration.Duration) =>
  failed("extraction_timed_out", `The document could not be read within ${Duration.toSeconds(deadline)} seconds.`)

const outOfMemory = (bytes: number) =>
  failed(
    "extraction_out_of_memory",
    `Reading the document took more than ${Math.round(bytes / 1024 / 1024)} MiB of memory.`,
  )

const crashed = failed("extraction_crashed", "The document could not be read: its reader failed on it.")

const orUnreadable = (cause: unknown): Answer => {
  if (cause instanceof Unreadable) return { kind: "unreadable", code: cause.code, message: cause.message }
  throw cause
}

/**
 * Documents become text. Whatever could take long or much memory is read in processes beside the server, which end
 * when a document takes more than its share.
 *
 * Both fail with `ExtractionFailed`; what they fail with is the same however often it is tried.
 */
export class Extract extends Context.Service<
  Extract,
  {
    readonly extract: (source: Source) => Effect.Effect<ExtractedText, ExtractionFailed>
    /** Split into passages where it is read, which for an odd text takes longer than reading it. */
    readonly split: (source: Source) => Effect.Effect<SplitText, ExtractionFailed>
  }
>()("parley/knowledge/Extract") {
  static readonly layer = (settings: ExtractSettings) =>
    Layer.effect(
      Extract,
      Effect.gen(function* () {
        const processes = yield* Pool.makeWithTTL({
          acquire: ExtractProcess.start(settings.textLimit),
          min: 0,
          max: settings.concurrency,
          timeToLive: settings.idle ?? IDLE,
        })

        const retireIfWorn = Effect.fnUntraced(function* (process: ExtractProcess) {
          const resting = yield* process.residentBytes
          const isWorn = process.served >= MAX_SERVED || resting > settings.memory * MAX_RESTING_SHARE
          if (isWorn) yield* Pool.invalidate(processes, process)
        })

        const failureOf = (source: Source, answer: Answer) => {
          switch (answer.kind) {
            case "unreadable":
              return Effect.fail(failed(answer.code, answer.message))
            case "out of memory":
              return Effect.fail(outOfMemory(settings.memory))
            case "fault":
              return Effect.logError("Reading a document failed").pipe(
                Effect.annotateLogs({ format: source.format, cause: answer.cause }),
                Effect.andThen(Effect.fail(crashed)),
              )
            // The other one than was asked for.
            case "read":
            case "split":
              return Effect.fail(crashed)
          }
        }

        const readBeside = Effect.fnUntraced(function* (source: Source, isSplit: boolean) {
          const process = yield* Pool.get(processes)
          const limits = { memory: settings.memory, time: settings.deadline }
          const answer = yield* process.ask(source, limits, isSplit).pipe(
            Effect.catchTags({
              OutOfMemory: () => Effect.fail(outOfMemory(settings.memory)),
              TimedOut: () => Effect.fail(timedOut(settings.deadline)),
              ProcessEnded: ({ how }) =>
                Effect.logWarning("A process that read a document ended").pipe(
                  Effect.annotateLogs({ format: source.format, how }),
                  Effect.andThen(Effect.fail(crashed)),
                ),
            }),
            // Whatever cut the conversation short, the process may still be busy with it.
            Effect.onError(() => Pool.invalidate(processes, process)),
          )
          yield* retireIfWorn(process)
          return answer
        }, Effect.scoped)

        const readHere = (source: Source, isSplit: boolean) =>
          Effect.promise(() =>
            read(source, settings.textLimit).then(
              (document): Answer =>
                isSplit
                  ? { kind: "split", document: { title: document.title, passages: chunk(document) } }
                  : { kind: "read", document },
              orUnreadable,
            ),
          )

        const answerTo = (source: Source, isSplit: boolean) =>
          isReadInPlace(source) ? readHere(source, isSplit) : readBeside(source, isSplit)

        return {
          extract: Effect.fn("Extract.extract")(function* (source) {
            const answer = yield* answerTo(source, false)
            return answer.kind === "read" ? answer.document : yield* failureOf(source, answer)
          }),
          split: Effect.fn("Extract.split")(function* (source) {
            const answer = yield* answerTo(source, true)
            return answer.kind === "split" ? answer.document : yield* failureOf(source, answer)
          }),
        }
      }),
    )
}
