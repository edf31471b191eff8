import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type Statement } from "effect/sql"
import { DocumentId } from "../../domain/Ids.ts"
import { PageOutcome, type SourcePage, SourcePageId } from "../../domain/knowledge/SourcePage.ts"
import { Service } from "../../domain/Service.ts"
import { knowledgeChanged } from "../chatbots/KnowledgeVersion.ts"
import { type Content, Documents } from "../documents/Documents.ts"
import { decodeRows } from "../Rows.ts"
import { withoutSqlErrors } from "../sql/SqlErrors.ts"
import { texts, uuids } from "../sql/SqlValues.ts"
import { MISSING } from "./SourceRuns.ts"
import { type CrawlJob, type CrawlRun, SourceQueue } from "./SourceQueue.ts"

/** Rows that one statement reads or writes: on the embedded database, others wait. */
const ROWS_AT_ONCE = 500
/** Pages that a run takes at once. */
const READ_AT_ONCE = 50
/** Documents that one statement deletes, each with its passages. */
const DELETED_AT_ONCE = 20
/** The run of pages that no run has read. */
const NO_RUN = "00000000-0000-0000-0000-000000000000"

export const WaitingPage = Schema.Struct({
  id: SourcePageId,
  url: Schema.String,
  depth: Schema.Int,
  /** What became of it in an earlier run. */
  outcome: Schema.NullOr(PageOutcome),
  document_id: Schema.NullOr(DocumentId),
  text_hash: Schema.NullOr(Schema.String),
  etag: Schema.NullOr(Schema.String),
  last_modified: Schema.NullOr(Schema.String),
})
export type WaitingPage = typeof WaitingPage.Type

/** A page that a run has met. */
export interface MetPage {
  readonly url: string
  readonly depth: number
  /** Why it is not read; undefined: it is to be read. */
  readonly excluded: string | undefined
}

/** What became of a page. Facts that are absent stay as they are. */
export interface PageResult {
  readonly outcome: PageOutcome
  readonly detail: string | null
  readonly http_status?: number | null
  readonly facts?: Pick<SourcePage, "language" | "published_at" | "title"> &
    Pick<WaitingPage, "etag" | "last_modified" | "text_hash"> & { readonly size_bytes: number }
  /** The content of its document, which is added or replaced. */
  readonly content?: Content
  /**
   * The address under which the page lives now: its document goes there, unless that page has one. `isGone`: it counts as
   * missing otherwise, since that is another page.
   */
  readonly movedTo?: { readonly url: string; readonly isGone: boolean }
}

/** A page that the source has met, in this run or before. */
const KnownPage = Schema.Struct({
  url: Schema.String,
  depth: Schema.Int,
  is_met: Schema.Boolean,
  outcome: Schema.NullOr(PageOutcome),
  has_document: Schema.Boolean,
})
export type KnownPage = typeof KnownPage.Type

const decodeKnown = decodeRows(KnownPage)
const decodeWaiting = decodeRows(WaitingPage)
const decodeDocuments = decodeRows(Schema.Struct({ document_id: DocumentId }))
const decodeOutcomes = decodeRows(Schema.Struct({ outcome: PageOutcome }))
const decodeTally = decodeRows(
  Schema.Struct({
    outcome: Schema.NullOr(PageOutcome),
    detail: Schema.NullOr(Schema.String),
    pages: Schema.Int,
    documents: Schema.Int,
  }),
)
const decodeUrls = decodeRows(Schema.Struct({ url: Schema.String }))

/** The pages of a source in a run: those that wait are its frontier. All within the organization of the run's job. */
export class SourceFrontier extends Service<SourceFrontier>()("parley/storage/sources/SourceFrontier", function* () {
  const sql = yield* SqlClient.SqlClient
  const queue = yield* SourceQueue
  const documents = yield* Documents
  const random = yield* SecureRandom.SecureRandom

  const columns = sql.literal("id, url, depth, outcome, document_id, text_hash, etag, last_modified")
  const ownBy = ({ organization_id, source_id }: CrawlJob) =>
    sql`source_id = ${source_id} and organization_id = ${organization_id}`

  /** Changes some of the pages that a condition selects. Returns whether there were any. */
  const changeSome = Effect.fnUntraced(function* (
    job: CrawlJob,
    change: Statement.Fragment,
    where: Statement.Fragment,
  ) {
    const own = ownBy(job)
    const changed = yield* sql`update source_pages set ${change} where id in (
      select id from source_pages where ${own} and ${where} limit ${ROWS_AT_ONCE}
    ) and ${own} and exists (
      select from source_queue where ${own} and lease_id = ${job.lease_id}
    ) returning id`
    return changed.length > 0
  }, withoutSqlErrors)

  const changeAll = (job: CrawlJob, change: Statement.Fragment, where: Statement.Fragment) =>
    Effect.asVoid(Effect.repeat(changeSome(job, change, where), { while: (isAny) => isAny }))

  /** Adds or replaces the document of a page. Returns null where another document has the same text. */
  const publish = Effect.fnUntraced(function* (job: CrawlJob, { document_id, url }: WaitingPage, content: Content) {
    if (document_id !== null) {
      const id = yield* documents.replace(job.chatbot_id, document_id, content).pipe(
        Effect.as(document_id),
        Effect.catchTag("Conflict", () => Effect.succeed(null)),
      )
      if (id === null) yield* deleteDocuments(job, [document_id])
      return id
    }
    const origin = { source_id: job.source_id, url, is_approved: false }
    const added = yield* documents.add(DocumentId.make(yield* random.uuidV7()), job.chatbot_id, content, origin)
    return added.duplicate ? null : added.id
  })

  /** Deletes documents of the source. Returns how many there were. */
  const deleteDocuments = Effect.fnUntraced(function* (job: CrawlJob, ids: ReadonlyArray<DocumentId>) {
    const own = sql`organization_id = ${job.organization_id}`
    const gone = yield* sql`
      with gone as (
        delete from documents where id = any(${uuids(ids)}) and source_id = ${job.source_id} and ${own} returning id
      ), ${knowledgeChanged(sql, sql`id = ${job.chatbot_id} and ${own} and exists (select from gone)`)}
      select id from gone`
    return gone.length
  })

  /** The address or the name of the document of the chatbot that has these bytes. */
  const sameAs = Effect.fnUntraced(function* ({ chatbot_id, organization_id }: CrawlJob, sha256: string) {
    const [row] = yield* decodeUrls(sql`select coalesce(url, name) as url from documents
      where chatbot_id = ${chatbot_id} and sha256 = ${sha256} and organization_id = ${organization_id}`)
    return row?.url
  }, withoutSqlErrors)

  return {
    /** Lists some of the pages that are known of the source, in the order of their addresses. */
    known: (job: CrawlJob, run: CrawlRun, after: string) =>
      withoutSqlErrors(
        decodeKnown(sql`
          select url, depth, run_id = ${run.id} as is_met, outcome, document_id is not null as has_document
          from source_pages where ${ownBy(job)} and url > ${after} order by url limit ${10 * ROWS_AT_ONCE}`),
      ),

    /**
     * Notes some pages that the run has met, which the page `from` links to. One that it had met before stays as it is,
     * and in a run for pages of one outcome also every other page that is known.
     */
    meet: Effect.fnUntraced(function* (job: CrawlJob, run: CrawlRun, pages: ReadonlyArray<MetPage>, from?: string) {
      const ids = yield* Effect.forEach(pages, () => random.uuidV7())
      yield* sql`
        insert into source_pages as p (id, organization_id, source_id, url, run_id, is_waiting, depth, found_on,
          outcome, detail)
        select m.id, ${job.organization_id}, s.id, m.url, ${run.id}, m.excluded = '', m.depth::int, ${from ?? null}::text,
          case when m.excluded <> '' then 'excluded' end, nullif(m.excluded, '')
        from unnest(${uuids(ids)}, ${texts(pages.map(({ url }) => url))},
            ${texts(pages.map(({ depth }) => String(depth)))}, ${texts(pages.map(({ excluded }) => excluded ?? ""))}
          ) as m (id, url, depth, excluded),
          (select s.id from sources s join source_queue q on q.source_id = s.id and q.lease_id = ${job.lease_id}
            where s.id = ${job.source_id} and s.organization_id = ${job.organization_id} for key share of s) s
        order by m.url
        on conflict (source_id, url) do update set run_id = excluded.run_id, is_waiting = excluded.is_waiting,
          depth = excluded.depth, found_on = excluded.found_on, outcome = coalesce(excluded.outcome, p.outcome),
          detail = coalesce(excluded.detail, p.detail)
        where p.run_id <> excluded.run_id and ${run.only === null}`
    }, withoutSqlErrors),

    /** Returns the first pages that wait, without some of them. */
    next: (job: CrawlJob, run: CrawlRun, without: ReadonlyArray<SourcePageId>) =>
      withoutSqlErrors(
        decodeWaiting(sql`
          select ${columns} from source_pages
          where ${ownBy(job)} and run_id = ${run.id} and is_waiting and not id = any(${uuids(without)})
          order by depth, id limit ${READ_AT_ONCE}`),
      ),

    /**
     * Lets some pages wait that the run has not met: those of its outcome, or all that were fetched before, or excluded
     * for one of these reasons. Returns whether there were any.
     */
    requeue: (job: CrawlJob, run: CrawlRun, reasons: ReadonlyArray<string>) =>
      changeSome(
        job,
        sql`run_id = ${run.id}, is_waiting = true`,
        sql`run_id <> ${run.id} and ${
          run.only === null
            ? sql`(document_id is not null or misses < 2 and (
                outcome is distinct from 'excluded' or http_status is not null or detail = any(${texts(reasons)})
              ))`
            : sql`outcome = ${run.only}`
        }`,
      ),

    /** Excludes the pages that the run has not met, because the lists of the source do not name them. */
    excludeUnmet: (job: CrawlJob, run: CrawlRun, detail: string) =>
      changeAll(
        job,
        sql`run_id = ${run.id}, is_waiting = false, outcome = 'excluded', detail = ${detail}`,
        sql`run_id <> ${run.id} and document_id is not null`,
      ),

    /** Lets no page wait any more. What was known of them stays, and the run has not met them. */
    dismiss: (job: CrawlJob) => changeAll(job, sql`is_waiting = false, run_id = ${NO_RUN}`, sql`is_waiting`),

    /** The outcome of the page of an address, if the run has read it already. */
    outcomeOf: Effect.fnUntraced(function* (job: CrawlJob, run: CrawlRun, url: string) {
      const [row] = yield* decodeOutcomes(sql`select outcome from source_pages
        where ${ownBy(job)} and url = ${url} and run_id = ${run.id} and not is_waiting and outcome is not null`)
      return row?.outcome
    }, withoutSqlErrors),

    /**
     * The numbers of pages and documents by outcome, the largest first, each with the most frequent detail. The outcome
     * is null for documents whose pages the run has not met.
     */
    tally: (job: CrawlJob, run: CrawlRun) =>
      withoutSqlErrors(
        decodeTally(sql`
          select outcome, mode() within group (order by detail) as detail, count(*)::int as pages,
            count(document_id)::int as documents
          from (
            select case when run_id = ${run.id} then outcome end as outcome, detail, document_id from source_pages
            where ${ownBy(job)} and (run_id = ${run.id} or document_id is not null)
          ) page group by 1 order by pages desc`),
      ),

    /**
     * Stores what became of a page, and its document, in one transaction. Returns the outcome, which is `duplicate` where
     * another document has the text, and `removed` when the page was deleted; nothing when the lease is lost.
     */
    finish: Effect.fnUntraced(
      function* (job: CrawlJob, run: CrawlRun, page: WaitingPage, result: PageResult) {
        const own = ownBy(job)
        let outcome: PageOutcome | undefined
        const isLeased = yield* queue.underLease(
          job,
          Effect.gen(function* () {
            const [current] = yield* decodeWaiting(sql`
            select ${columns} from source_pages
            where id = ${page.id} and ${own} and run_id = ${run.id} for update`)
            if (current === undefined) return
            const { content, facts, movedTo } = result
            const document = content === undefined ? current.document_id : yield* publish(job, current, content)
            const same = content !== undefined && document === null ? yield* sameAs(job, content.sha256) : undefined
            outcome = content !== undefined && document === null ? "duplicate" : result.outcome
            const isFound = !["failed", "gone", "excluded"].includes(outcome) && movedTo?.isGone !== true
            yield* sql`update source_pages set ${sql.update({
              is_waiting: false,
              outcome,
              detail: same === undefined ? result.detail : `Its text is that of ${same}.`,
              http_status: result.http_status ?? null,
              document_id: document,
              ...facts,
            })}, fetched_at = now(), misses = case when ${isFound} then 0 else misses end where id = ${page.id} and ${own}`
            if (movedTo !== undefined && document !== null)
              yield* sql`with target as (
                update source_pages t set document_id = ${document}, text_hash = ${current.text_hash},
                  outcome = coalesce(t.outcome, 'unchanged'), etag = null, last_modified = null
                where ${own} and url = ${movedTo.url} and document_id is null and is_waiting returning url
              ), source as (
                update source_pages set document_id = null where id = ${page.id} and exists (select from target)
              ) update documents set url = target.url from target where id = ${document} and ${own}`
          }),
        )
        return isLeased ? (outcome ?? ("removed" as const)) : undefined
      },
      Effect.catchTag("NotFound", () => Effect.undefined),
      withoutSqlErrors,
    ),

    sameAs,

    /** Hands the documents of pages that the run has found missing to pages with the same text that it has found. */
    bequeath: Effect.fnUntraced(function* (job: CrawlJob, run: CrawlRun) {
      const own = (page: string) =>
        sql`${sql(page)}.source_id = ${job.source_id} and ${sql(page)}.organization_id = ${job.organization_id}
          and ${sql(page)}.run_id = ${run.id}`
      yield* sql`with heirs as (
          select distinct on (gone.id) gone.id as gone, gone.document_id, heir.id, heir.url
          from source_pages gone join source_pages heir on heir.text_hash = gone.text_hash
          where ${own("gone")} and gone.outcome in ${sql.in(MISSING)} and gone.document_id is not null
            and ${own("heir")} and heir.outcome = 'duplicate' and heir.http_status < 300 and heir.document_id is null
          order by gone.id, heir.depth, heir.id
        ), given as (update source_pages set document_id = null from heirs where source_pages.id = heirs.gone
        ), taken as (
          update source_pages set document_id = heirs.document_id, outcome = 'unchanged', detail = null, misses = 0
          from heirs where source_pages.id = heirs.id
        ) update documents set url = heirs.url from heirs where documents.id = heirs.document_id
          and documents.organization_id = ${job.organization_id}`
    }, withoutSqlErrors),

    /**
     * Deletes some documents of pages that this run and the one before have not found, or only this one where it is
     * confirmed. Returns how many.
     */
    deleteGone: Effect.fnUntraced(function* (job: CrawlJob, run: CrawlRun) {
      const own = ownBy(job)
      const rows = yield* decodeDocuments(sql`update source_pages set misses = misses + 1 where ${own} and id in (
        select id from source_pages
        where ${own} and run_id = ${run.id} and outcome in ${sql.in(MISSING)} and (misses >= 1 or ${run.is_confirmed})
          and document_id is not null limit ${DELETED_AT_ONCE}
      ) returning document_id`)
      const ids = rows.map(({ document_id }) => document_id)
      return yield* deleteDocuments(job, ids)
    }, withoutSqlErrors),
  }
}) {}
