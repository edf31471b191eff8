import { Effect, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { Blobs } from "../blobs/Blobs.ts"
import type { Format } from "../domain/knowledge/Formats.ts"
import type { PageOutcome } from "../domain/knowledge/SourcePage.ts"
import { Extract } from "../readers/Extract.ts"
import type { PageText } from "../readers/extract/Extraction.ts"
import type { PageResponse } from "../outbound/PageRequest.ts"
import { contentOf } from "../storage/documents/Documents.ts"
import { type PageResult, SourceFrontier, type WaitingPage } from "../storage/sources/SourceFrontier.ts"
import { SourceQueue } from "../storage/sources/SourceQueue.ts"
import { MISSING } from "../storage/sources/SourceRuns.ts"
import { addressOf, hostOf, isAlike, isSamePage } from "./Address.ts"
import { isNotRead, isRedirect, type NotRead, notRead, REDIRECTS_MAX, type Requests } from "./PoliteFetch.ts"
import { claimedFormat, markdownOf, pageName, readAnswer, robotsTag } from "./Reading.ts"
import { Renderer } from "./Renderer.ts"
import { keptBy, repeatedIn, withoutRepeated } from "./Repeated.ts"
import type { ReadPage, RunState } from "./RunState.ts"

/** Pages that are read before the first is stored, to find the blocks that repeat on them. */
const SAMPLE = 10
/** Links that are judged before others run. */
const LINKS_AT_ONCE = 200
/** Outcomes of pages that have a document. */
const READ: ReadonlySet<PageOutcome | undefined> = new Set(["new", "changed", "unchanged"] as const)

/** Paths to which pages redirect that ask for a password. */
const LOGIN = /\/(?:log-?in|sign-?in|sso|oauth2?)(?:[/.]|$)/i

/** Whether a page is one of those with which a site begins. They keep all that they say. */
const isFirst = ({ depth, url }: WaitingPage): boolean => depth === 0 || new URL(url).pathname === "/"

/** What a run needs of its job. */
export interface Progress {
  readonly requests: Requests
  /** Called after each page. */
  readonly show: () => void
  /** Wakes the ingestion, because a document was queued. */
  readonly published: Effect.Effect<void>
}

/** What is stored of a page beside its text. */
interface About {
  readonly name: string
  readonly format: Format
  readonly title?: string
  readonly language?: string | undefined
  readonly published?: string | undefined
}

/** Reads single pages, and makes them documents. */
export const makePageReader = Effect.gen(function* () {
  const frontier = yield* SourceFrontier
  const queue = yield* SourceQueue
  const blobs = yield* Blobs
  const extract = yield* Extract
  const renderer = yield* Renderer
  const random = yield* SecureRandom.SecureRandom

  return (state: RunState, { published, requests, show }: Progress) => {
    const { isWebsite, job, run, sample } = state

    /** Judges addresses, and lets those wait that belong to the source. */
    const meet = Effect.fnUntraced(function* (addresses: ReadonlyArray<string>, depth: number, foundOn?: string) {
      for (let from = 0; from < addresses.length; from += LINKS_AT_ONCE) {
        const pages = addresses.slice(from, from + LINKS_AT_ONCE).flatMap((text) => state.judge(text, depth))
        yield* frontier.meet(job, run, pages, foundOn)
        yield* Effect.yieldNow
      }
    })

    /** Lets other pages have again what this one has kept for them, and keeps no more. They are fetched anew for it. */
    const keep = Effect.fnUntraced(function* ({ url }: WaitingPage, blocks: ReadonlyArray<string>) {
      const kept = keptBy({ url, blocks }, state.repeated ?? [])
      if (kept === undefined || kept.length === state.repeated?.length) return
      state.repeated = kept
      yield* queue.setRepeated(job, blocks.length === 0 ? null : kept)
    })

    const finish = Effect.fnUntraced(function* (page: WaitingPage, result: PageResult) {
      const outcome = yield* frontier.finish(job, run, page, result)
      // The lease is lost, which the worker notices and interrupts this.
      if (outcome === undefined) return yield* Effect.never
      if (outcome === "new") state.documents++
      if (result.content !== undefined) yield* published
      if (page.document_id !== null && MISSING.includes(outcome)) yield* keep(page, [])
      if (isWebsite && ["duplicate", "new", "changed"].includes(outcome))
        state.traps.learn(page.url, outcome === "duplicate")
      show()
    })

    /** The page lives at another address, which is read instead. */
    const move = Effect.fnUntraced(function* (
      page: WaitingPage,
      to: string,
      result: Pick<PageResult, "detail" | "http_status" | "outcome">,
    ) {
      const hop = (state.hops.get(page.url) ?? 0) + 1
      if (hop > REDIRECTS_MAX) return yield* notRead("failed", `It redirects more than ${REDIRECTS_MAX} times.`)
      state.hops.set(to, hop)
      yield* frontier.meet(job, run, state.admit(to, page.depth), page.url)
      // A page that only changes its scheme, for example, is there as long as it cannot be read under its new address.
      const isGone = !isAlike(to, page.url) || READ.has(yield* frontier.outcomeOf(job, run, to))
      yield* finish(page, { ...result, movedTo: { url: to, isGone } })
    })

    const redirect = Effect.fnUntraced(function* (page: WaitingPage, location: string, status: number) {
      const to = addressOf(location, page.url)
      if (to === undefined) return yield* notRead("failed", "It redirects to what is no address of a page.", status)
      if (to === page.url) return yield* notRead("failed", "It redirects to itself.", status)
      if (LOGIN.test(new URL(to).pathname))
        return yield* notRead("login", `It asks for a password: it redirects to ${to}.`, status)
      if (page.depth === 0) state.widen([to])
      const refusal = page.depth === 0 ? undefined : state.scope.refusal(to)
      if (refusal !== undefined) return yield* notRead("excluded", `It redirects to ${to}. ${refusal.detail}`, status)
      yield* move(page, to, { outcome: "duplicate", detail: `It redirects to ${to}.`, http_status: status })
    })

    /** Stores what a page says, or finds out that nothing has changed. */
    const store = Effect.fnUntraced(function* (
      page: WaitingPage,
      { headers, received, status }: PageResponse,
      bytes: Uint8Array,
      about: About,
    ) {
      if (page.document_id === null && state.isFull) return yield* notRead("excluded", state.tooMany)
      const content = contentOf(yield* random.uuidV4(), about.name, about.format, bytes)
      const { sha256 } = content
      const result = {
        detail: null,
        http_status: status,
        facts: {
          title: about.title ?? content.name,
          language: about.language ?? null,
          published_at: about.published ?? null,
          etag: headers.etag ?? null,
          last_modified: headers["last-modified"] ?? null,
          size_bytes: received,
          text_hash: sha256,
        },
      }
      if (page.document_id !== null && page.text_hash === sha256)
        return yield* finish(page, { ...result, outcome: "unchanged" })
      const same = page.document_id === null ? yield* frontier.sameAs(job, sha256) : undefined
      if (same !== undefined)
        return yield* finish(page, { ...result, outcome: "duplicate", detail: `Its text is that of ${same}.` })
      yield* blobs.put(content.blob_key, Stream.succeed(bytes))
      yield* finish(page, { ...result, outcome: page.document_id === null ? "new" : "changed", content })
    })

    const storePage = Effect.fnUntraced(function* ({ page, response, text }: ReadPage) {
      yield* keep(page, text.blocks)
      const repeated = state.repeated ?? []
      const keepsAll = isFirst(page) || keptBy({ url: page.url, blocks: [] }, repeated) !== undefined
      const blocks = keepsAll ? text.blocks : withoutRepeated(text.blocks, repeated)
      if (blocks.length === 0) return yield* notRead("not_text", "It has no text of its own.", response.status)
      const { language, published, title } = text
      const about = { name: pageName(title, page.url), format: "md", title, language, published } as const
      yield* store(page, response, markdownOf(title, blocks), about)
    })

    /** Stores what becomes of a page that is not read. */
    const settle = <E, R>(page: WaitingPage, reading: Effect.Effect<void, E | NotRead, R>) =>
      Effect.catchIf(reading, isNotRead, ({ detail, outcome, status }) =>
        finish(page, { outcome, detail, http_status: status }),
      )

    const storeSample = Effect.gen(function* () {
      const some = sample.splice(0)
      const pages = some.toSorted((one, other) => Number(isFirst(other.page)) - Number(isFirst(one.page)))
      const found = repeatedIn(pages.map(({ page: { url }, text: { blocks } }) => ({ url, blocks })))
      if (found !== undefined) yield* queue.setRepeated(job, found)
      state.repeated = found ?? state.repeated
      yield* Effect.forEach(some, (one) => settle(one.page, storePage(one)), { discard: true })
    })

    /** Reads a web page again in a browser, which may load what any request may. */
    const render = Effect.fnUntraced(
      function* (page: WaitingPage, response: PageResponse, text: PageText) {
        if (!text.needsBrowser || !renderer.isThere) return text
        const html = yield* renderer.render(new URL(page.url), (url) =>
          url.href === page.url
            ? Effect.succeed(response)
            : Effect.orElseSucceed(requests.get(url.href), () => undefined),
        )
        const source = { url: page.url, contentType: "text/html; charset=utf-8", bytes: Buffer.from(html) }
        const rendered = yield* extract.page(source)
        const [noindex, nofollow] = [text.noindex || rendered.noindex, text.nofollow || rendered.nofollow]
        // Little text is enough, now that no script is missing.
        return { ...rendered, noindex, nofollow, needsBrowser: rendered.blocks.length === 0 }
      },
      (rendering, page, _, text) =>
        Effect.catch(rendering, ({ _tag, ...failure }) =>
          Effect.as(Effect.logInfo("A page could not be rendered", { url: page.url, ...failure }), text),
        ),
    )

    const ensureWanted = Effect.fnUntraced(function* (page: WaitingPage, status: number, noindex: boolean) {
      const refusal = state.scope.refusal(page.url)
      if (refusal !== undefined) return yield* notRead("excluded", refusal.detail, status)
      if (noindex) return yield* notRead("excluded", "It asks not to be kept (noindex).", status)
    })

    const readPage = Effect.fnUntraced(function* (page: WaitingPage, response: PageResponse, first: PageText) {
      const { status } = response
      const tag = robotsTag(response)
      const text = yield* render(page, response, first)
      if (text.refresh !== undefined && state.scope.refusal(text.refresh) === undefined)
        return yield* redirect(page, text.refresh, status)
      if (isWebsite && !text.nofollow && !tag.nofollow) yield* meet(text.links, page.depth + 1, page.url)
      yield* ensureWanted(page, status, text.noindex || tag.noindex)
      if (text.needsLogin) return yield* notRead("login", "It asks for a password.", status)
      if (text.needsBrowser)
        return yield* notRead(
          "needs_browser",
          `Only scripts make its text, and ${renderer.isThere ? "they made none in the server's browser" : "the server has no browser to run them"}.`,
          status,
        )
      const canonical = addressOf(text.canonical ?? page.url) ?? page.url
      const isNear = isWebsite || hostOf(canonical) === hostOf(page.url)
      if (isNear && !isSamePage(canonical, page.url) && state.scope.refusal(canonical) === undefined) {
        const there = yield* frontier.outcomeOf(job, run, canonical)
        const detail = `It names ${canonical} as its canonical address.`
        if (there === undefined || READ.has(there))
          return yield* move(page, canonical, { outcome: "excluded", detail, http_status: status })
      }
      if (state.repeated !== null) return yield* storePage({ page, response, text })
      sample.push({ page, response, text })
      if (sample.length >= SAMPLE) yield* storeSample
    })

    const fetch = Effect.fnUntraced(function* (page: WaitingPage) {
      // A page that has not changed may say something else, where other blocks repeat than before.
      const isComparable = page.document_id !== null && job.repeated !== null && state.repeated === job.repeated
      const response = yield* requests.get(page.url, {
        headers: {
          ...(isComparable && page.etag !== null && { "if-none-match": page.etag }),
          ...(isComparable && page.last_modified !== null && { "if-modified-since": page.last_modified }),
        },
        wantsBody: (head) => head.status === 200 && claimedFormat(head, page.url) !== undefined,
      })
      const { body, headers, status } = response
      if (status === 304 && isComparable)
        return yield* finish(page, { outcome: "unchanged", detail: null, http_status: status })
      if (isRedirect(response)) return yield* redirect(page, headers.location ?? "", status)
      const answer = yield* readAnswer(extract, response, page.url)
      if (answer.kind === "page") return yield* readPage(page, response, answer.page)
      yield* ensureWanted(page, status, robotsTag(response).noindex)
      yield* store(page, response, body, { name: answer.name, format: answer.format })
    })

    const read = Effect.fnUntraced(function* (page: WaitingPage) {
      const { depth, document_id, outcome, url } = page
      const wasThere = ["new", "changed", "unchanged", "removed"].includes(outcome ?? "")
      if (document_id === null && wasThere && run.only !== "removed")
        return yield* notRead("removed", "Somebody has deleted its document.")
      const refusal = depth === 0 ? undefined : state.scope.refusal(url)
      if (refusal !== undefined) return yield* notRead("excluded", refusal.detail)
      if (document_id === null && state.documents + sample.length >= job.config.max_pages) yield* storeSample
      if (document_id === null && state.isFull) return yield* notRead("excluded", state.tooMany)
      yield* fetch(page)
    })

    return { meet, storeSample, visit: (page: WaitingPage) => settle(page, read(page)) }
  }
})
