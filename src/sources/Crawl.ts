import { Array, Effect } from "effect"
import type { SourceRunError } from "../domain/knowledge/SourceRun.ts"
import { Service } from "../domain/Service.ts"
import { type KnownPage, SourceFrontier } from "../storage/sources/SourceFrontier.ts"
import type { CrawlJob, CrawlRun, RunEnd } from "../storage/sources/SourceQueue.ts"
import { MISSING } from "../storage/sources/SourceRuns.ts"
import { hostOf } from "./Address.ts"
import { readLists } from "./Lists.ts"
import { makePageReader, type Progress } from "./PageReader.ts"
import { ROBOTS_FORBID } from "./PoliteFetch.ts"
import { RunState } from "./RunState.ts"

/** Hosts that a run reads at once, each one page at a time. */
const HOSTS_AT_ONCE = 4

/** Reads the pages of sources, and makes them documents. */
export class Crawl extends Service<Crawl>()("parley/sources/Crawl", function* () {
  const frontier = yield* SourceFrontier
  const readerOf = yield* makePageReader

  /** Finds out what earlier attempts and runs have met. */
  const remember = Effect.fnUntraced(function* (state: RunState) {
    const { job, run } = state
    for (let after: string | undefined = ""; after !== undefined;) {
      const some: ReadonlyArray<KnownPage> = yield* frontier.known(job, run, after)
      state.remember(some)
      after = some.at(-1)?.url
    }
  })

  /** Lets pages wait that nothing has led to. Returns whether there are any. */
  const requeue = Effect.fnUntraced(function* ({ isWebsite, job, run, tooMany }: RunState, isWhole: boolean) {
    if (run.only !== null || isWebsite) return yield* frontier.requeue(job, run, [ROBOTS_FORBID, tooMany])
    // Entries leave a feed because they are old.
    if (job.kind !== "feed" && isWhole) yield* frontier.excludeUnmet(job, run, "The lists do not name it any more.")
    return false
  })

  /** Deletes what is gone, and says how the run has ended. */
  const conclude = Effect.fnUntraced(function* ({ job, run }: RunState) {
    yield* frontier.bequeath(job, run)
    const all = yield* frontier.tally(job, run)
    const tally = all.filter(({ outcome }) => outcome !== null)
    const isRead = tally.some(({ outcome }) => ["new", "changed", "unchanged"].includes(outcome ?? ""))
    const failure = tally.find(({ outcome }) => outcome === "failed")
    if (!isRead && failure !== undefined) return failed({ code: "unreachable", message: failure.detail ?? "" })
    if (run.only !== null) return finished(0)
    const documentsOf = (some: typeof all) => some.reduce((sum, { documents }) => sum + documents, 0)
    const known = documentsOf(all.filter(({ outcome }) => outcome !== "new"))
    const gone = documentsOf(tally.filter(({ outcome }) => outcome !== null && MISSING.includes(outcome)))
    const failures = failure?.documents ?? 0
    const found = known - gone - failures
    if (job.kind !== "feed" && !run.is_confirmed && gone > 0 && 2 * found < known) return held(found, known)
    let deleted = 0
    for (let some = 1; some > 0; deleted += some) some = yield* frontier.deleteGone(job, run)
    if (isRead || known > 0) return finished(deleted)
    const most = tally[0]?.detail ?? ""
    const code = most === ROBOTS_FORBID ? "forbidden" : "nothing_found"
    return failed({ code, message: `No page was found that can be read. ${most}`.trim() })
  })

  return {
    /** Reads the pages of a run that wait. An attempt that was cut off can be repeated, and goes on. */
    read: Effect.fn("Crawl.read")(
      function* (job: CrawlJob, run: CrawlRun, progress: Progress) {
        const state = new RunState(job, run)
        const { meet, storeSample, visit } = readerOf(state, progress)
        yield* remember(state)
        let isWhole = true
        if (run.only === null && job.kind === "website") {
          const first = state.starts.flatMap((url) => state.admit(url, 0))
          yield* frontier.meet(job, run, first)
        } else if (run.only === null && job.kind !== "website") {
          const lists = yield* readLists(job.kind, job.config.urls, progress.requests, state.pagesMax)
          isWhole = lists.isWhole
          yield* meet(lists.pages, 1)
        }
        for (let isMore = true; isMore;) {
          const sampled = state.sample.map(({ page }) => page.id)
          const pages = yield* frontier.next(job, run, sampled)
          const byHost = Object.values(Array.groupBy(pages, ({ url }) => hostOf(url)))
          yield* Effect.forEach(byHost, (some) => Effect.forEach(some, visit, { discard: true }), {
            concurrency: HOSTS_AT_ONCE,
            discard: true,
          })
          if (pages.length > 0) continue
          yield* storeSample
          isMore = sampled.length > 0 || (yield* requeue(state, isWhole))
        }
        return yield* conclude(state)
      },
      Effect.catchTag("ListsUnreadable", ({ error }) => Effect.succeed(failed(error))),
    ),
  }
}) {}

const finished = (deleted: number): RunEnd => ({
  status: "finished",
  error: null,
  counts: deleted === 0 ? {} : { deleted },
})

export const failed = (error: SourceRunError): RunEnd => ({ status: "failed", error })

const held = (found: number, known: number): RunEnd => ({
  status: "held",
  error: {
    code: "pages_missing",
    message: `Only ${found} of ${known} known pages were found, and nothing was deleted. Start a run with \`confirm\` to go on.`,
  },
})
