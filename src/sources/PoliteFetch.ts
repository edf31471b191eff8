import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import { PageOutcome } from "../domain/knowledge/SourcePage.ts"
import { Unavailable } from "../domain/Errors.ts"
import { FetchFailed } from "../outbound/FetchFailed.ts"
import type { PageRequest, PageResponse } from "../outbound/PageRequest.ts"
import { retryAfterOf } from "../outbound/RetryAfter.ts"
import { PageTimeout, SafeFetch } from "../outbound/SafeFetch.ts"
import { CrawledHosts } from "../storage/sources/CrawledHosts.ts"
import type { Traffic } from "../storage/sources/SourceQueue.ts"
import { addressOf, hostOf } from "./Address.ts"
import { BOT, missingRobots, parseRobots, type Robots, ROBOTS_MAX_BYTES, unreachableRobots } from "./Robots.ts"

const defaultPace = {
  /** Bounds of the pause after a request, which is as long as the request took. */
  pauseMin: Duration.millis(200),
  pauseMax: Duration.seconds(5),
  /** The longest `Crawl-delay` and the longest `Retry-After` that are obeyed. A host that wants more is left alone. */
  crawlDelayMax: Duration.minutes(1),
  retryAfterMax: Duration.hours(1),
  /** The longest wait for a host that a run keeps its worker for. For a longer one it is put off, until the host is free. */
  waitMax: Duration.minutes(1),
  /** The pause before a request that has failed is sent again, where the server asks for none. */
  retryPause: Duration.seconds(5),
  /** Most requests for a page of a server that asks to wait. */
  tries: 3,
  /** Requests in a row that fail until a host is left alone for the rest of a run. */
  failuresMax: 10,
}
export type CrawlPace = Readonly<typeof defaultPace>
export const CrawlPace: Context.Reference<CrawlPace> = Context.Reference<CrawlPace>("parley/sources/CrawlPace", {
  defaultValue: () => defaultPace,
})

/** A page is at most as large, also unpacked. */
export const PAGE_MAX_BYTES = 10 * 1024 * 1024
export const REDIRECTS_MAX = 10
export const ROBOTS_FORBID = "robots.txt forbids it."
const ROBOTS_REDIRECTS_MAX = 5
/** Hosts whose robots.txt a run remembers: more than it reads at once. */
const ROBOTS_MAX = 100
/** Time beyond that of a request after which its host is free although nobody has released it. */
const RESERVE = Duration.seconds(5)
/** Longest sleep of somebody who waits for a host: a request may end sooner than it has to. */
const LOOK_EVERY = Duration.seconds(1)

/** A page that does not become a document, and what becomes of it. */
export class NotRead extends Schema.TaggedError<NotRead>()("NotRead", {
  outcome: PageOutcome,
  detail: Schema.String,
  status: Schema.NullOr(Schema.Int),
}) {}

export interface Fetching extends Partial<Pick<PageRequest, "bytesMax" | "wantsBody">> {
  readonly headers?: Readonly<Record<string, string>>
}

export interface PoliteFetchSettings {
  /** The base of the server's addresses, if the settings say it: the user agent links to it. */
  readonly publicUrl: string | undefined
}

export const isNotRead = (error: unknown): error is NotRead => error instanceof NotRead

export const notRead = (outcome: PageOutcome, detail: string, status: number | null = null) =>
  new NotRead({ outcome, detail, status })

const failed = (detail: string, status?: number) => notRead("failed", detail, status)

export const isRedirect = ({ headers, status }: PageResponse): boolean =>
  status >= 300 && status < 400 && status !== 304 && headers.location !== undefined

/** Sends requests for pages as hosts wish: one at a time, with pauses, and as robots.txt allows. */
export class PoliteFetch extends Context.Service<PoliteFetch>()("parley/sources/PoliteFetch", {
  make: ({ publicUrl }: PoliteFetchSettings) =>
    Effect.gen(function* () {
      const pace = yield* CrawlPace
      const timeout = Duration.fromInputUnsafe(yield* PageTimeout)
      const { page } = yield* SafeFetch
      const hosts = yield* CrawledHosts
      const userAgent = `${BOT}/1.0${publicUrl === undefined ? "" : ` (+${publicUrl}/docs/sources)`}`

      /** Waits until a host is reserved. Only the pauses can be interrupted, lest a host stays reserved for nobody. */
      const waitFor = (host: string, pause: (wait: Effect.Effect<void>) => Effect.Effect<void>) =>
        hosts.reserve(host, Duration.sum(timeout, RESERVE)).pipe(
          Effect.filterOrFail(
            (wait) => wait <= Duration.toMillis(pace.waitMax),
            (wait) =>
              new Unavailable({ detail: `${host} asks to wait.`, retry_after_seconds: Math.ceil(wait / 1_000) }),
          ),
          Effect.tap((wait) =>
            wait > 0 ? pause(Effect.sleep(Duration.min(Duration.millis(wait), LOOK_EVERY))) : Effect.void,
          ),
          Effect.repeat({ while: (wait) => wait > 0 }),
        )

      /**
       * Begins the requests of a run. What it learns of hosts holds until the run ends. A run that is not patient leaves a
       * host alone that asks to wait.
       */
      const begin = ({ bytes, is_patient = true, requests }: Traffic & { readonly is_patient?: boolean }) => {
        const traffic = { bytes, requests }
        const robots = new Map<string, Robots>()
        const failures = new Map<string, number>()
        /** Hosts that are left alone, with the reasons. */
        const closed = new Map<string, string>()

        /** Sends one request, once the host is free. */
        const send = (
          address: string,
          { bytesMax = PAGE_MAX_BYTES, headers = {}, wantsBody }: Fetching,
          cuts = false,
        ) => {
          const url = new URL(address)
          const asked = Duration.seconds(robots.get(url.origin)?.delay ?? 0)
          const request = {
            url,
            bytesMax,
            cuts,
            headers: { "user-agent": userAgent, accept: "text/html, */*;q=0.8", ...headers },
            ...(wantsBody !== undefined && { wantsBody }),
          }
          return Effect.uninterruptibleMask((restore) =>
            Effect.gen(function* () {
              yield* waitFor(url.host, restore)
              const begun = yield* Clock.currentTimeMillis
              traffic.requests++
              return yield* restore(page(request)).pipe(
                Effect.tap(({ received }) => Effect.sync(() => (traffic.bytes += received))),
                Effect.onExit(() =>
                  Effect.flatMap(Clock.currentTimeMillis, (now) => {
                    const took = Duration.clamp(Duration.millis(now - begun), {
                      minimum: pace.pauseMin,
                      maximum: pace.pauseMax,
                    })
                    const delay = Duration.min(asked, pace.crawlDelayMax)
                    return Effect.ignore(hosts.release(url.host, Duration.toMillis(delay) > 0 ? delay : took))
                  }),
                ),
              )
            }),
          )
        }

        /** Sends a request for a small file, and follows its redirects. */
        const follow = Effect.fnUntraced(function* (address: string, fetching: Fetching, hops: number, cuts: boolean) {
          let at = address
          for (let hop = 0; hop <= hops; hop++) {
            const response = yield* send(at, fetching, cuts)
            if (!isRedirect(response)) return { at, response }
            const next = addressOf(response.headers.location ?? "", at)
            if (next === undefined) break
            at = next
          }
          return { at, response: undefined }
        })

        const readRobots = Effect.fnUntraced(function* (origin: string) {
          const address = `${origin}/robots.txt`
          let detail = ""
          for (let attempt = 1; attempt <= pace.tries; attempt++) {
            if (attempt > 1) yield* Effect.sleep(pace.retryPause)
            const answer = yield* tried(follow(address, { bytesMax: ROBOTS_MAX_BYTES }, ROBOTS_REDIRECTS_MAX, true))
            if (answer instanceof FetchFailed) {
              detail = answer.detail
              if (answer.reason === "private") break
              continue
            }
            const { response } = answer
            if (response === undefined || (response.status >= 400 && response.status < 500 && response.status !== 429))
              return missingRobots
            if (response.status < 300) return parseRobots(address, response.body)
            detail = `The server answers with the status ${response.status}.`
          }
          return unreachableRobots(detail)
        })

        const robotsOf = Effect.fnUntraced(function* (address: string) {
          const { origin } = new URL(address)
          const found = robots.get(origin) ?? (yield* readRobots(origin))
          // As the latest one: a list may name any number of hosts.
          robots.delete(origin)
          robots.set(origin, found)
          for (const oldest of robots.keys()) if (robots.size > ROBOTS_MAX) robots.delete(oldest)
          return found
        })

        const ensureAllowed = Effect.fnUntraced(function* (address: string) {
          const { allows, problem } = yield* robotsOf(address)
          if (problem !== undefined)
            return yield* failed(`robots.txt cannot be read, so that nothing is read from this host: ${problem}`)
          if (!allows(address)) return yield* notRead("excluded", ROBOTS_FORBID)
        })

        /** Requests an address. A redirect is a response. */
        const get = Effect.fnUntraced(function* (address: string, fetching: Fetching = {}) {
          const host = hostOf(address)
          const ensureOpen = Effect.suspend(() => {
            const reason = closed.get(host)
            return reason === undefined ? Effect.void : Effect.fail(failed(reason))
          })
          yield* ensureOpen
          yield* ensureAllowed(address)
          for (let attempt = 1; ; attempt++) {
            const answer = yield* tried(send(address, fetching))
            if (!(answer instanceof FetchFailed)) {
              const { headers, status } = answer
              const after = retryAfterOf(
                (name) => (name === "retry-after" ? headers[name] : undefined),
                yield* Clock.currentTimeMillis,
              )
              if (status === 429 || (status === 503 && after !== undefined)) {
                const wait = after ?? Duration.times(pace.retryPause, attempt)
                if (!is_patient || attempt >= pace.tries || Duration.isGreaterThan(wait, pace.retryAfterMax))
                  closed.set(host, `The server asks for fewer requests (status ${status}), again and again.`)
                yield* ensureOpen
                yield* hosts.release(host, wait)
                continue
              }
              if (status < 500) {
                failures.delete(host)
                return answer
              }
            }
            const failure =
              answer instanceof FetchFailed
                ? refusalOf(answer)
                : failed(`The server fails (status ${answer.status}).`, answer.status)
            if (failure.outcome !== "failed") return yield* failure
            const count = (failures.get(host) ?? 0) + 1
            failures.set(host, count)
            if (count >= pace.failuresMax)
              closed.set(
                host,
                `It was not requested, because ${count} requests in a row have failed. ${failure.detail}`,
              )
            if (attempt > 1 || count > 1) return yield* failure
            yield* hosts.release(host, pace.retryPause)
          }
        })

        /** Reads a list that somebody has named, wherever it redirects to, and even if robots.txt forbids it. */
        const getList = (address: string, bytesMax: number) =>
          Effect.catchTag(follow(address, { bytesMax }, REDIRECTS_MAX, false), "FetchFailed", (failure) =>
            Effect.fail(failed(failure.detail)),
          )

        return { get, getList, robotsOf, traffic }
      }

      return { begin }
    }),
}) {
  static readonly layer = (settings: PoliteFetchSettings) => Layer.effect(this, this.make(settings))
}

export type Requests = ReturnType<PoliteFetch["Service"]["begin"]>

/** Makes the failure of a request its answer. That of the database stays a failure. */
const tried = <A, E>(request: Effect.Effect<A, E | FetchFailed>) =>
  Effect.catchIf(
    request,
    (error): error is FetchFailed => error instanceof FetchFailed,
    (failure) => Effect.succeed(failure),
  )

const refusalOf = ({ detail, reason }: FetchFailed): NotRead =>
  notRead(reason === "too_large" ? "too_large" : "failed", detail)
