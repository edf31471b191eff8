import { createHash } from "node:crypto"
import { Array, Context, Effect, Layer, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { Blobs } from "../blobs/Blobs.ts"
import { documentKey } from "../domain/BlobKey.ts"
import type { QuotaReached, Unavailable } from "../domain/Errors.ts"
import { displayName } from "../domain/knowledge/Document.ts"
import { contentType } from "../domain/knowledge/Formats.ts"
import type { PageOutcome } from "../domain/knowledge/SourcePage.ts"
import type { SourceRunError } from "../domain/knowledge/SourceRun.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import { Extract } from "../knowledge/Extract.ts"
import type { PageText } from "../knowledge/extract/Extraction.ts"
import type { PageResponse } from "../outbound/PageRequest.ts"
import { type MetPage, type PageResult, SourceFrontier, type WaitingPage } from "../storage/sources/SourceFrontier.ts"
import { type CrawlJob, type CrawlRun, type RunEnd, SourceQueue } from "../storage/sources/SourceQueue.ts"
import { addressOf, hostOf, isSamePage } from "./Address.ts"
import { readLists } from "./Lists.ts"
import { isRedirect, REDIRECTS_MAX, type Requests } from "./PoliteFetch.ts"
import { claimedFormat, markdownOf, markdownType, pageName, readAnswer, robotsTag } from "./Reading.ts"
import { Renderer } from "./Renderer.ts"
import { repeatedIn, withoutRepeated } from "./Repeated.ts"
import { makeScope, type Scope } from "./Scope.ts"
import { Traps } from "./Traps.ts"

/** Hosts that a run reads at once, each one page at a time. */
const HOSTS_AT_ONCE = 4
/** Pages that are taken from the frontier at once. */
const PAGES_AT_ONCE = 50
/** Pages that are read before the first is stored, to find the blocks that repeat on them. */
const SAMPLE = 10
/** Pages of a source that are kept although they are excluded, so that somebody sees why. */
const EXCLUDED_MAX = 1_000
/** Paths to which pages redirect that ask for a password. */
const LOGIN = /\/(?:log-?in|sign-?in|sso|oauth2?)(?:[/.]|$)/i
/** Links that are judged before others run. */
const LINKS_AT_ONCE = 200

const NEEDS_BROWSER = [
  "Only scripts make its text, and the server has no browser to run them.",
  "Only scripts make its text, and they made none in the server's browser.",
] as const

/** What a run needs of its job. */
export interface Progress {
  readonly requests: Requests
  /** Called after each page. */
  readonly show: () => void
  /** Wakes the ingestion, because a document was queued. */
  readonly published: Effect.Effect<void>
}

/** A page that is read but not stored yet. */
interface Sampled {
  readonly page: WaitingPage
  readonly text: PageText
  readonly response: PageResponse
}

type Failure = Unavailable | QuotaReached

/** Reads the pages of sources, and makes them documents. */
export class Crawl extends Context.Service<
  Crawl,
  {
    /** Reads the pages of a run that wait. An attempt that was cut off can be repeated, and goes on. */
    readonly read: (
      job: CrawlJob,
      run: CrawlRun,
      progress: Progress,
    ) => Effect.Effect<RunEnd, Failure, CurrentOrganization>
  }
>()("parley/sources/Crawl") {
  static readonly layer = Layer.effect(
    Crawl,
    Effect.gen(function* () {
      const frontier = yield* SourceFrontier
      const queue = yield* SourceQueue
      const blobs = yield* Blobs
      const extract = yield* Extract
      const renderer = yield* Renderer
      const random = yield* SecureRandom.SecureRandom

      const read = Effect.fn("Crawl.read")(function* (
        job: CrawlJob,
        run: CrawlRun,
        { published, requests, show }: Progress,
      ): Effect.fn.Return<RunEnd, Failure, CurrentOrganization> {
        const { config, kind } = job
        const starts = config.urls.flatMap((url) => addressOf(url) ?? [])
        const isWebsite = kind === "website"
        const traps = new Traps()
        /** The pages that the source has rows for, and those of them that this run has met. */
        const known = new Set<string>()
        const met = new Set<string>()
        const hops = new Map<string, number>()
        const sample: Array<Sampled> = []
        const totalMax = 2 * config.max_pages + EXCLUDED_MAX
        let [documents, excluded] = [0, 0]
        let { repeated } = job
        let scope: Scope = makeScope(kind, config, starts)
        let isListed = true

        const remember = Effect.gen(function* () {
          for (let after = ""; ;) {
            const some = yield* frontier.known(job, run, after)
            for (const { has_document, is_met, outcome, url } of some) {
              known.add(url)
              if (has_document) documents++
              if (outcome === "excluded") excluded++
              else if (isWebsite) traps.refusal(url)
              if (is_met || run.only !== null) met.add(url)
            }
            const last = some.at(-1)
            if (last === undefined) return
            after = last.url
          }
        })

        const refreshScope = Effect.map(frontier.roots(job, run), (roots) => {
          scope = makeScope(kind, config, [...starts, ...roots.map(({ url }) => url)])
        })

        /** Judges addresses, and lets those wait that belong to the source. */
        const meet = Effect.fnUntraced(function* (
          addresses: ReadonlyArray<string>,
          depth: number,
          foundOn: string | null,
        ) {
          const pages: Array<MetPage> = []
          const exclude = (url: string, detail: string) => {
            if (!known.has(url) && ++excluded > EXCLUDED_MAX) return
            known.add(url)
            pages.push({ url, depth, excluded: detail })
          }
          for (const [index, text] of addresses.entries()) {
            if (index % LINKS_AT_ONCE === LINKS_AT_ONCE - 1) yield* Effect.yieldNow
            const url = addressOf(text)
            if (url === undefined || met.has(url)) continue
            met.add(url)
            const refusal = scope.refusal(url)
            const trap = refusal === undefined && isWebsite ? traps.refusal(url) : undefined
            if (refusal !== undefined) refusal.isNear && exclude(url, refusal.detail)
            else if (trap !== undefined) exclude(url, trap)
            else if (isWebsite && depth > config.depth)
              exclude(url, `It is more than ${config.depth} links from the first page.`)
            else if (known.has(url) || known.size < totalMax) {
              known.add(url)
              pages.push({ url, depth, excluded: undefined })
            }
          }
          yield* frontier.meet(job, run, pages, foundOn)
        })

        const finish = Effect.fnUntraced(function* (page: WaitingPage, result: PageResult) {
          const outcome = yield* frontier.finish(job, run, page, result)
          // The lease is lost, which the worker notices and interrupts this.
          if (outcome === undefined) return yield* Effect.never
          if (outcome === "new") documents++
          if (result.content !== undefined) yield* published
          if (isWebsite && ["duplicate", "new", "changed"].includes(outcome))
            traps.learn(page.url, outcome === "duplicate")
          show()
        })

        const conclude = (
          page: WaitingPage,
          outcome: PageOutcome,
          detail: string | null,
          status: number | null = null,
        ) => finish(page, { outcome, detail, http_status: status })

        /** The page lives at another address, which is read instead. */
        const move = Effect.fnUntraced(function* (
          page: WaitingPage,
          to: string,
          outcome: PageOutcome,
          detail: string,
          status: number,
        ) {
          const hop = (hops.get(page.url) ?? 0) + 1
          if (hop > REDIRECTS_MAX)
            return yield* conclude(page, "failed", `It redirects more than ${REDIRECTS_MAX} times.`, status)
          hops.set(to, hop)
          yield* frontier.meet(
            job,
            run,
            met.has(to) ? [] : [{ url: to, depth: page.depth, excluded: undefined }],
            page.url,
          )
          met.add(to)
          known.add(to)
          yield* finish(page, { outcome, detail, http_status: status, movedTo: to })
        })

        const redirect = Effect.fnUntraced(function* (page: WaitingPage, location: string, status: number) {
          const to = addressOf(location, page.url)
          if (to === undefined)
            return yield* conclude(page, "failed", "It redirects to what is no address of a page.", status)
          if (to === page.url) return yield* conclude(page, "failed", "It redirects to itself.", status)
          if (LOGIN.test(new URL(to).pathname))
            return yield* conclude(page, "login", `It asks for a password: it redirects to ${to}.`, status)
          if (isWebsite && page.depth === 0) scope = makeScope(kind, config, [...scope.roots, to])
          const refusal = scope.refusal(to)
          if (refusal !== undefined && page.depth > 0)
            return yield* conclude(page, "excluded", `It redirects to ${to}. ${refusal.detail}`, status)
          yield* move(page, to, "duplicate", `It redirects to ${to}.`, status)
        })

        /** Stores a page, or finds out that nothing has changed. */
        const store = Effect.fnUntraced(function* ({ page, response, text }: Sampled) {
          const isFirst = page.depth === 0 || new URL(page.url).pathname === "/"
          const blocks = isFirst ? text.blocks : withoutRepeated(text.blocks, repeated ?? [])
          if (blocks.length === 0)
            return yield* conclude(page, "not_text", "It has no text of its own.", response.status)
          yield* storeBytes(page, response, markdownOf(text.title, blocks), {
            name: pageName(text.title, page.url),
            type: markdownType,
            title: text.title,
            language: text.language,
            published: text.published,
          })
        })

        const storeBytes = Effect.fnUntraced(function* (
          page: WaitingPage,
          { headers, received, status }: PageResponse,
          bytes: Uint8Array,
          about: {
            readonly name: string
            readonly type: string
            readonly title?: string
            readonly language?: string | undefined
            readonly published?: string | undefined
          },
        ) {
          const sha256 = createHash("sha256").update(bytes).digest("hex")
          const result = {
            http_status: status,
            facts: {
              title: about.title ?? about.name,
              language: about.language ?? null,
              published_at: about.published ?? null,
              etag: headers.etag ?? null,
              last_modified: headers["last-modified"] ?? null,
              size_bytes: received,
              text_hash: sha256,
            },
          }
          if (page.document_id === null && documents >= config.max_pages)
            return yield* conclude(page, "excluded", tooMany)
          if (page.document_id !== null && page.text_hash === sha256)
            return yield* finish(page, { ...result, outcome: "unchanged", detail: null })
          const same = page.document_id === null ? yield* frontier.sameAs(job, sha256) : undefined
          if (same !== undefined)
            return yield* finish(page, { ...result, outcome: "duplicate", detail: `Its text is that of ${same}.` })
          const key = documentKey(yield* random.uuidV4())
          yield* blobs.put(key, Stream.succeed(bytes))
          yield* finish(page, {
            ...result,
            outcome: page.document_id === null ? "new" : "changed",
            detail: null,
            content: {
              name: displayName(about.name),
              content_type: about.type,
              size_bytes: bytes.length,
              sha256,
              blob_key: key,
            },
          })
        })

        const storeSample = Effect.gen(function* () {
          const some = sample.splice(0)
          const found = repeatedIn(some.map(({ text }) => text.blocks))
          if (found !== undefined) yield* queue.setRepeated(job, found)
          repeated = found ?? repeated
          yield* Effect.forEach(some, store, { discard: true })
        })

        /** Reads a web page again in a browser, which may load what any request may. */
        const render = Effect.fnUntraced(function* (page: WaitingPage, response: PageResponse, text: PageText) {
          if (!text.needsBrowser || !renderer.isThere) return text
          const loaded = ({ body, headers, status }: PageResponse) => ({
            status,
            headers: { "content-type": headers["content-type"] ?? "" },
            body,
          })
          const html = yield* renderer.render(new URL(page.url), (url) =>
            url.href === page.url
              ? Effect.succeed(loaded(response))
              : Effect.orElseSucceed(Effect.map(requests.get(url.href), loaded), () => undefined),
          )
          const rendered = yield* extract.page({
            url: page.url,
            contentType: "text/html; charset=utf-8",
            bytes: Buffer.from(html),
          })
          return {
            ...rendered,
            noindex: text.noindex || rendered.noindex,
            nofollow: text.nofollow || rendered.nofollow,
          }
        })

        const readPage = Effect.fnUntraced(function* (page: WaitingPage, response: PageResponse, first: PageText) {
          const { status } = response
          const tag = robotsTag(response)
          const text = yield* Effect.catch(render(page, response, first), ({ _tag, ...failure }) =>
            Effect.as(Effect.logInfo("A page could not be rendered", { url: page.url, ...failure }), first),
          )
          if (text.refresh !== undefined && scope.refusal(text.refresh) === undefined)
            return yield* redirect(page, text.refresh, status)
          if (isWebsite && !text.nofollow && !tag.nofollow) yield* meet(text.links, page.depth + 1, page.url)
          const refusal = scope.refusal(page.url)
          if (refusal !== undefined) return yield* conclude(page, "excluded", refusal.detail, status)
          if (text.noindex || tag.noindex)
            return yield* conclude(page, "excluded", "It asks not to be kept (noindex).", status)
          if (text.needsLogin) return yield* conclude(page, "login", "It asks for a password.", status)
          if (text.needsBrowser)
            return yield* conclude(page, "needs_browser", NEEDS_BROWSER[renderer.isThere ? 1 : 0], status)
          const canonical = addressOf(text.canonical ?? page.url)
          if (canonical !== undefined && !isSamePage(canonical, page.url) && scope.refusal(canonical) === undefined) {
            const there = yield* frontier.outcomeOf(job, run, canonical)
            if (there === undefined || there === "new" || there === "changed" || there === "unchanged")
              return yield* move(page, canonical, "excluded", `It names ${canonical} as its canonical address.`, status)
          }
          const sampled = { page, response, text }
          if (repeated !== null) return yield* store(sampled)
          sample.push(sampled)
          if (sample.length >= SAMPLE) yield* storeSample
        })

        const fetch = Effect.fnUntraced(function* (page: WaitingPage) {
          const headers = {
            ...(page.document_id !== null && page.etag !== null && { "if-none-match": page.etag }),
            ...(page.document_id !== null &&
              page.last_modified !== null && { "if-modified-since": page.last_modified }),
          }
          const response = yield* requests.get(page.url, {
            headers,
            wantsBody: (head) => head.status === 200 && claimedFormat(head, page.url) !== undefined,
          })
          if (response.status === 304) return yield* conclude(page, "unchanged", null, response.status)
          if (isRedirect(response)) return yield* redirect(page, response.headers.location ?? "", response.status)
          const answer = yield* readAnswer(extract, response, page.url)
          if (answer.kind === "page") return yield* readPage(page, response, answer.page)
          const refusal = scope.refusal(page.url)
          if (refusal !== undefined) return yield* conclude(page, "excluded", refusal.detail, response.status)
          if (robotsTag(response).noindex)
            return yield* conclude(page, "excluded", "It asks not to be kept (noindex).", response.status)
          yield* storeBytes(page, response, response.body, { name: answer.name, type: contentType(answer.format) })
        })

        const visit = Effect.fnUntraced(function* (page: WaitingPage) {
          const wasDocument = page.outcome === "new" || page.outcome === "changed" || page.outcome === "unchanged"
          const isRemoved = page.document_id === null && (wasDocument || page.outcome === "removed")
          if (isRemoved && run.only !== "removed")
            return yield* conclude(page, "removed", "Somebody has deleted its document.")
          const refusal = scope.refusal(page.url)
          if (refusal !== undefined && page.depth > 0) return yield* conclude(page, "excluded", refusal.detail)
          if (page.document_id === null && documents >= config.max_pages)
            return yield* conclude(page, "excluded", tooMany)
          yield* Effect.catchTag(fetch(page), "NotFetched", ({ detail, outcome, status }) =>
            conclude(page, outcome, detail, status),
          )
        })
        const tooMany = `The source has as many pages as it may have, ${config.max_pages}.`

        /** Lets the pages wait that no link has led to. Returns whether there are any. */
        const requeue = Effect.gen(function* () {
          if (run.only === null && kind === "feed") return false
          if (run.only === null && !isWebsite) {
            if (isListed) yield* frontier.excludeUnmet(job, run, "The lists do not name it any more.")
            return false
          }
          return yield* frontier.requeue(job, run)
        })

        const readAll = Effect.gen(function* () {
          for (let isMore = true; isMore;) {
            if (documents >= config.max_pages) yield* frontier.excludeWaiting(job, run, tooMany)
            const pages = yield* frontier.next(
              job,
              run,
              PAGES_AT_ONCE,
              sample.map(({ page }) => page.id),
            )
            const byHost = Object.values(Array.groupBy(pages, ({ url }) => hostOf(url)))
            yield* Effect.forEach(byHost, (some) => Effect.forEach(some, visit, { discard: true }), {
              concurrency: HOSTS_AT_ONCE,
              discard: true,
            })
            if (pages.length > 0) continue
            const hadSample = sample.length > 0
            yield* storeSample
            isMore = hadSample || (yield* requeue)
          }
        })

        const end = Effect.gen(function* () {
          const tally = yield* frontier.tally(job, run)
          const isRead = tally.some(
            ({ outcome }) => outcome === "new" || outcome === "changed" || outcome === "unchanged",
          )
          const failure = tally.find(({ outcome }) => outcome === "failed")
          if (!isRead && failure !== undefined) return failed({ code: "unreachable", message: failure.detail ?? "" })
          if (run.only !== null) return finished(0)
          const findings = yield* frontier.findings(job, run)
          const found = findings.known - findings.gone - findings.failed
          if (kind !== "feed" && !run.is_confirmed && findings.gone > 0 && 2 * found < findings.known)
            return held(found, findings.known)
          let deleted = 0
          for (let some = 1; some > 0; deleted += some) some = yield* frontier.deleteGone(job, run)
          if (isRead || findings.known > 0 || kind === "feed") return finished(deleted)
          const [most] = tally
          const isForbidden = most?.detail?.startsWith("robots.txt") === true
          return failed({
            code: isForbidden ? "forbidden" : "nothing_found",
            message: `No page was found that can be read. ${most?.detail ?? ""}`.trim(),
          })
        })

        yield* remember
        if (run.only === null && isWebsite) {
          const first = starts.filter((url) => !met.has(url))
          yield* frontier.meet(
            job,
            run,
            first.map((url) => ({ url, depth: 0, excluded: undefined })),
            null,
          )
          for (const url of first) known.add(url) && met.add(url)
        }
        if (run.only === null && kind !== "website") {
          const lists = yield* Effect.result(readLists(kind, config.urls, requests, totalMax))
          if (lists._tag === "Failure") {
            if (lists.failure._tag !== "ListsUnreadable") return yield* lists.failure
            return failed(lists.failure.error)
          }
          isListed = lists.success.isWhole
          yield* meet(lists.success.pages, 1, null)
        }
        if (isWebsite) yield* refreshScope
        yield* readAll
        return yield* end
      })

      return { read }
    }),
  )
}

const finished = (deleted: number): RunEnd => ({ status: "finished", error: null, deleted })

const failed = (error: SourceRunError): RunEnd => ({ status: "failed", error, deleted: 0 })

const held = (found: number, known: number): RunEnd => ({
  status: "held",
  error: {
    code: "pages_missing",
    message: `Only ${found} of ${known} known pages were found, and nothing was deleted. Start a run with \`confirm\` to go on.`,
  },
  deleted: 0,
})
