import { Duration, Effect, Schema, type Scope } from "effect"
import {
  failureCodes,
  type PageFacts,
  type PageSource,
  type PageText,
  type Passage,
  type Reply,
  type Request,
  type SplitText,
  type StoredSource,
} from "../extract/Extraction.ts"
import { type Frame, FrameReader, frameStart, ITEMS_PER_FRAME } from "./Frames.ts"
import { isUsageCheap, linuxTreeOf, usageOf } from "./ProcessUsage.ts"
import { noSandbox, type Sandbox } from "./Sandbox.ts"

/** The process ended without a valid reply: it was killed, it crashed, or it broke the protocol. */
export class ProcessEnded extends Schema.TaggedError<ProcessEnded>()("ProcessEnded", { how: Schema.String }) {}

/** The process uses more memory than `ReadLimits.memory`. */
export class OutOfMemory extends Schema.TaggedError<OutOfMemory>()("OutOfMemory", {}) {}

/** The process has used up `ReadLimits.time`. */
export class TimedOut extends Schema.TaggedError<TimedOut>()("TimedOut", {}) {}

/** Limits on what reading one document may use. */
interface ReadLimits {
  /** Resident memory of the process, in bytes. */
  readonly memory: number
  /** Processor time, since on a busy machine a process of low priority gets little of each second. */
  readonly time: Duration.Duration
}

/** A reply with all that follows it. It is validated, since a malicious file may have taken over the process. */
export type Answer =
  | { readonly kind: "split"; readonly document: SplitText }
  | { readonly kind: "page"; readonly page: PageText }
  | Exclude<Reply, { readonly kind: "split" | "page" }>

const SCRIPT = new URL("./ExtractMain.ts", import.meta.url).pathname

/** The longest frame of passages. */
const MAX_HEAD_BYTES = 8 * 1024 * 1024
/** The most characters of JSON for each character of text: passages repeat headings, and JSON escapes characters. */
const PASSAGE_CHARACTERS_RATIO = 4
/** An allowance on top of that ratio, because a short text may consist of headings only. */
const SPARE_PASSAGE_CHARACTERS = 1024 * 1024

/** A process that waits, or gets no processor time, is given up after this multiple of its time limit on the clock. */
const WALL_CLOCK_FACTOR = 10

/** The pause between two checks of a process's usage: longer where a check starts a process itself. */
const WATCH_INTERVAL = Duration.millis(isUsageCheap ? 50 : 250)

const PageFactsSchema: Schema.Codec<PageFacts> = Schema.Struct({
  title: Schema.String,
  canonical: Schema.optional(Schema.String),
  noindex: Schema.Boolean,
  nofollow: Schema.Boolean,
  refresh: Schema.optional(Schema.String),
  language: Schema.optional(Schema.String),
  published: Schema.optional(Schema.String),
  needsBrowser: Schema.Boolean,
  needsLogin: Schema.Boolean,
})

const ReplySchema: Schema.Codec<Reply, string> = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ kind: Schema.tag("split"), title: Schema.String, frames: Schema.Int }),
    Schema.Struct({ kind: Schema.tag("page"), page: PageFactsSchema, blocks: Schema.Int, frames: Schema.Int }),
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
  ).check(Schema.isMaxLength(ITEMS_PER_FRAME)),
)

const TextsSchema: Schema.Codec<ReadonlyArray<string>, string> = Schema.fromJsonString(
  Schema.Array(Schema.String).check(Schema.isMaxLength(ITEMS_PER_FRAME)),
)

const spawn = (sandbox: Sandbox) =>
  Bun.spawn([...sandbox.wrap([process.execPath, SCRIPT])], {
    // The environment contains secrets, and Bun would load a `.env` file from the current directory.
    env: {},
    cwd: import.meta.dir,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  })

/** A process that reads documents, one after the other. */
export class ExtractProcess {
  /** The number of documents that were sent to the process. */
  requests = 0
  private readonly child: ReturnType<typeof spawn>
  private readonly replies: FrameReader
  private readonly textLimit: number

  /** @param textLimit the most characters (UTF-16 code units) that the text of a document may have */
  constructor(textLimit: number, sandbox: Sandbox) {
    this.textLimit = textLimit
    this.child = spawn(sandbox)
    this.replies = new FrameReader(this.child.stdout, { head: MAX_HEAD_BYTES, body: 0 })
  }

  /** Starts a process, which is killed when the scope closes. */
  static readonly start = (
    textLimit: number,
    sandbox: Sandbox = noSandbox,
  ): Effect.Effect<ExtractProcess, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.sync(() => new ExtractProcess(textLimit, sandbox)),
      (process) => process.kill,
    )

  get pid(): number {
    return this.child.pid
  }

  /** The ids of the process and, on Linux, of all that it has started: in a sandbox, a reader runs behind others. */
  get pids(): ReadonlyArray<number> {
    return isUsageCheap ? linuxTreeOf(this.child.pid) : [this.child.pid]
  }

  /** Kills the process at once, whatever it is doing, and waits until it is gone. */
  get kill(): Effect.Effect<void> {
    return Effect.promise(async () => {
      const inner = this.pids.filter((pid) => pid !== this.child.pid)
      this.child.kill("SIGKILL")
      inner.forEach(killIfThere)
      await this.child.exited
    })
  }

  /** The memory that the process occupies. */
  get residentBytes(): Effect.Effect<number> {
    return Effect.map(usageOf(this.child.pid), ({ bytes }) => bytes)
  }

  /**
   * Sends a document, or a web page, and waits for the answer. After a failure or an interruption the process may still be busy with
   * this document, and must not be used again.
   */
  read(
    source: StoredSource | PageSource,
    limits: ReadLimits,
  ): Effect.Effect<Answer, ProcessEnded | OutOfMemory | TimedOut> {
    this.requests++
    return Effect.raceFirst(this.exchange(source), this.watch(limits)).pipe(
      Effect.timeoutOrElse({
        duration: Duration.times(limits.time, WALL_CLOCK_FACTOR),
        orElse: () => Effect.fail(new TimedOut()),
      }),
    )
  }

  private exchange(source: StoredSource | PageSource): Effect.Effect<Answer, ProcessEnded> {
    const { textLimit } = this
    const isFile = "format" in source
    const request: Request = isFile
      ? { format: source.format, name: source.name, textLimit }
      : { url: source.url, contentType: source.contentType, textLimit }
    const content = isFile ? source.content : new Blob([source.bytes])
    return this.frame(async () => {
      void this.child.stdin.write(frameStart(request, content.size))
      let missing = content.size
      for await (const piece of content.stream()) {
        missing -= piece.length
        if (missing < 0) break
        void this.child.stdin.write(piece)
        // When the process ends during this write, reading its reply fails with the reason.
        await Promise.resolve(this.child.stdin.flush()).catch(() => {})
      }
      if (missing !== 0) throw new Error("The file changed while it was read.")
      await Promise.resolve(this.child.stdin.flush()).catch(() => {})
    }).pipe(Effect.flatMap((frame) => this.answerOf(frame)))
  }

  private frame(before: () => Promise<void>): Effect.Effect<Frame, ProcessEnded> {
    return Effect.tryPromise({
      try: async () => {
        await before()
        return (await this.replies.next()) ?? (await this.rejectWithExit())
      },
      catch: (cause) => new ProcessEnded({ how: String(cause) }),
    })
  }

  private answerOf({ head }: Frame): Effect.Effect<Answer, ProcessEnded> {
    return Effect.flatMap(decoded(ReplySchema, head), (reply): Effect.Effect<Answer, ProcessEnded> => {
      if (reply.kind === "split") {
        const { frames, kind, title } = reply
        return Effect.map(this.items(frames, PassagesSchema), (passages) => ({ kind, document: { title, passages } }))
      }
      if (reply.kind !== "page") return Effect.succeed(reply)
      const { blocks, frames, kind, page } = reply
      return Effect.map(this.items(frames, TextsSchema), (texts) => ({
        kind,
        page: { ...page, blocks: texts.slice(0, blocks), links: texts.slice(blocks) },
      }))
    })
  }

  /** Reads items from this many frames. It yields before each, so that other fibers are not held up. */
  private readonly items = Effect.fnUntraced(function* <A>(
    this: ExtractProcess,
    frames: number,
    schema: Schema.Codec<ReadonlyArray<A>, string>,
  ) {
    // A passage has at least one character.
    if (frames > Math.ceil(this.textLimit / ITEMS_PER_FRAME)) {
      return yield* new ProcessEnded({ how: "it announced more than a document holds" })
    }
    const all: Array<A> = []
    let length = 0
    for (let frame = 0; frame < frames; frame++) {
      yield* Effect.yieldNow
      const { head } = yield* this.frame(() => Promise.resolve())
      length += head.length
      if (length > this.textLimit * PASSAGE_CHARACTERS_RATIO + SPARE_PASSAGE_CHARACTERS) {
        return yield* new ProcessEnded({ how: "it answered more than a document holds" })
      }
      for (const each of yield* decoded(schema, head)) all.push(each)
    }
    return all
  })

  private async rejectWithExit(): Promise<never> {
    await this.child.exited
    throw new Error(`signal ${this.child.signalCode}, exit code ${this.child.exitCode}`)
  }

  private readonly watch = Effect.fnUntraced(function* (this: ExtractProcess, { memory, time }: ReadLimits) {
    let usage = yield* usageOf(this.child.pid)
    const end = usage.milliseconds + Duration.toMillis(time)
    for (;;) {
      if (usage.bytes > memory) return yield* new OutOfMemory()
      if (usage.milliseconds > end) return yield* new TimedOut()
      yield* Effect.sleep(WATCH_INTERVAL)
      usage = yield* usageOf(this.child.pid)
    }
  })
}

const killIfThere = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It has ended with the others.
  }
}

const decoded = <A>(schema: Schema.Codec<A, string>, head: string): Effect.Effect<A, ProcessEnded> =>
  Effect.mapError(Schema.decodeEffect(schema)(head), () => new ProcessEnded({ how: "it answered what is no reply" }))
