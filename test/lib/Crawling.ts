import { Context, Duration, Effect, Layer, PubSub } from "effect"
import { Blobs } from "../../src/blobs/Blobs.ts"
import type { DocumentId } from "../../src/domain/Ids.ts"
import { SourceId, type SourceConfig, type SourceKind } from "../../src/domain/knowledge/Source.ts"
import type { PageOutcome } from "../../src/domain/knowledge/SourcePage.ts"
import { SourceRunId } from "../../src/domain/knowledge/SourceRun.ts"
import { CrawlBounds, Crawls } from "../../src/jobs/Crawls.ts"
import { Ingestion } from "../../src/jobs/Ingestion.ts"
import { Extract, ExtractionFailed } from "../../src/readers/Extract.ts"
import { Unreadable } from "../../src/readers/extract/Extraction.ts"
import { page as readPage } from "../../src/readers/extract/html/Page.ts"
import { parsePrivateNetworks, noPrivateNetworks } from "../../src/outbound/PrivateNetworks.ts"
import { PageTimeout, type Resolve, SafeFetch } from "../../src/outbound/SafeFetch.ts"
import { CrawlPace } from "../../src/sources/PoliteFetch.ts"
import * as Sources from "../../src/sources/Sources.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { BlobControl, eventually, memoryBlobs, platform, quiet, storage } from "./Layers.ts"
import { makeTenant, newId } from "./Tenants.ts"
import { isTooSlow, toThisMachine } from "./TrapSite.ts"

/*
 * Processes that read the sources of tests. Pages are read in the test's own process, and nothing is ingested.
 */

const readingHere = Layer.succeed(Extract, {
  examine: () => Effect.die("No test examines PDFs by this layer."),
  split: () => Effect.die("No test splits documents by this layer."),
  page: (source) =>
    Effect.try({
      try: () => readPage(source, 20_000_000),
      catch: (cause) =>
        new ExtractionFailed(
          cause instanceof Unreadable ? cause : { code: "extraction_crashed", message: String(cause) },
        ),
    }),
})

const withoutIngestion = Layer.effect(
  Ingestion,
  Effect.map(PubSub.unbounded<DocumentId>(), (ended) => Ingestion.of({ nudge: Effect.void, ended })),
)

/** The services that a crawling process needs. */
export const crawlNeeds = Layer.mergeAll(Blobs.layer, withoutIngestion).pipe(
  Layer.provideMerge(Layer.mergeAll(storage, platform, quiet, memoryBlobs, readingHere)),
)

const hurried: CrawlPace = {
  pauseMin: Duration.millis(1),
  pauseMax: Duration.millis(2),
  crawlDelayMax: Duration.millis(50),
  retryAfterMax: Duration.seconds(2),
  // Tests with long pauses end them themselves.
  waitMax: Duration.days(1),
  retryPause: Duration.millis(5),
  tries: 3,
  failuresMax: 10,
}

export interface CrawlingChanges extends Partial<CrawlBounds>, Partial<CrawlPace> {
  readonly resolve?: Resolve
  readonly pageTimeout?: Duration.Input
  /** The address of a browser that renders pages. */
  readonly browser?: string
}

/** Requests on this machine alone, which soon give up an address that is too slow, and wait long for all others. */
const safeFetch = (resolve: Resolve, pageTimeout: Duration.Input) => {
  const within = (timeout: Duration.Input) =>
    SafeFetch.pipe(
      Effect.provide(
        SafeFetch.layer({
          allowed: parsePrivateNetworks("127.0.0.1, ::1") ?? noPrivateNetworks,
          resolve,
          refusedAfter: Duration.zero,
        }),
      ),
      Effect.provideService(PageTimeout, timeout),
    )
  return Layer.effect(
    SafeFetch,
    Effect.gen(function* () {
      const patient = yield* within(pageTimeout)
      const impatient = yield* within("50 millis")
      return SafeFetch.of({
        ...patient,
        page: (request) => (isTooSlow(request.url) ? impatient : patient).page(request),
      })
    }),
  )
}

/** What reads sources, with short pauses, on this machine alone. */
export const crawlingWith = ({
  resolve = toThisMachine,
  pageTimeout = "30 seconds",
  browser,
  ...changes
}: CrawlingChanges = {}) =>
  Crawls.layer.pipe(
    Layer.provideMerge(Sources.layer({ crawler: { publicUrl: "https://chat.example" }, renderer: { url: browser } })),
    Layer.provide(safeFetch(resolve, pageTimeout)),
    Layer.provide([
      Layer.succeed(CrawlPace, { ...hurried, ...changes }),
      Layer.succeed(PageTimeout, pageTimeout),
      Layer.succeed(CrawlBounds, { concurrency: 2, attempts: 3, lapses: 20, lease: "5 minutes", ...changes }),
    ]),
  )

/** Starts a process that reads sources until the test ends, and looks for runs all the time. */
export const startCrawling = Effect.fnUntraced(function* (changes?: CrawlingChanges) {
  const services = yield* Layer.build(crawlingWith(changes))
  const { nudge } = Context.get(services, Crawls)
  yield* nudge.pipe(Effect.delay("10 millis"), Effect.forever, Effect.forkScoped)
})

export interface TestSource extends Effect.Success<typeof makeTenant> {
  readonly id: SourceId
}

const config: SourceConfig = { urls: [], include: [], exclude: [], depth: 10, max_pages: 2_000, text: null }

/** Stores a source of a new chatbot, without a run. */
export const makeSource = Effect.fnUntraced(function* (
  kind: SourceKind,
  urls: ReadonlyArray<string>,
  more: Partial<SourceConfig> & { readonly schedule?: string } = {},
) {
  const tenant = yield* makeTenant
  const id = SourceId.make(yield* newId)
  const { schedule = null, ...rest } = more
  const sql = yield* SystemSql
  yield* sql`insert into sources (id, organization_id, chatbot_id, kind, name, config, schedule)
    values (${id}, ${tenant.organization}, ${tenant.chatbot}, ${kind}, 'Some', ${JSON.stringify({ ...config, urls, ...rest })}::jsonb,
      ${schedule}::text)`
  return { ...tenant, id } satisfies TestSource
})

/** Queues a run of a source. */
export const queueRun = Effect.fnUntraced(function* (
  { id, organization }: TestSource,
  { confirm = false, only = null }: { readonly only?: PageOutcome | null; readonly confirm?: boolean } = {},
) {
  const sql = yield* SystemSql
  const run = SourceRunId.make(yield* newId)
  yield* sql`delete from source_queue where source_id = ${id}`
  yield* sql`insert into source_runs (id, organization_id, source_id, trigger, status, only_outcome, is_confirmed)
    values (${run}, ${organization}, ${id}, 'manual', 'queued', ${only}::text, ${confirm})`
  yield* sql`insert into source_queue (source_id, organization_id, run_id) values (${id}, ${organization}, ${run})`
  return run
})

export interface RunRow {
  readonly status: string
  readonly counts: Record<string, number> | null
  readonly error: { readonly code: string; readonly message: string } | null
  readonly requests: number
  readonly bytes: number
  readonly trigger: string
}

export const runOf = (id: SourceRunId) =>
  SystemSql.use((sql) =>
    Effect.map(
      sql<RunRow>`select status, counts, error, requests, bytes::float8, trigger from source_runs where id = ${id}`,
      ([row]) => row,
    ),
  )

/** Waits until a run has ended. */
export const ended = (id: SourceRunId) =>
  eventually(runOf(id), (run) => run === undefined || !["queued", "running"].includes(run.status))

/** Runs a source, and waits for the end. A process has to be reading. */
export const runSource = (source: TestSource, options?: Parameters<typeof queueRun>[1]) =>
  Effect.flatMap(queueRun(source, options), ended)

export interface PageRow {
  readonly url: string
  readonly outcome: PageOutcome | null
  readonly detail: string | null
  readonly document_id: string | null
  readonly depth: number
  readonly title: string | null
  readonly misses: number
  readonly is_waiting: boolean
}

/** The pages of a source by the paths of their addresses. */
export const pagesOf = ({ id }: TestSource) =>
  SystemSql.use((sql) =>
    Effect.map(
      sql<PageRow>`select url, outcome, detail, document_id, depth, title, misses, is_waiting from source_pages
        where source_id = ${id} order by url`,
      (rows) => new Map(rows.map((row) => [row.url.replace(/^https?:\/\/[^/]*/, ""), row])),
    ),
  )

/** The documents of a source, by the paths of their addresses: their ids and hashes. */
export const documentsOf = ({ id }: TestSource) =>
  SystemSql.use((sql) =>
    Effect.map(
      sql<{ id: string; url: string; sha256: string; name: string; content_type: string; blob_key: string }>`
        select id, url, coalesce(i.sha256, d.sha256) as sha256, d.name, d.content_type,
          coalesce(i.blob_key, d.blob_key) as blob_key
        from documents d left join ingestions i on i.document_id = d.id where source_id = ${id} order by url`,
      (rows) => new Map(rows.map((row) => [row.url.replace(/^https?:\/\/[^/]*/, ""), row])),
    ),
  )

/** The texts of the pages of a source that are documents, by the paths of their addresses. */
export const textsOf = Effect.fnUntraced(function* (source: TestSource) {
  const { blobs } = yield* BlobControl
  const documents = yield* documentsOf(source)
  return new Map([...documents].map(([path, { blob_key }]) => [path, String(Buffer.from(blobs.get(blob_key) ?? []))]))
})
