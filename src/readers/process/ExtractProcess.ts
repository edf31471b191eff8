import { Effect, Schema, type Scope } from "effect"
import { Omissions } from "../../domain/knowledge/Omission.ts"
import {
  failureCodes,
  IMAGE_MAX_BYTES,
  type ImagePlace,
  type PageFacts,
  type PageSource,
  type PageText,
  type Passage,
  pdfContents,
  type PdfToExamine,
  type Reply,
  type Request,
  SCANNED_PAGES_MAX,
  type SplitText,
  type StoredSource,
} from "../extract/Extraction.ts"
import { type Frame, framePieces, FrameReader, frameStart, ITEMS_PER_FRAME } from "./Frames.ts"
import { type ProcessUsage, usageOf } from "./ProcessUsage.ts"
import { noSandbox, type Sandbox } from "./Sandbox.ts"
import { killTree, type Limits, type OutOfMemory, pidsOf, type TimedOut, within } from "./Watch.ts"

/** The process ended without a valid reply: it was killed, it crashed, or it broke the protocol. */
export class ProcessEnded extends Schema.TaggedError<ProcessEnded>()("ProcessEnded", { how: Schema.String }) {}

/** A reply with all that follows it. It is validated, since a malicious file may have taken over the process. */
export type Answer =
  | { readonly kind: "split"; readonly document: SplitText }
  | { readonly kind: "page"; readonly page: PageText }
  | Exclude<Reply, { readonly kind: "split" | "page" | "image" }>

interface SentImage extends ImagePlace {
  readonly kind: "image"
  readonly image: Uint8Array<ArrayBuffer>
}

/** Recognizes the text in an image of the document that is read. */
type Recognizer<E> = (image: Uint8Array<ArrayBuffer>, place: ImagePlace) => Effect.Effect<string, E>

const SCRIPT = new URL("./ExtractMain.ts", import.meta.url).pathname

/** The longest frame of passages. */
const MAX_HEAD_BYTES = 8 * 1024 * 1024
/** The most characters of JSON for each character of text: passages repeat headings, and JSON escapes characters. */
const PASSAGE_CHARACTERS_RATIO = 4
/** An allowance on top of that ratio, because a short text may consist of headings only. */
const SPARE_PASSAGE_CHARACTERS = 1024 * 1024

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
    Schema.Struct({ kind: Schema.tag("split"), title: Schema.String, omissions: Omissions, frames: Schema.Int }),
    Schema.Struct({ kind: Schema.tag("page"), page: PageFactsSchema, blocks: Schema.Int, frames: Schema.Int }),
    Schema.Struct({ kind: Schema.tag("examined"), content: Schema.Literals(pdfContents) }),
    Schema.Struct({ kind: Schema.tag("image"), page: Schema.Int, of: Schema.Int }),
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
    this.replies = new FrameReader(this.child.stdout, { head: MAX_HEAD_BYTES, body: IMAGE_MAX_BYTES })
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
    return pidsOf(this.child.pid)
  }

  /** Kills the process at once, in the middle of anything, and waits until it is gone. */
  get kill(): Effect.Effect<void> {
    return killTree(this.child)
  }

  /** The resources that the process uses. */
  get usage(): Effect.Effect<ProcessUsage> {
    return usageOf(this.child.pid)
  }

  /**
   * Sends a document, a web page, or a PDF that is examined, and waits for the answer. After a failure or an interruption the process may still
   * be busy with this document, and must not be used again.
   *
   * @param limits on the work from one image to the next, and on all where there are none
   * @param recognize reads the images of scans; without it the process sends none
   */
  readonly read = Effect.fnUntraced(function* <E = never>(
    this: ExtractProcess,
    source: StoredSource | PageSource | PdfToExamine,
    limits: Limits,
    recognize?: Recognizer<E>,
  ): Effect.fn.Return<Answer, ProcessEnded | OutOfMemory | TimedOut | E> {
    this.requests++
    const { pid } = this.child
    let next = this.frame(() => this.send(source, recognize !== undefined))
    for (let images = 0; images <= SCANNED_PAGES_MAX; images++) {
      const reply = yield* within(
        Effect.flatMap(next, (frame) => this.answerOf(frame)),
        pid,
        limits,
      )
      if (reply.kind !== "image") return reply
      if (recognize === undefined) break
      const text = yield* recognize(reply.image, reply)
      next = this.frame(() => this.write(framePieces({}, new TextEncoder().encode(text))))
    }
    return yield* new ProcessEnded({ how: "it sent images for which nobody asked" })
  })

  private async send(source: StoredSource | PageSource | PdfToExamine, hasOcr: boolean): Promise<void> {
    const [request, content] = requestOf(source, this.textLimit, hasOcr)
    void this.child.stdin.write(frameStart(request, content.size))
    let missing = content.size
    for await (const piece of content.stream()) {
      missing -= piece.length
      if (missing < 0) break
      await this.write([piece])
    }
    if (missing !== 0) throw new Error("The file changed while it was read.")
    await this.write([])
  }

  private async write(pieces: ReadonlyArray<Uint8Array>): Promise<void> {
    for (const piece of pieces) void this.child.stdin.write(piece)
    // When the process ends during this write, reading its reply fails with the reason.
    await Promise.resolve(this.child.stdin.flush()).catch(() => {})
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

  private answerOf({ body, head }: Frame): Effect.Effect<Answer | SentImage, ProcessEnded> {
    return Effect.flatMap(decoded(ReplySchema, head), (reply): Effect.Effect<Answer | SentImage, ProcessEnded> => {
      if (reply.kind === "image") return Effect.succeed({ ...reply, image: body })
      if (reply.kind === "split") {
        const { frames, kind, ...document } = reply
        return Effect.map(this.items(frames, PassagesSchema), (passages) => ({
          kind,
          document: { ...document, passages },
        }))
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
}

const requestOf = (
  source: StoredSource | PageSource | PdfToExamine,
  textLimit: number,
  hasOcr: boolean,
): readonly [Request, Blob] => {
  if ("examined" in source) return [{ isExamined: true, textLimit }, source.examined]
  if ("format" in source) return [{ format: source.format, name: source.name, textLimit, hasOcr }, source.content]
  return [{ url: source.url, contentType: source.contentType, textLimit }, new Blob([source.bytes])]
}

const decoded = <A>(schema: Schema.Codec<A, string>, head: string): Effect.Effect<A, ProcessEnded> =>
  Effect.mapError(Schema.decodeEffect(schema)(head), () => new ProcessEnded({ how: "it answered what is no reply" }))
