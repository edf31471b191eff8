import { createHash } from "node:crypto"
import { makeZip } from "client-zip"
import { Effect, Option, Stream, Struct } from "effect"
import { SecureRandom } from "effect/crypto"
import { Blobs } from "../../blobs/Blobs.ts"
import { BlobStore } from "../../blobs/BlobStore.ts"
import { documentKey } from "../../domain/BlobKey.ts"
import { TooLarge } from "../../domain/Errors.ts"
import { type ChatbotId, DocumentId } from "../../domain/Ids.ts"
import {
  type ArchivedDocument,
  type ArchivedItem,
  type ArchivedSource,
  type ArchiveHead,
  type ArchiveImport,
  CONTENTS_FILE,
  questionsFile,
} from "../../domain/knowledge/Archive.ts"
import { displayName } from "../../domain/knowledge/Document.ts"
import { formatOfContentType } from "../../domain/knowledge/Formats.ts"
import { IMPORT_MAX_BYTES } from "../../domain/knowledge/Question.ts"
import { isCrawled, type Source, type SourceId, type SourceInput } from "../../domain/knowledge/Source.ts"
import type { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Ingestion } from "../../jobs/Ingestion.ts"
import { addressOf } from "../../sources/Address.ts"
import { Chatbots } from "../../storage/chatbots/Chatbots.ts"
import { Quotas } from "../../storage/organizations/Quotas.ts"
import * as Storage from "../../storage/sources/Archives.ts"
import { openArchive } from "./ArchiveFile.ts"
import { Questions } from "./questions/Questions.ts"
import { Sources } from "./Sources.ts"

/** The number of documents whose rows are read at once. */
const AT_ONCE = 200
const PROBLEMS_MAX = 100

/** Exports knowledge bases as zip archives, and imports such archives. */
export class Archives extends Service<Archives>()("parley/services/knowledge/Archives", function* () {
  const storage = yield* Storage.Archives
  const store = yield* BlobStore
  const blobs = yield* Blobs
  const chatbots = yield* Chatbots
  const sources = yield* Sources
  const questions = yield* Questions
  const quotas = yield* Quotas
  const ingestion = yield* Ingestion
  const random = yield* SecureRandom.SecureRandom

  /** Reads all files of an archive, of which the list of the contents is the last. */
  const entriesOf = Effect.fnUntraced(function* (chatbot: ChatbotId, signal: AbortSignal) {
    const context = yield* Effect.context<CurrentOrganization>()
    const open = <E>(bytes: Stream.Stream<Uint8Array, E, CurrentOrganization>) =>
      Stream.toReadableStreamWith(bytes, context, { signal })
    const found = yield* Effect.forEach(yield* sources.list(chatbot), ({ id }) => sources.get(chatbot, id))
    const contents = [JSON.stringify({ format: "parley-knowledge-base", version: 1 } satisfies typeof ArchiveHead.Type)]
    for (const source of found) contents.push(lineOf({ type: "source", key: source.id, source: inputOf(source) }))
    const answers = Stream.fromIterable(found.filter(({ kind }) => kind === "questions")).pipe(
      Stream.mapEffect(({ id }) =>
        Effect.map(questions.exported(chatbot, id), (csv) => ({
          name: questionsFile(id),
          input: open(csv),
        })),
      ),
    )
    const files = Stream.paginate(Option.none<DocumentId>(), (after) =>
      Effect.map(storage.documents(chatbot, Option.getOrUndefined(after), AT_ONCE), (rows) => {
        const last = Option.fromNullishOr(rows.at(-1))
        return [rows, Option.map(last, ({ id }) => Option.some(id))] as const
      }),
    ).pipe(
      // One at a time, because a stream of the web opens its file as soon as it is made.
      Stream.rechunk(1),
      // What the store has lost cannot be moved.
      Stream.filterEffect(({ blob_key }) => Effect.map(store.info(blob_key), (info) => info !== undefined)),
      Stream.map(({ blob_key, content_type, created_at, id, name, source_id, url }) => {
        const file = `documents/${id}/${name.replaceAll(/[/\\:*?"<>|]/g, "_")}`
        contents.push(lineOf({ type: "document", file, name, content_type, source: source_id, url }))
        return { name: file, input: open(store.read(blob_key)), lastModified: created_at }
      }),
    )
    const lines = Stream.suspend(() => Stream.fromIterable(contents)).pipe(
      Stream.map((line) => `${line}\n`),
      Stream.encodeText,
    )
    return answers.pipe(
      Stream.concat(files),
      Stream.concat(Stream.sync(() => ({ name: CONTENTS_FILE, input: open(lines) }))),
      Stream.toAsyncIterableWith(context),
    )
  })

  /** Makes an import of an archive, with what it has done so far. */
  const makeImport = Effect.fnUntraced(function* (chatbot: ChatbotId, { bytesOf, read }: Archive, fileLimit: number) {
    const known = new Map((yield* sources.list(chatbot)).map((source) => [identityOf(inputOf(source)), source.id]))
    const sourceIds = new Map<string, SourceId>()
    const problems: Array<string> = []
    const counts = () => ({ added: 0, known: 0 })
    const report = { documents: counts(), sources: counts(), questions: counts(), problems } satisfies ArchiveImport
    const refuse = (problem: string) => void (problems.length < PROBLEMS_MAX && problems.push(problem))
    const taken = new Set<string>()
    /** The size of a file that no item has had before: a small archive could name a large file again and again. */
    const take = (file: string) => (taken.has(file) ? undefined : (taken.add(file), bytesOf(file)))

    const addSource = Effect.fnUntraced(function* ({ key, source }: ArchivedSource) {
      const own = known.get(identityOf(source))
      const id = own ?? (yield* sources.create(chatbot, source, false)).id
      report.sources[own === undefined ? "added" : "known"]++
      sourceIds.set(key, id)
      const file = questionsFile(key)
      const bytesOfQuestions = take(file)
      if (source.kind !== "questions" || bytesOfQuestions === undefined) return
      if (bytesOfQuestions > IMPORT_MAX_BYTES) return refuse(TooLarge.of(file, IMPORT_MAX_BYTES).detail)
      const bytes = Buffer.concat(yield* Stream.runCollect(read(file)))
      const { added, refused, unchanged, updated } = yield* questions.imported(chatbot, id, bytes)
      report.questions.added += added
      report.questions.known += unchanged + updated
      for (const { reason, row } of refused) refuse(`${file}, row ${row}: ${reason}`)
    })

    const addDocument = Effect.fnUntraced(function* (item: ArchivedDocument) {
      const { content_type, file, name, source, url } = item
      const size_bytes = take(file)
      if (size_bytes === undefined || formatOfContentType(content_type) === undefined)
        return refuse(`${name}: the archive lacks the file or names it twice, or it is of a kind that cannot be read.`)
      // Consoles and widgets link to it, and an index holds none that is longer.
      const address = url === null ? null : addressOf(url)
      if (address === undefined) return refuse(`${name}: ${url} is no address of a page.`)
      if (size_bytes > fileLimit) return refuse(TooLarge.of(name, fileLimit).detail)
      yield* quotas.ensureRoom({ documents: 1, bytes: size_bytes })
      const blob_key = documentKey(yield* random.uuidV4())
      const hash = createHash("sha256")
      yield* blobs.put(
        blob_key,
        Stream.tap(read(file), (some) => Effect.sync(() => hash.update(some))),
      )
      const content = { name: displayName(name), content_type, size_bytes, sha256: hash.digest("hex"), blob_key }
      const source_id = source === null ? undefined : sourceIds.get(source)
      const origin = source_id && { source_id, url: address, is_approved: false }
      const id = DocumentId.make(yield* random.uuidV7())
      const { duplicate } = yield* storage.add(id, chatbot, content, origin)
      report.documents[duplicate ? "known" : "added"]++
      yield* ingestion.nudge
    })

    const add = (item: ArchivedItem) => (item.type === "source" ? addSource(item) : addDocument(item))
    return { add, report }
  })

  return {
    /** Writes a knowledge base as a zip archive, which is read from the store while it is sent. */
    exported: Effect.fn("Archives.exported")(function* (chatbot: ChatbotId) {
      yield* chatbots.get(chatbot)
      // The library does not cancel the stream of a file when its own is cancelled, and the file would stay open.
      const ended = new AbortController()
      const entries = yield* entriesOf(chatbot, ended.signal)
      return Stream.fromReadableStream({ evaluate: () => makeZip(entries), onError: (error) => error }).pipe(
        Stream.ensuring(Effect.sync(() => ended.abort())),
      )
    }),

    /**
     * Adds what an archive holds to a knowledge base. What is there already is not added twice.
     *
     * @param fileLimit the most bytes of a document, however small it is within the archive
     */
    imported: Effect.fn("Archives.imported")(function* (chatbot: ChatbotId, path: string, fileLimit: number) {
      yield* chatbots.get(chatbot)
      const archive = yield* openArchive(path)
      const { add, report } = yield* makeImport(chatbot, archive, fileLimit)
      yield* Stream.runForEach(archive.items, add)
      yield* Effect.all([ingestion.nudge, blobs.nudge])
      return report
    }, Effect.scoped),
  }
}) {}

type Archive = Effect.Success<ReturnType<typeof openArchive>>

const lineOf = (item: ArchivedItem): string => JSON.stringify(item)

/** The fields of a source by which it can be made anew. */
const inputOf = ({ kind, name, text, ...crawled }: Source): SourceInput => {
  if (!isCrawled(kind)) return kind === "text" ? { kind, name, text } : { kind, name }
  return { kind, name, ...Struct.pick(crawled, ["urls", "include", "exclude", "depth", "max_pages", "schedule"]) }
}

/** What tells sources from each other: one that reads the same is there already. */
const identityOf = ({ kind, name, urls = [] }: SourceInput): string => JSON.stringify([kind, name, urls])
