import { createHash } from "node:crypto"
import { Context, Duration, Effect, FileSystem, Layer, type PlatformError, PubSub, Ref, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { Blobs } from "../blobs/Blobs.ts"
import { type Caller, ensureServes } from "../domain/Caller.ts"
import { type Document, displayName, isSettled } from "../domain/Document.ts"
import {
  type Conflict,
  type Forbidden,
  type NotFound,
  TooLarge,
  type Unavailable,
  UnreadableDocument,
  UnsupportedMediaType,
} from "../domain/Errors.ts"
import { contentType, detect, DETECT_BYTES, DETECT_LAST_BYTES, Format } from "../domain/Formats.ts"
import { type ChatbotId, DocumentId } from "../domain/Ids.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import { Ingestion } from "../jobs/Ingestion.ts"
import * as ChatbotStorage from "../storage/Chatbots.ts"
import { type Content, Documents } from "../storage/Documents.ts"
import { filesUnavailable } from "../system/Disk.ts"

export interface EmbedFilesSettings {
  /** Bytes of one file, at most. */
  readonly fileLimit: number
  /** Files of one upload, at most. */
  readonly filesLimit: number
}

/** A file as it was received: under a name that the client gave, at a path of ours. */
export interface ReceivedFile {
  readonly name: string
  readonly path: string
}

type Refused = TooLarge | UnsupportedMediaType | Unavailable

/** How soon a wait for documents looks whether another process has ended them; this one says so itself. */
const WATCH_FIRST = Duration.millis(50)
const WATCH_GROWTH = 1.5
const WATCH_SLOWEST = Duration.millis(250)

/** Takes files into the knowledge bases of chatbots, and waits until they can be searched. */
export class EmbedFiles extends Context.Service<
  EmbedFiles,
  {
    /**
     * Takes files in, each as a document of its own, and waits at most so long until all can be searched or have
     * failed. Nothing is taken when one is too large or of a kind that is not read.
     */
    readonly upload: (
      chatbot: ChatbotId,
      files: ReadonlyArray<ReceivedFile>,
      wait: Duration.Duration,
    ) => Effect.Effect<ReadonlyArray<Document>, Forbidden | NotFound | Refused, Caller | CurrentOrganization>
    /** Gives a document new content. Fails with `UnreadableDocument` when that turns out within the wait. */
    readonly replace: (
      chatbot: ChatbotId,
      id: DocumentId,
      file: ReceivedFile,
      wait: Duration.Duration,
    ) => Effect.Effect<Document, NotFound | Conflict | UnreadableDocument | Refused, CurrentOrganization>
  }
>()("parley/services/EmbedFiles") {
  static readonly layer = (settings: EmbedFilesSettings) =>
    Layer.effect(
      EmbedFiles,
      Effect.gen(function* () {
        const chatbots = yield* ChatbotStorage.Chatbots
        const documents = yield* Documents
        const blobs = yield* Blobs
        const ingestion = yield* Ingestion
        const files = yield* FileSystem.FileSystem
        const random = yield* SecureRandom.SecureRandom

        /** What the file is, told by its name and its first bytes, before anything is kept of it. */
        const inspect = Effect.fnUntraced(
          function* (file: ReceivedFile) {
            const name = displayName(file.name)
            const { size } = yield* files.stat(file.path)
            if (size > settings.fileLimit) {
              return yield* TooLarge.of(name, settings.fileLimit)
            }
            // Most files are small: those are read once.
            const whole = size <= DETECT_LAST_BYTES ? yield* files.readFile(file.path) : undefined
            const format = whole === undefined ? yield* formatOf(name, file.path, size) : detect(name, whole, whole)
            if (format === undefined) {
              return yield* new UnsupportedMediaType({
                detail: `${name}: expected a file whose extension and content are one of ${Format.literals.join(", ")}.`,
              })
            }
            const known = { name, content_type: contentType(format), size_bytes: Number(size) }
            return { known, bytes: whole === undefined ? files.stream(file.path) : Stream.succeed(whole) }
          },
          Effect.catchTag("PlatformError", unreadableUpload),
        )

        const formatOf = Effect.fnUntraced(function* (name: string, path: string, size: bigint) {
          const head = yield* Stream.runCollect(files.stream(path, { bytesToRead: DETECT_BYTES }))
          const tail = yield* Stream.runCollect(files.stream(path, { offset: Number(size) - DETECT_LAST_BYTES }))
          return detect(name, Buffer.concat(head), Buffer.concat(tail))
        })

        /** The file as a blob to put, and what will be known of it then. */
        const prepare = ({ known, bytes }: Effect.Success<ReturnType<typeof inspect>>) =>
          Effect.map(random.uuidV4(), (id) => {
            const key = `documents/${id}`
            const hash = createHash("sha256")
            return {
              key,
              content: Stream.tap(bytes, (some) => Effect.sync(() => hash.update(some))),
              kept: (): Content => ({ ...known, sha256: hash.digest("hex"), blob_key: key }),
            }
          })

        /** Puts the files where documents are kept. They have no owner yet. */
        const keep = (prepared: ReadonlyArray<Effect.Success<ReturnType<typeof prepare>>>) =>
          Effect.catchTag(blobs.putAll(prepared), "PlatformError", unreadableUpload)

        /** The documents as they are once all are settled, or when the time is over. */
        const watch = (chatbot: ChatbotId, before: ReadonlyArray<Document>, wait: Duration.Duration) =>
          Effect.gen(function* () {
            if (before.every(isSettled) || Duration.toMillis(wait) === 0) return before
            const ended = yield* PubSub.subscribe(ingestion.ended)
            const latest = yield* Ref.make(before)
            const look = Effect.gen(function* () {
              const found = yield* documents.getMany(
                chatbot,
                before.map((document) => document.id),
              )
              const now = before.map(({ id, duplicate, ...rest }) => ({
                ...rest,
                ...found.find((document) => document.id === id),
                id,
                duplicate,
              }))
              yield* Ref.set(latest, now)
              // One that is gone was deleted meanwhile: there is nothing to wait for.
              return new Set(found.filter((document) => !isSettled(document)).map(({ id }) => id))
            })
            const allEnded = Effect.fnUntraced(function* (waiting: Set<DocumentId>) {
              while (waiting.size > 0) waiting.delete(yield* PubSub.take(ended))
            })
            const untilSettled = Effect.gen(function* () {
              let pause = WATCH_FIRST
              for (let waiting = yield* look; waiting.size > 0; waiting = yield* look) {
                yield* Effect.timeoutOption(allEnded(waiting), pause)
                pause = Duration.min(Duration.times(pause, WATCH_GROWTH), WATCH_SLOWEST)
              }
            })
            yield* Effect.timeoutOption(untilSettled, wait)
            return yield* Ref.get(latest)
          }).pipe(Effect.scoped)

        const upload = Effect.fn("EmbedFiles.upload")(function* (
          chatbot: ChatbotId,
          received: ReadonlyArray<ReceivedFile>,
          wait: Duration.Duration,
        ) {
          yield* ensureServes(chatbot)
          if (received.length > settings.filesLimit) {
            return yield* TooLarge.files(settings.filesLimit)
          }
          yield* chatbots.get(chatbot)
          const inspected = yield* Effect.forEach(received, inspect)
          const prepared = yield* Effect.forEach(inspected, prepare)
          yield* keep(prepared)
          const added = yield* Effect.forEach(prepared, ({ kept }) =>
            Effect.gen(function* () {
              const document = yield* documents.add(DocumentId.make(yield* random.uuidV7()), chatbot, kept())
              yield* ingestion.nudge
              return document
            }),
          )
          yield* blobs.nudge
          return yield* watch(chatbot, added, wait)
        })

        const replace = Effect.fn("EmbedFiles.replace")(function* (
          chatbot: ChatbotId,
          id: DocumentId,
          file: ReceivedFile,
          wait: Duration.Duration,
        ) {
          yield* documents.get(chatbot, id)
          const prepared = yield* prepare(yield* inspect(file))
          yield* keep([prepared])
          const content = prepared.kept()
          const document = yield* documents.replace(chatbot, id, content)
          yield* ingestion.nudge
          yield* blobs.nudge
          const [now = document] = yield* watch(chatbot, [document], wait)
          return now.error === null
            ? now
            : yield* new UnreadableDocument({ detail: `${content.name}: ${now.error.message}` })
        })

        return { upload, replace }
      }),
    )
}

/** Our own copy of what was received: not the client's doing. */
const unreadableUpload = (error: PlatformError.PlatformError) =>
  Effect.andThen(
    Effect.logError("A file that was received cannot be read", error),
    Effect.fail(filesUnavailable(error)),
  )
