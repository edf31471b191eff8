import { Clock, Context, Duration, Effect, Layer, Pool, Schema, Scope } from "effect"
import type { Format } from "../domain/knowledge/Formats.ts"
import { chunk } from "./chunk/Chunker.ts"
import {
  failureCodes,
  type ImagePlace,
  type PageSource,
  type PageText,
  type PdfContent,
  type PdfToExamine,
  type SplitText,
  type StoredSource,
  Unreadable,
} from "./extract/Extraction.ts"
import { type Answer, ExtractProcess, type ProcessEnded } from "./process/ExtractProcess.ts"
import { ReaderSandbox, type SandboxMode } from "./process/ReaderSandbox.ts"
import { read } from "./extract/Read.ts"
import { Ocr } from "./ocr/Ocr.ts"
import type { OcrFailed, OcrSettings } from "./ocr/OcrEngine.ts"
import type { OutOfMemory, TimedOut } from "./process/Watch.ts"

/** A document cannot be read. The code is stable; the message is safe to show to the user. */
export class ExtractionFailed extends Schema.TaggedError<ExtractionFailed>()("ExtractionFailed", {
  code: Schema.Literals(failureCodes),
  message: Schema.String,
}) {}

/** A scan cannot be read now, because others are. It may be tried again after the delay. */
export class ScanWaits extends Schema.TaggedError<ScanWaits>()("ScanWaits", { delay: Schema.Duration }) {}

/** What helps to read scans, and follows it. */
export interface Scans {
  /** Other texts of the chatbot, in whose languages scans most likely are. */
  readonly texts: Effect.Effect<ReadonlyArray<string>>
  /** Takes the share of the document's pages that are recognized. */
  readonly onProgress: (done: number) => void
}

const noScans: Scans = { texts: Effect.succeed([]), onProgress: () => {} }

/**
 * Most characters (UTF-16 code units) that the text of a document may have: twenty times the Bible in a large file of
 * plain text is as much as one document can mean.
 */
export const TextLimit: Context.Reference<number> = Context.Reference<number>("parley/knowledge/TextLimit", {
  defaultValue: () => 20_000_000,
})

export interface ExtractSettings extends OcrSettings {
  /** The most documents that are read at the same time, each in a process of its own. */
  readonly concurrency: number
  /**
   * The processor time that reading one document, or recognizing one page of it, may take. Beyond it the process is
   * killed and the document fails.
   */
  readonly deadline: Duration.Duration
  /** The memory in bytes that a process may occupy. Beyond it the process is killed and the document fails. */
  readonly memory: number
  /** Strictness with which the operating system confines the processes. */
  readonly sandbox: SandboxMode
  /** Time for which an idle process is kept before it is ended to free its memory. Defaults to a minute. */
  readonly idle?: Duration.Duration
}

const IDLE = Duration.minutes(1)

/** A process is replaced after this many documents, because of what they may have left behind in it. */
const MAX_REQUESTS = 500
/** A process is also replaced when it still occupies this share of its memory limit after a document. */
const MAX_RESTING_SHARE = 0.5

/** The processor time for all pages of a scan, as a multiple of that for one: half an hour by default. */
const SCAN_DEADLINES = 60
/** The distance at which scans are tried again that wait for others: few enough to leave time for other documents. */
const SCAN_DISTANCE = 2_000

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

const ocrFailed = ({ how, isUnreadable }: OcrFailed) =>
  isUnreadable
    ? Effect.fail(failed("corrupt_document", "The image is damaged and cannot be read."))
    : Effect.logWarning("The program that recognizes text in images failed").pipe(
        Effect.annotateLogs({ how }),
        Effect.andThen(
          Effect.fail(
            failed(
              "extraction_crashed",
              "The program that recognizes text in images failed. The server's log says how.",
            ),
          ),
        ),
      )

const crash = failed("extraction_crashed", "The document could not be read: its reader failed on it.")

const formatOf = (source: StoredSource | PageSource | PdfToExamine): Format =>
  "format" in source ? source.format : "examined" in source ? "pdf" : "html"

type Failure = ExtractionFailed | ScanWaits | OutOfMemory | ProcessEnded | TimedOut

/** The answers of a process that has read its document. */
type Result = Exclude<Answer, { readonly kind: "unreadable" | "out of memory" | "fault" }>

const orUnreadable = (cause: unknown): Answer => {
  if (cause instanceof Unreadable) return { kind: "unreadable", code: cause.code, message: cause.message }
  throw cause
}

/**
 * Turns uploaded files into text. What could take long or much memory is read in processes of its own, which are
 * killed when a document exceeds its limits.
 *
 * A retry is pointless: the same file fails with the same `ExtractionFailed` each time.
 */
export class Extract extends Context.Service<
  Extract,
  {
    /** Reads a file as passages, split where the file is read, since splitting may take longer than reading. */
    readonly split: (source: StoredSource, scans?: Scans) => Effect.Effect<SplitText, ExtractionFailed | ScanWaits>
    /** Reads what a web page says, always in a process of its own, since anybody can have written it. */
    readonly page: (source: PageSource) => Effect.Effect<PageText, ExtractionFailed>
    /** Tells whether a PDF would do anything by itself, in a process of its own, one PDF after the other. */
    readonly examine: (pdf: Blob) => Effect.Effect<PdfContent>
  }
>()("parley/readers/Extract") {
  static readonly layer = (settings: ExtractSettings) =>
    Layer.effect(
      Extract,
      Effect.gen(function* () {
        const { chosen } = yield* ReaderSandbox
        const { begin } = yield* Ocr
        const clock = yield* Clock.Clock
        const textLimit = yield* TextLimit
        const acquire = Effect.flatMap(chosen, (sandbox) => ExtractProcess.start(textLimit, sandbox))
        const processes = yield* Pool.makeWithTTL({
          acquire,
          min: 0,
          max: settings.concurrency,
          timeToLive: settings.idle ?? IDLE,
        })
        // People wait for what is examined, which takes at most a second of each file.
        const examiners = yield* Pool.makeWithTTL({ acquire, min: 0, max: 1, timeToLive: settings.idle ?? IDLE })

        const retireIfWorn = Effect.fnUntraced(function* (pool: typeof processes, process: ExtractProcess) {
          const { bytes } = yield* process.usage
          const isWorn = process.requests >= MAX_REQUESTS || bytes > settings.memory * MAX_RESTING_SHARE
          if (isWorn) yield* Pool.invalidate(pool, process)
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

        /** Scans take long, so that the last process is left for other documents. */
        const scansMax = Math.max(1, settings.concurrency - 1)
        let scanning = 0
        let nextPlace = 0
        const takeTurn = (scope: Scope.Scope) =>
          Effect.suspend(() => {
            if (scanning < scansMax) {
              scanning++
              return Scope.addFinalizer(
                scope,
                Effect.sync(() => void scanning--),
              )
            }
            const now = clock.currentTimeMillisUnsafe()
            nextPlace = Math.max(now, nextPlace) + SCAN_DISTANCE
            return Effect.fail(new ScanWaits({ delay: Duration.millis(nextPlace - now) }))
          })

        /** Recognizes the pages of a document, once it is its turn. */
        const recognizerOf = Effect.fnUntraced(function* (
          process: ExtractProcess,
          start: NonNullable<typeof begin>,
          { onProgress, texts }: Scans,
          onLack: (lacks: string) => void,
        ) {
          const scope = yield* Effect.scope
          const readPage = yield* start(texts)
          const before = yield* process.usage
          let spent = 0
          let hasTurn = false
          return Effect.fnUntraced(function* (image: Uint8Array<ArrayBuffer>, { of, page }: ImagePlace) {
            if (!hasTurn) yield* takeTurn(scope)
            hasTurn = true
            const { lacks, milliseconds, text } = yield* Effect.catchTag(readPage(image), "OcrFailed", ocrFailed)
            spent += milliseconds
            if (lacks !== undefined) onLack(lacks)
            const used = spent + (yield* process.usage).milliseconds - before.milliseconds
            const most = Duration.times(settings.deadline, SCAN_DEADLINES)
            if (used > Duration.toMillis(most)) return yield* timedOut(most)
            onProgress(page / of)
            return text
          })
        })

        const readInProcess = Effect.fnUntraced(function* (
          source: StoredSource | PageSource | PdfToExamine,
          scans?: Scans,
        ) {
          const pool = "examined" in source ? examiners : processes
          const process = yield* Pool.get(pool)
          const limits = { memory: settings.memory, time: settings.deadline }
          let lacks = ""
          const onLack = (sentence: string) => void (lacks = ` ${sentence}`)
          const recognize = scans && begin && (yield* recognizerOf(process, begin, scans, onLack))
          const reading: Effect.Effect<Answer, Failure> = process.read<Failure>(source, limits, recognize)
          const answer = yield* reading.pipe(
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
            Effect.onError(() => Pool.invalidate(pool, process)),
          )
          yield* retireIfWorn(pool, process)
          const hasNoText = answer.kind === "unreadable" && answer.code === "no_text"
          return hasNoText ? { ...answer, message: answer.message + lacks } : answer
        }, Effect.scoped)

        const readInPlace = ({ content, ...source }: StoredSource) =>
          Effect.promise(() =>
            content
              .bytes()
              .then((bytes) => read({ ...source, bytes }, textLimit))
              .then(
                (document): Answer => ({
                  kind: "split",
                  document: { title: document.title, omissions: document.omissions, passages: chunk(document) },
                }),
                orUnreadable,
              ),
          )

        return {
          split: Effect.fn("Extract.split")(function* (source, scans = noScans) {
            const answer = yield* isReadInPlace(source) ? readInPlace(source) : readInProcess(source, scans)
            const result = yield* resultOf(source.format, answer)
            return yield* result.kind === "split" ? Effect.succeed(result.document) : Effect.fail(crash)
          }),
          page: Effect.fn("Extract.page")(function* (source) {
            // Images of web pages are not recognized.
            const answer = yield* readInProcess(source).pipe(Effect.catchTag("ScanWaits", Effect.die))
            const result = yield* resultOf("html", answer)
            return yield* result.kind === "page" ? Effect.succeed(result.page) : Effect.fail(crash)
          }),
          examine: Effect.fn("Extract.examine")(
            function* (examined) {
              const result = yield* resultOf("pdf", yield* readInProcess({ examined }))
              return result.kind === "examined" ? result.content : "unknown"
            },
            Effect.orElseSucceed(() => "unknown" as const),
          ),
        }
      }),
    ).pipe(Layer.provide(Ocr.layer(settings)), Layer.provide(ReaderSandbox.layer(settings.sandbox)))
}
