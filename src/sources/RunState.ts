import type { PageText } from "../readers/extract/Extraction.ts"
import type { PageResponse } from "../outbound/PageRequest.ts"
import type { KnownPage, MetPage, WaitingPage } from "../storage/sources/SourceFrontier.ts"
import type { CrawlJob, CrawlRun } from "../storage/sources/SourceQueue.ts"
import { URL_MAX_LENGTH } from "../domain/schema/HttpUrl.ts"
import { addressOf } from "./Address.ts"
import { makeScope, type Scope } from "./Scope.ts"
import { Traps } from "./Traps.ts"

/** Pages of a source that are kept although they are excluded, so that somebody sees why. */
const EXCLUDED_MAX = 1_000

/** Why a page is not read whose address tells it from another one only behind the “#”. */
const ROUTED =
  "It cannot be read: scripts make it from what stands behind the “#” of its address, which servers never see."

/** A page that is read but not stored yet. */
export interface ReadPage {
  readonly page: WaitingPage
  readonly text: PageText
  readonly response: PageResponse
}

/** What an attempt at a run knows. All of it can be found out again from the rows of the pages. */
export class RunState {
  readonly isWebsite: boolean
  /** The addresses of the source. */
  readonly starts: ReadonlyArray<string>
  readonly traps = new Traps()
  /** Pages that wait until the blocks that repeat on them are known. */
  readonly sample: Array<ReadPage> = []
  /** The redirects that have led to an address. */
  readonly hops = new Map<string, number>()
  /** The most rows of pages. */
  readonly pagesMax: number
  readonly tooMany: string
  documents = 0
  scope: Scope
  /** Hashes of the blocks that repeat; null while they are not known. */
  repeated: ReadonlyArray<string> | null
  private excluded = 0
  /** Pages that have rows, and those of them that the run has met. */
  private readonly known = new Set<string>()
  private readonly met = new Set<string>()
  readonly job: CrawlJob
  readonly run: CrawlRun

  constructor(job: CrawlJob, run: CrawlRun) {
    const { config, kind, repeated } = job
    this.job = job
    this.run = run
    this.isWebsite = kind === "website"
    this.starts = config.urls.flatMap((url) => addressOf(url) ?? [])
    this.pagesMax = 2 * config.max_pages + EXCLUDED_MAX
    this.tooMany = `The source has as many pages as it may have, ${config.max_pages}.`
    this.scope = makeScope(kind, config, this.starts)
    this.repeated = repeated
  }

  get isFull(): boolean {
    return this.documents >= this.job.config.max_pages
  }

  /** Extends the scope by an address to which one of the source has redirected. */
  widen(roots: ReadonlyArray<string>): void {
    if (this.isWebsite) this.scope = makeScope(this.job.kind, this.job.config, [...this.scope.roots, ...roots])
  }

  remember(pages: ReadonlyArray<KnownPage>): void {
    const isMet = ({ is_met }: KnownPage) => is_met || this.run.only !== null
    this.widen(pages.filter((page) => page.depth === 0 && isMet(page)).map(({ url }) => url))
    for (const page of pages) {
      const { has_document, outcome, url } = page
      this.known.add(url)
      if (has_document) this.documents++
      if (outcome === "excluded") this.excluded++
      else if (this.isWebsite) this.traps.refusal(url)
      if (isMet(page)) this.met.add(url)
    }
  }

  /** The page of an address that is read however it looks; none when the run has met it. */
  admit(url: string, depth: number): ReadonlyArray<MetPage> {
    if (this.met.has(url)) return []
    this.met.add(url)
    this.known.add(url)
    return [{ url, depth, excluded: undefined }]
  }

  /** The page of an address that a page links to, or that a list names; none when it does not matter. */
  judge(text: string, depth: number): ReadonlyArray<MetPage> {
    const [route = ""] = /#.*/.exec(text) ?? []
    const address = addressOf(text)
    const url = address === undefined ? undefined : address + route
    if (url === undefined || url.length > URL_MAX_LENGTH || this.met.has(url)) return []
    const isNew = !this.known.has(url)
    const refusal = this.scope.refusal(url)
    // What gets no row is not remembered: a site may link to any number of addresses.
    if (refusal?.isNear === false || (isNew && this.known.size >= this.pagesMax)) return []
    const excluded =
      refusal?.detail ?? (route !== "" ? ROUTED : undefined) ?? (this.isWebsite ? this.trapOf(url, depth) : undefined)
    if (isNew && excluded !== undefined && ++this.excluded > EXCLUDED_MAX) return []
    this.known.add(url)
    this.met.add(url)
    return [{ url, depth, excluded }]
  }

  private trapOf(url: string, depth: number): string | undefined {
    const { config } = this.job
    return depth > config.depth ? `It is more than ${config.depth} links from the first page.` : this.traps.refusal(url)
  }
}
