import { Duration, Effect, Schema, type Scope } from "effect"
import {
  type ExtractedText,
  failureCodes,
  type Passage,
  type Reply,
  type Request,
  type Source,
  type SplitText,
} from "../extract/Extraction.ts"
import { type Frame, framePieces, FrameReader } from "./Frames.ts"
import { isUsageCheap, usageOf } from "./ProcessUsage.ts"

/** The process ended without a reply: it was killed, or crashed. */
export class ProcessEnded extends Schema.TaggedError<ProcessEnded>()("ProcessEnded", { how: Schema.String }) {}

/** The process holds more memory than it may. */
export class OutOfMemory extends Schema.TaggedError<OutOfMemory>()("OutOfMemory", {}) {}

/** The process takes longer than it may. */
export class TimedOut extends Schema.TaggedError<TimedOut>()("TimedOut", {}) {}

/** What reading one document may take. */
export interface ReadLimits {
  /** Bytes that the process holds. */
  readonly memory: number
  /** Of processor time, where it can be told. On a machine that is busy with others' requests, the process gets little. */
  readonly time: Duration.Duration
}

/** What came back, checked: a file may have taken the process over. */
export type Answer =
  | { readonly kind: "read"; readonly document: ExtractedText }
  | { readonly kind: "split"; readonly document: SplitText }
  | Exclude<Reply, { readonly kind: "read" | "split" }>

const script = new URL("./ExtractMain.ts", import.meta.url).pathname

/** Longest head of a reply: where the pages of a long document begin. */
const MAX_HEAD_BYTES = 8 * 1024 * 1024
/** UTF-8 takes at most so many bytes for a UTF-16 code unit. */
const BYTES_PER_CHARACTER = 3
/** Passages repeat headings, and JSON escapes: so many characters for one of the text, */
const CHARACTERS_OF_PASSAGES = 4
/** and so many more, whatever the limit: a short text may be all headings. */
const SPARE_CHARACTERS_OF_PASSAGES = 1024 * 1024

/** One that gets no processor, or waits for something, is given up after so many times what it may take of it. */
const PATIENCE = 10

/** Between two looks at what a process that reads takes. */
const WATCH_INTERVAL = Duration.millis(50)
/** The same where a look takes a process of its own. */
const SLOW_WATCH_INTERVAL = Duration.millis(250)

const ReplySchema: Schema.Codec<Reply, string> = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({
      kind: Schema.tag("read"),
      title: Schema.String,
      pages: Schema.optionalKey(Schema.Array(Schema.Struct({ page: Schema.Int, start: Schema.Int }))),
    }),
    Schema.Struct({ kind: Schema.tag("split"), title: Schema.String, frames: Schema.Int }),
    Schema.Struct({ kind: Schema.tag("unreadable"), code: Schema.Literals(failureCodes), message: Schema.String }),
    Schema.Struct({ kind: Schema.tag("out of memory") }),
    Schema.Struct({ kind: Schema.tag("fault"), cause: Schema.String }),
  ]),
)

const PassagesSchema: Schema.Codec<ReadonlyArray<Passage>, string> = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      ordinal: Schema.Int,
      headings: Schema.Array(Schema.String),
      text: Schema.String,
      page: Schema.NullOr(Schema.Int),
    }),
  ),
)

const spawn = () =>
  Bun.spawn([process.execPath, script], {
    // Settings hold secrets, and a `.env` file of the current directory would be read again.
    env: {},
    cwd: import.meta.dir,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  })

const interval = isUsageCheap ? WATCH_INTERVAL : SLOW_WATCH_INTERVAL

/** A process of its own that reads documents, one after the other. */
export class ExtractProcess {
  /** Documents it has been given. */
  served = 0
  private readonly child = spawn()
  private readonly replies: FrameReader
  private readonly textLimit: number

  /** @param textLimit the most characters (UTF-16 code units) that the text of a document may have */
  constructor(textLimit: number) {
    this.textLimit = textLimit
    this.replies = new FrameReader(this.child.stdout, { head: MAX_HEAD_BYTES, body: textLimit * BYTES_PER_CHARACTER })
  }

  /** It is killed with the scope. */
  static readonly start = (textLimit: number): Effect.Effect<ExtractProcess, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.sync(() => new ExtractProcess(textLimit)),
      (process) => process.kill,
    )

  get pid(): number {
    return this.child.pid
  }

  /** Ends it at once, whatever it is doing. */
  get kill(): Effect.Effect<void> {
    return Effect.promise(async () => {
      this.child.kill("SIGKILL")
      await this.child.exited
    })
  }

  get residentBytes(): Effect.Effect<number> {
    return Effect.map(usageOf(this.child.pid), ({ bytes }) => bytes)
  }

  /** Gives it a document and waits for the answer. Not to be used again unless that came. */
  ask(
    source: Source,
    limits: ReadLimits,
    isSplit: boolean,
  ): Effect.Effect<Answer, ProcessEnded | OutOfMemory | TimedOut> {
    this.served++
    return Effect.raceFirst(this.exchange(source, isSplit), this.watch(limits)).pipe(
      Effect.timeoutOrElse({
        duration: Duration.times(limits.time, PATIENCE),
        orElse: () => Effect.fail(new TimedOut()),
      }),
    )
  }

  private exchange({ format, name, bytes }: Source, isSplit: boolean): Effect.Effect<Answer, ProcessEnded> {
    const request: Request = { format, name, textLimit: this.textLimit, isSplit }
    return this.frame(async () => {
      for (const piece of framePieces(request, bytes)) void this.child.stdin.write(piece)
      // A process that ends while it is written to shows in what it does not answer.
      await Promise.resolve(this.child.stdin.flush()).catch(() => {})
    }).pipe(Effect.flatMap((frame) => this.answerOf(frame)))
  }

  private frame(before: () => Promise<void>): Effect.Effect<Frame, ProcessEnded> {
    return Effect.tryPromise({
      try: async () => {
        await before()
        return (await this.replies.next()) ?? (await this.howItEnded())
      },
      catch: (cause) => new ProcessEnded({ how: String(cause) }),
    })
  }

  private answerOf({ head, body }: Frame): Effect.Effect<Answer, ProcessEnded> {
    return Effect.flatMap(decoded(ReplySchema, head), (reply): Effect.Effect<Answer, ProcessEnded> => {
      switch (reply.kind) {
        case "read": {
          const { kind, ...described } = reply
          return Effect.succeed({ kind, document: { ...described, text: new TextDecoder().decode(body) } })
        }
        case "split":
          return Effect.map(this.passages(reply.frames), (passages) => ({
            kind: reply.kind,
            document: { title: reply.title, passages },
          }))
        default:
          return Effect.succeed(reply)
      }
    })
  }

  /** Of so many frames, between which others have their turn. */
  private readonly passages = Effect.fnUntraced(function* (this: ExtractProcess, frames: number) {
    const passages: Array<Passage> = []
    let length = 0
    for (let frame = 0; frame < frames; frame++) {
      yield* Effect.yieldNow
      const { head } = yield* this.frame(() => Promise.resolve())
      length += head.length
      if (length > this.textLimit * CHARACTERS_OF_PASSAGES + SPARE_CHARACTERS_OF_PASSAGES) {
        return yield* new ProcessEnded({ how: "it answered more than a document holds" })
      }
      passages.push(...(yield* decoded(PassagesSchema, head)))
    }
    return passages
  })

  private async howItEnded(): Promise<never> {
    await this.child.exited
    throw new Error(`signal ${this.child.signalCode}, exit code ${this.child.exitCode}`)
  }

  private readonly watch = Effect.fnUntraced(function* (this: ExtractProcess, { memory, time }: ReadLimits) {
    let usage = yield* usageOf(this.child.pid)
    const end = usage.milliseconds + Duration.toMillis(time)
    for (;;) {
      if (usage.bytes > memory) return yield* new OutOfMemory()
      if (usage.milliseconds > end) return yield* new TimedOut()
      yield* Effect.sleep(interval)
      usage = yield* usageOf(this.child.pid)
    }
  })
}

const decoded = <A>(schema: Schema.Codec<A, string>, head: string): Effect.Effect<A, ProcessEnded> =>
  Effect.mapError(Schema.decodeEffect(schema)(head), () => new ProcessEnded({ how: "it answered what is no reply" }))
