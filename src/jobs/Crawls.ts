import { Context, Duration, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { Blobs } from "../blobs/Blobs.ts"
import { Crawl, failed } from "../sources/Crawl.ts"
import { PoliteFetch } from "../sources/PoliteFetch.ts"
import { CrawledHosts } from "../storage/sources/CrawledHosts.ts"
import { SourceFrontier } from "../storage/sources/SourceFrontier.ts"
import { type CrawlJob, type CrawlRun, type RunEnd, SourceQueue } from "../storage/sources/SourceQueue.ts"
import { Ingestion } from "./Ingestion.ts"
import { LEASE, LeaseLost, makeWorker } from "./Worker.ts"
import { Service } from "../domain/Service.ts"

const defaultBounds = {
  /** Runs that this process works on at once. Most of their time is waiting for hosts. */
  concurrency: 8,
  /** Attempts at a run that a fault of the server ends, before it is given up. */
  attempts: 3,
  /** Attempts that end with their process. */
  lapses: 50,
  lease: LEASE,
}
export type CrawlBounds = Readonly<typeof defaultBounds>
export const CrawlBounds: Context.Reference<CrawlBounds> = Context.Reference<CrawlBounds>("parley/jobs/CrawlBounds", {
  defaultValue: () => defaultBounds,
})

/**
 * Reads the pages of sources, one run after the other for each of them. It works in the background as long as the layer
 * lives; several processes share one queue.
 */
export class Crawls extends Service<Crawls>()("parley/jobs/Crawls", function* () {
  const bounds = yield* CrawlBounds
  const lease = Duration.fromInputUnsafe(bounds.lease)
  const queue = yield* SourceQueue
  const frontier = yield* SourceFrontier
  const hosts = yield* CrawledHosts
  const crawl = yield* Crawl
  const politeFetch = yield* PoliteFetch
  const ingestion = yield* Ingestion
  const blobs = yield* Blobs
  const random = yield* SecureRandom.SecureRandom

  const worker = yield* makeWorker({
    name: "Crawl",
    labels: ({ source_id }: CrawlJob) => ({ source_id }),
    queue,
    concurrency: bounds.concurrency,
    lease,
    untilDue: queue.untilDue,
    attempt: (job, showSoon, stopped) => {
      let begun: { readonly run: CrawlRun; readonly requests: ReturnType<typeof politeFetch.begin> } | undefined
      const traffic = () => begun?.requests.traffic ?? { requests: 0, bytes: 0 }
      const work = Effect.gen(function* () {
        const run = yield* queue.begin(job, yield* random.uuidV7())
        if (run === undefined) return yield* new LeaseLost()
        const requests = politeFetch.begin(run)
        begun = { run, requests }
        showSoon()
        const reading = crawl.read(job, run, { requests, show: showSoon, published: ingestion.nudge })
        const end = yield* Effect.raceFirst(
          Effect.catchTag(reading, "QuotaReached", ({ detail }) =>
            Effect.succeed(failed({ code: "quota_reached", message: detail })),
          ),
          Effect.as(stopped, { status: "stopped", error: null } satisfies RunEnd),
        )
        yield* frontier.dismiss(job)
        return end
      })
      return {
        work,
        renew: Effect.suspend(() => queue.renew(job, begun?.run.id, { ...traffic() }, lease)),
        finish: (end: RunEnd) => queue.end(job, { ...end, ...traffic() }),
      }
    },
    judge: (error: never) => error,
    givingUp: {
      ...bounds,
      ofLapses: ({ lapses }) => `Reading the source was cut off ${lapses} times.`,
      ofDefect: "The source could not be read. The server's log says why.",
      giveUp: queue.giveUp,
    },
    ended: () => Effect.andThen(blobs.nudge, Effect.ignore(hosts.forget)),
  })
  yield* Effect.forkScoped(worker.run)

  return {
    /** Wakes the worker, because a run was queued. */
    nudge: worker.nudge,
  }
}) {}
