import { Effect, Stream, Struct } from "effect"
import { SecureRandom } from "effect/crypto"
import { Shares } from "../../admission/Shares.ts"
import { Blobs } from "../../blobs/Blobs.ts"
import { InvalidRequest } from "../../domain/Errors.ts"
import { type ChatbotId, DocumentId } from "../../domain/Ids.ts"
import {
  DEPTH_DEFAULT,
  isCrawled,
  PAGES_DEFAULT,
  type Source,
  SourceId,
  type SourceInput,
  type SourceKind,
  type SourcePatch,
} from "../../domain/knowledge/Source.ts"
import type { PageOutcome } from "../../domain/knowledge/SourcePage.ts"
import { SourceRunId } from "../../domain/knowledge/SourceRun.ts"
import type { Page } from "../../domain/Page.ts"
import type { Change } from "../../domain/schema/Merge.ts"
import { Service } from "../../domain/Service.ts"
import { Crawls } from "../../jobs/Crawls.ts"
import { Ingestion } from "../../jobs/Ingestion.ts"
import { SafeFetch } from "../../outbound/SafeFetch.ts"
import { SourcePreviews } from "../../sources/Preview.ts"
import { Chatbots } from "../../storage/chatbots/Chatbots.ts"
import { contentOf } from "../../storage/documents/Documents.ts"
import { Quotas } from "../../storage/organizations/Quotas.ts"
import { type PageFilter, SourcePages } from "../../storage/sources/SourcePages.ts"
import { SourceRuns } from "../../storage/sources/SourceRuns.ts"
import * as Storage from "../../storage/sources/Sources.ts"
import { AfterCommit } from "../../storage/sql/AfterCommit.ts"
import { prepared } from "../Preparation.ts"
import { ensureMatch, type IfMatch } from "../Versions.ts"

/** What somebody wants of a run. */
interface RunInput {
  readonly only?: PageOutcome | null
  readonly confirm?: boolean
}

/** Manages the sources of the knowledge of chatbots, and starts and stops their runs. */
export class Sources extends Service<Sources>()("parley/services/knowledge/Sources", function* () {
  const storage = yield* Storage.Sources
  const runs = yield* SourceRuns
  const pages = yield* SourcePages
  const chatbots = yield* Chatbots
  const quotas = yield* Quotas
  const crawls = yield* Crawls
  const previews = yield* SourcePreviews
  const ingestion = yield* Ingestion
  const blobs = yield* Blobs
  const afterCommit = yield* AfterCommit
  const random = yield* SecureRandom.SecureRandom
  const { check } = yield* SafeFetch
  const withinShare = (yield* Shares).within("chats")

  /** Checks the rules that concern more than one field, and that the addresses may be called. */
  const ensureConsistent = Effect.fnUntraced(function* (kind: SourceKind, content: Storage.SourceContent) {
    const { exclude, include, schedule, text, urls } = content
    const wrong = isCrawled(kind)
      ? { urls: urls.length === 0 && "Expected at least one address", text: text !== null && "Expected null" }
      : {
          urls: urls.length > 0 && "Expected no address",
          include: include.length > 0 && "Expected no pattern",
          exclude: exclude.length > 0 && "Expected no pattern",
          schedule: schedule !== null && "Expected null",
          text:
            kind === "text"
              ? (text ?? "").trim() === "" && "Expected a text that is not empty"
              : text !== null && "Expected null",
        }
    for (const [field, issue] of Object.entries(wrong)) {
      if (issue !== false) return yield* InvalidRequest.at(field, `${issue} for a source of the kind ${kind}`)
    }
    yield* Effect.forEach(urls.entries(), ([index, url]) =>
      Effect.mapError(check(new URL(url)), ({ detail }) => InvalidRequest.at(`urls.${index}`, detail)),
    )
  })

  /** Stores a text as the file of its document. */
  const store = Effect.fnUntraced(function* ({ name, text }: Storage.SourceContent) {
    const written = text ?? ""
    const bytes = Buffer.from(/^\s*# /.test(written) ? written : `# ${name}\n\n${written}`)
    yield* quotas.ensureRoom({ bytes: bytes.length })
    const content = contentOf(yield* random.uuidV4(), name, "md", bytes)
    yield* blobs.put(content.blob_key, Stream.succeed(bytes))
    return { id: DocumentId.make(yield* random.uuidV7()), content }
  })

  const wake = afterCommit.run(Effect.all([crawls.nudge, ingestion.nudge, blobs.nudge], { discard: true }))

  const newRun = Effect.fnUntraced(function* ({ confirm = false, only = null }: RunInput) {
    return { id: SourceRunId.make(yield* random.uuidV7()), only, isConfirmed: confirm }
  })

  return {
    /**
     * Creates a source, and starts its first run or adds its document.
     *
     * @param startsNow whether the first run starts at once, and not by the schedule
     */
    create: Effect.fn("Sources.create")(function* (chatbot: ChatbotId, input: SourceInput, startsNow = true) {
      const content = withDefaults(input)
      const first = yield* prepared(
        Effect.gen(function* () {
          yield* chatbots.get(chatbot)
          yield* ensureConsistent(input.kind, content)
          return {
            ...(startsNow && isCrawled(input.kind) && { run: yield* newRun({}) }),
            ...(input.kind === "text" && { document: yield* store(content) }),
          }
        }),
      )
      const id = SourceId.make(yield* random.uuidV7())
      const source = yield* storage.insert(id, chatbot, input.kind, content, first)
      yield* wake
      return source
    }),

    /** Finds out what a source would read, without reading any page. */
    preview: Effect.fn("Sources.preview")(function* (chatbot: ChatbotId, input: SourceInput) {
      yield* chatbots.get(chatbot)
      const { kind } = input
      if (!isCrawled(kind)) return yield* InvalidRequest.at("kind", "Expected a kind whose pages are read")
      const content = withDefaults(input)
      yield* ensureConsistent(kind, content)
      return yield* previews.preview(kind, content)
    }, withinShare),

    /** Lists the sources of a chatbot, oldest first. */
    list: (chatbot: ChatbotId) => Effect.andThen(chatbots.get(chatbot), storage.list(chatbot)),

    get: storage.get,

    update: Effect.fn("Sources.update")(function* (
      chatbot: ChatbotId,
      id: SourceId,
      change: Change<Source, SourcePatch>,
      ifMatch: IfMatch,
    ) {
      const { before, content, document } = yield* prepared(
        Effect.gen(function* () {
          const before = yield* storage.get(chatbot, id)
          yield* ensureMatch(before, ifMatch)
          const content = { ...before, ...(yield* change(before)) }
          yield* ensureConsistent(before.kind, content)
          const isRewritten = content.name !== before.name || content.text !== before.text
          return {
            before,
            content,
            document: before.kind === "text" && isRewritten ? yield* store(content) : undefined,
          }
        }),
      )
      const source = yield* storage.update(before, content, document)
      yield* wake
      return source
    }),

    /** Deletes a source with its documents, runs and questions. */
    remove: Effect.fn("Sources.remove")((chatbot: ChatbotId, id: SourceId) =>
      Effect.andThen(storage.remove(chatbot, id), blobs.collect),
    ),

    /** Lists some of the pages of a source, by their addresses, and their number. */
    pages: Effect.fn("Sources.pages")(function* (chatbot: ChatbotId, id: SourceId, page: Page, filter: PageFilter) {
      yield* storage.ensure(chatbot, id)
      return yield* pages.list(id, page, filter)
    }),

    /** Lists the branches of the tree of a source's pages below a prefix, or the hosts without one. */
    branches: Effect.fn("Sources.branches")(function* (chatbot: ChatbotId, id: SourceId, under: string | undefined) {
      yield* storage.ensure(chatbot, id)
      return yield* pages.branches(id, under)
    }),

    /** Lists some of the runs of a source, the latest first, and their number. */
    runs: Effect.fn("Sources.runs")(function* (chatbot: ChatbotId, id: SourceId, page: Page) {
      yield* storage.ensure(chatbot, id)
      return yield* runs.list(id, page)
    }),

    start: Effect.fn("Sources.start")(function* (chatbot: ChatbotId, id: SourceId, input: RunInput) {
      const run = yield* runs.start(chatbot, id, yield* newRun(input))
      yield* afterCommit.run(crawls.nudge)
      return run
    }),

    stop: Effect.fn("Sources.stop")((chatbot: ChatbotId, id: SourceId, run: SourceRunId) =>
      Effect.tap(runs.stop(chatbot, id, run), () => afterCommit.run(crawls.nudge)),
    ),
  }
}) {}

const defaults = {
  urls: [],
  include: [],
  exclude: [],
  depth: DEPTH_DEFAULT,
  max_pages: PAGES_DEFAULT,
  text: null,
  schedule: null,
}

const withDefaults = (input: SourceInput): Storage.SourceContent => ({ ...defaults, ...Struct.omit(input, ["kind"]) })
