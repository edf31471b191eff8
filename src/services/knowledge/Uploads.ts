import { createHash } from "node:crypto"
import { Duration, Effect, FileSystem, type PlatformError, PubSub, Ref, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { Blobs } from "../../blobs/Blobs.ts"
import { ensureServes } from "../../domain/Caller.ts"
import { documentKey } from "../../domain/BlobKey.ts"
import { type Document, displayName, isSettled } from "../../domain/knowledge/Document.ts"
import { Conflict, UnreadableDocument, UnsupportedMediaType } from "../../domain/Errors.ts"
import { contentType, detect, DETECT_BYTES, DETECT_LAST_BYTES, Format } from "../../domain/knowledge/Formats.ts"
import { type ChatbotId, DocumentId } from "../../domain/Ids.ts"
import { Service } from "../../domain/Service.ts"
import { Ingestion } from "../../jobs/Ingestion.ts"
import * as ChatbotStorage from "../../storage/chatbots/Chatbots.ts"
import { type Content, Documents } from "../../storage/documents/Documents.ts"
import { Quotas } from "../../storage/organizations/Quotas.ts"
import { filesUnavailable } from "../../system/Disk.ts"

/** Most files of one upload, which a client waits for; more files go in more uploads. */
export const FILES_MAX_COUNT = 10

export interface ReceivedFile {
  /** The file name that the client sent. */
  readonly name: string
  /** Path at which the server has stored the upload for the time of the request. */
  readonly path: string
}

/** Pauses between looks at documents that another process may have ended; this process announces those that it ends. */
const WATCH_FIRST = Duration.millis(50)
const WATCH_GROWTH = 1.5
const WATCH_SLOWEST = Duration.millis(250)

/** Adds files to the knowledge bases of chatbots, and waits until they can be searched. */
export class Uploads extends Service<Uploads>()("parley/services/knowledge/Uploads", function* () {
  const chatbots = yield* ChatbotStorage.Chatbots
  const documents = yield* Documents
  const quotas = yield* Quotas
  const blobs = yield* Blobs
  const ingestion = yield* Ingestion
  const files = yield* FileSystem.FileSystem
  const random = yield* SecureRandom.SecureRandom

  /** Finds the format of a file before anything of it is stored. */
  const inspect = Effect.fnUntraced(
    function* (file: ReceivedFile) {
      const name = displayName(file.name)
      const { size } = yield* files.stat(file.path)
      // Small files, which most are, are read once and kept in memory.
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

  /** Makes a blob of a file. `described` describes the content once the blob has been written. */
  const prepare = ({ known, bytes }: Effect.Success<ReturnType<typeof inspect>>) =>
    Effect.map(random.uuidV4(), (id) => {
      const key = documentKey(id)
      const hash = createHash("sha256")
      return {
        key,
        content: Stream.tap(bytes, (some) => Effect.sync(() => hash.update(some))),
        described: (): Content => ({ ...known, sha256: hash.digest("hex"), blob_key: key }),
      }
    })

  /** Writes the blobs, which no document owns yet. */
  const store = (prepared: ReadonlyArray<Effect.Success<ReturnType<typeof prepare>>>) =>
    Effect.catchTag(blobs.putAll(prepared), "PlatformError", unreadableUpload)

  /**
   * Waits until all documents are settled, or the time is over, and returns their state. The received files are not
   * needed for it.
   */
  const watch = Effect.fnUntraced(function* (
    chatbot: ChatbotId,
    before: ReadonlyArray<Document>,
    wait: Duration.Duration,
  ) {
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
      // A document that is not found was deleted meanwhile, so nobody waits for it.
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
  }, Effect.scoped)

  return {
    /**
     * Adds each file as a document, and returns how to wait for them. If one file is of an unsupported format, none is
     * added.
     */
    upload: Effect.fn("Uploads.upload")(function* (chatbot: ChatbotId, received: ReadonlyArray<ReceivedFile>) {
      yield* ensureServes(chatbot)
      yield* chatbots.get(chatbot)
      const inspected = yield* Effect.forEach(received, inspect)
      const bytes = inspected.reduce((sum, { known }) => sum + known.size_bytes, 0)
      yield* quotas.ensureRoom({ documents: inspected.length, bytes })
      const prepared = yield* Effect.forEach(inspected, prepare)
      yield* store(prepared)
      const added = yield* Effect.forEach(
        prepared,
        Effect.fnUntraced(function* ({ described }) {
          const document = yield* documents.add(DocumentId.make(yield* random.uuidV7()), chatbot, described())
          yield* ingestion.nudge
          return document
        }),
      )
      yield* blobs.nudge
      return (wait: Duration.Duration) => watch(chatbot, added, wait)
    }),

    /**
     * Replaces the content of a document, and returns how to wait for it, which fails with `UnreadableDocument` if
     * the file proves unreadable meanwhile.
     */
    replace: Effect.fn("Uploads.replace")(function* (chatbot: ChatbotId, id: DocumentId, file: ReceivedFile) {
      const { size_bytes, source_id } = yield* documents.get(chatbot, id)
      if (source_id !== null) return yield* ofSource
      const inspected = yield* inspect(file)
      yield* quotas.ensureRoom({ bytes: inspected.known.size_bytes - size_bytes })
      const prepared = yield* prepare(inspected)
      yield* store([prepared])
      const content = prepared.described()
      const document = yield* documents.replace(chatbot, id, content)
      yield* ingestion.nudge
      yield* blobs.nudge
      return Effect.fnUntraced(function* (wait: Duration.Duration) {
        const [now = document] = yield* watch(chatbot, [document], wait)
        return now.error === null
          ? now
          : yield* new UnreadableDocument({ detail: `${content.name}: ${now.error.message}` })
      })
    }),
  }
}) {}

const ofSource = new Conflict({ detail: "The document belongs to a source: change that instead." })

/** The server's own copy of an upload cannot be read, which is not the client's fault. */
const unreadableUpload = (error: PlatformError.PlatformError) =>
  Effect.andThen(
    Effect.logError("A file that was received cannot be read", error),
    Effect.fail(filesUnavailable(error)),
  )
