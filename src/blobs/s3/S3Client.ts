import { Clock, Duration, Effect } from "effect"
import { Unavailable } from "../../domain/Errors.ts"
import { retrying } from "../../outbound/Retrying.ts"
import { ServiceHealth } from "../../outbound/ServiceHealth.ts"
import { failureOfAnswer, isMissing, S3Failure, silent, unreachable } from "./S3Failure.ts"
import type { S3Bounds, S3Settings } from "./S3Settings.ts"
import { encodePath, sha256, sign } from "./Signature.ts"
import type { Spooled } from "./Spool.ts"

export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE"
  /** The key of an object; absent for requests about the bucket. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  /** Headers by their names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body, whose hash the store compares with what arrives. */
  readonly body?: Spooled
}

/** An answer that was read to its end. */
export interface S3Answer {
  readonly headers: Headers
  readonly text: string
}

/** The retries of a request, which the patience alone bounds. */
const RETRIES = {
  retryDelay: Duration.millis(200),
  retryAfterMax: Duration.infinity,
  attemptsMax: Number.POSITIVE_INFINITY,
}
/** The slowest rate at which a body may be sent. */
const SENT_PER_SECOND = 256 * 1024
/** The failures in a row after which the store counts as down. */
const FAILURES_MAX = 3
/** Time for which a store that is down is not asked. */
const DOWN_FOR = Duration.seconds(3)
const EMPTY = sha256("")

/** The failure that clients see. */
const storeUnavailable = new Unavailable({
  detail: "Files cannot be stored or read right now.",
  retry_after_seconds: Math.ceil(Duration.toSeconds(DOWN_FOR)),
})

/**
 * Sends signed requests to an S3 store, within time limits, and tries again those that may succeed later. When several
 * in a row have failed for good, the store counts as down: it is not asked for a few seconds, and then each request is
 * sent once, until one succeeds.
 *
 * It stands on `fetch`, because a signature covers the exact address, which `HttpClient` writes in its own way, and in
 * place of effect's `CircuitBreaker`, whose only probe might be a large upload that all others wait for.
 */
export class S3Client {
  readonly settings: S3Settings
  readonly bounds: S3Bounds
  private readonly origin: URL
  private readonly root: string
  private readonly health = new ServiceHealth(FAILURES_MAX, Duration.toMillis(DOWN_FOR))

  constructor(settings: S3Settings, bounds: S3Bounds) {
    this.settings = settings
    this.bounds = bounds
    this.origin = new URL(settings.endpoint)
    const base = this.origin.pathname.replace(/\/$/, "")
    if (settings.style === "virtual") {
      this.origin.hostname = `${settings.bucket}.${this.origin.hostname}`
      this.root = base
    } else {
      this.root = `${base}/${encodePath(settings.bucket)}`
    }
  }

  /** Fails while the store is known to be down. Sends nothing. */
  readonly ready: Effect.Effect<void, Unavailable> = Effect.suspend(() =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      this.health.restAt(now) > 0 ? Effect.fail(storeUnavailable) : Effect.void,
    ),
  )

  /** Sends a request once and reads the whole answer, which is small. */
  readonly attempt = (request: S3Request): Effect.Effect<S3Answer, S3Failure> =>
    Effect.suspend(() => {
      const abort = new AbortController()
      const limit = Duration.sum(
        Duration.fromInputUnsafe(this.bounds.timeout),
        Duration.seconds(Math.ceil((request.body?.bytes ?? 0) / SENT_PER_SECOND)),
      )
      return this.send(request, abort.signal).pipe(
        Effect.flatMap((response) =>
          Effect.map(this.textOf(response), (text): S3Answer => ({ headers: response.headers, text })),
        ),
        Effect.onInterrupt(() => Effect.sync(() => abort.abort())),
        Effect.timeoutOrElse({ duration: limit, orElse: () => Effect.fail(silent(this.settings, limit)) }),
      )
    })

  /** Sends a request and reads the whole answer, which is small. */
  readonly call = (request: S3Request): Effect.Effect<S3Answer, S3Failure | Unavailable> =>
    this.persistently(this.attempt(request))

  /** Sends a request once and returns the answer with its body unread. `abort` ends the request and its answer. */
  readonly begin = (request: S3Request, abort: AbortController): Effect.Effect<Response, S3Failure> =>
    this.send(request, abort.signal).pipe(
      Effect.onInterrupt(() => Effect.sync(() => abort.abort())),
      Effect.timeoutOrElse({
        duration: this.bounds.timeout,
        orElse: () => Effect.fail(silent(this.settings, Duration.fromInputUnsafe(this.bounds.timeout))),
      }),
    )

  /** Repeats a request until it succeeds, fails for good, or the patience is over. */
  persistently<A>(attempt: Effect.Effect<A, S3Failure>): Effect.Effect<A, S3Failure | Unavailable> {
    const repeated = Effect.suspend(() =>
      retrying(attempt, { ...RETRIES, retryWindow: this.health.isDown ? Duration.zero : this.bounds.patience }),
    )
    return Effect.andThen(this.ready, repeated.pipe(Effect.tap(this.noteSuccess), Effect.tapError(this.noteFailure)))
  }

  private readonly noteSuccess = Effect.sync(() => this.health.succeed())

  private readonly noteFailure = (failure: S3Failure) =>
    isMissing(failure) ? this.noteSuccess : Effect.map(Clock.currentTimeMillis, (now) => this.health.fail(now))

  /** Logs why the store could not serve, and fails with what clients may see. */
  readonly orUnavailable = <A, E, R>(work: Effect.Effect<A, E | S3Failure, R>) =>
    Effect.catch(work, (error): Effect.Effect<never, Exclude<E, S3Failure> | Unavailable> =>
      error instanceof S3Failure
        ? Effect.andThen(
            Effect.logWarning("Files cannot be stored or read in S3").pipe(
              Effect.annotateLogs({ why: error.what, ...(error.doThis && { do: error.doThis }) }),
            ),
            Effect.fail(storeUnavailable),
          )
        : Effect.fail(error as Exclude<E, S3Failure>),
    )

  private readonly send = Effect.fnUntraced(function* (
    this: S3Client,
    { body, headers: given, key, method, query = {} }: S3Request,
    signal: AbortSignal,
  ) {
    // Otherwise `fetch` would name a type of content that is not signed, which some servers refuse.
    const headers = { ...(body && { "content-type": "application/octet-stream" }), ...given }
    const now = yield* Clock.currentTimeMillis
    const path = key === undefined ? this.root || "/" : `${this.root}/${encodePath(key)}`
    const signed = sign(
      { method, host: this.origin.host, path, query, headers, payload: body?.sha256 ?? EMPTY },
      this.settings.credentials,
      this.settings.region,
      new Date(now),
    )
    const response = yield* Effect.tryPromise({
      try: () =>
        fetch(`${this.origin.origin}${path}${signed.query && `?${signed.query}`}`, {
          method,
          headers: { ...signed.headers, "accept-encoding": "identity" },
          redirect: "manual",
          signal,
          ...(body && { body: body.content }),
        }),
      catch: (error) => unreachable(this.settings, error),
    })
    if (response.ok) return response
    const text = yield* this.textOf(response)
    return yield* failureOfAnswer(this.settings, response, text, yield* Clock.currentTimeMillis)
  })

  private readonly textOf = (response: Response): Effect.Effect<string, S3Failure> =>
    Effect.tryPromise({ try: () => response.text(), catch: (error) => unreachable(this.settings, error) })
}
