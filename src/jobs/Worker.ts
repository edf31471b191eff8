import { Array, Cause, Duration, Effect, Exit, Latch, Result, Schema, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import { Unavailable } from "../domain/Errors.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { attributes } from "../observability/Attributes.ts"
import { atBorder } from "../observability/Border.ts"
import { jobs as metrics } from "../observability/Metrics.ts"
import { Traces } from "../observability/Traces.ts"
import type { Job, Lease } from "../storage/sql/LeaseQueue.ts"
import { withoutTimeLimit } from "../storage/sql/TimeLimit.ts"
import { persistently, surviving } from "../system/Background.ts"
import { DatabaseTraits } from "../system/DatabaseTraits.ts"

/** Shortest time between two renewals of a lease that show progress. An attempt that is shorter shows none. */
const SHOW_INTERVAL = Duration.millis(250)
/** Delay before the second attempt, doubled for each further one. */
const RETRY_DELAY = Duration.seconds(2)
/** Pause after a defect of the queue. */
const FAULT_PAUSE = Duration.seconds(1)

/**
 * Time for which a job stays with a process that does not renew its lease: one that hangs, is suspended or cannot be
 * reached. The end of a process is noticed earlier.
 */
export const LEASE: Duration.Input = "30 seconds"

/** The pause after a failure of a queue, whose database may be away. */
export const pauseAfter = (error: unknown): Duration.Duration =>
  error instanceof Unavailable ? Duration.seconds(error.retry_after_seconds) : FAULT_PAUSE

/** The lease has ended: another worker has the job, or the job is deleted. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {}) {}

/** The part of a repository that makes its table a queue. */
export interface JobQueue<J extends Job> {
  /** Leases the next due job; undefined if there is none. */
  readonly claim: (lease: Lease) => Effect.Effect<J | undefined, Unavailable>
  /**
   * Ends the lease; the job is due again after `delay`. With `counts`, the attempt counts as failed because of the job.
   */
  readonly release: (
    job: J,
    delay: Duration.Duration,
    counts: boolean,
  ) => Effect.Effect<void, Unavailable, CurrentOrganization>
  /** Ends all leases. It may only run while no other process uses the database. */
  readonly releaseAll: Effect.Effect<void, Unavailable>
}

/** One attempt at a job. It runs on behalf of the job's organization. */
export interface Attempt<A, E> {
  /** The work itself, interrupted when the lease is lost. Its writes must check the lease. */
  readonly work: Effect.Effect<A, E | Unavailable | LeaseLost, CurrentOrganization>
  /** Renews the lease and stores the progress. Returns false if the lease is lost, and "stop" if the work is to stop. */
  readonly renew: Effect.Effect<boolean | "stop", Unavailable, CurrentOrganization>
  /** Stores the result and deletes the job from the queue, in one transaction. Returns false if the lease is lost. */
  readonly finish: (result: A) => Effect.Effect<boolean, Unavailable, CurrentOrganization>
}

/** Decides about a job whose attempt failed. A failure by `Unavailable` needs no verdict: the job waits. */
export type Verdict<Reason> =
  /** Every further attempt would fail as well. */
  | { readonly is: "hopeless"; readonly reason: Reason }
  /** Another attempt may succeed. It follows after a delay, unless the attempts are used up. */
  | { readonly is: "faulty"; readonly reason: Reason }
  /** The failure is not the job's: it waits, and the attempt does not count. */
  | { readonly is: "early"; readonly delay: Duration.Duration; readonly detail: string }
  /** The job was deleted meanwhile. */
  | { readonly is: "gone" }

/** Bounds beyond which a job is given up, and the reasons that are stored then. */
export interface GivingUp<J extends Job, Reason> {
  /** Attempts that may fail because of the job. */
  readonly attempts: number
  /** Attempts that may end with their process: the job may be what kills it. */
  readonly lapses: number
  /** Delay after which a job that was given up is tried anew, doubled each time. */
  readonly retryDelay?: Duration.Duration
  /** Number of times that a job that was given up is tried anew; none by default. */
  readonly retries?: number
  /** The reason to store for a job that has used up its lapses. */
  readonly ofLapses: (job: J) => Reason
  /** The reason to store after a defect. The cause is logged. */
  readonly ofDefect: Reason
  /** Stores the reason, and deletes the job from the queue, or delays it if there is a `delay`. */
  readonly giveUp: (
    job: J,
    reason: Reason,
    delay: Duration.Duration | undefined,
  ) => Effect.Effect<void, Unavailable, CurrentOrganization>
  /** Stores the reason for a hopeless job, and deletes the job from the queue, in place of `giveUp` without a delay. */
  readonly refuse?: (job: J, reason: Reason) => Effect.Effect<void, Unavailable, CurrentOrganization>
}

/** The properties that distinguish one kind of job from others. */
export interface JobKind<J extends Job, A, E, Reason> {
  /** The subject of log lines: "… waits", "… was cut off", "… failed". */
  readonly name: string
  /** The name of the queue in metrics and traces, where it is not `name` in small letters. */
  readonly metricsName?: string
  /** Annotations of a job's log lines. */
  readonly labels: (job: J) => Readonly<Record<string, string>>
  readonly queue: JobQueue<J>
  /** Jobs that this process works on at once. */
  readonly concurrency: number
  /** Time for which a job stays with a worker that does not renew the lease. Workers renew it three times as often. */
  readonly lease: Duration.Duration
  /** Waits, in an idle process, until a job may be due or the bell opens, which is opened when one is queued here. */
  readonly untilDue: (bell: Latch.Latch) => Effect.Effect<unknown>
  /**
   * Begins an attempt. It calls `showSoon` when there is progress to store, so that the lease is renewed soon. `stopped`
   * waits until a renewal says that the work is to stop.
   */
  readonly attempt: (job: J, showSoon: () => void, stopped: Effect.Effect<void>) => Attempt<A, E>
  /** Decides about a job whose attempt failed with this error. */
  readonly judge: (error: E) => Verdict<Reason>
  /** The delay before the next attempt, by the number of failed attempts before the last. Default: 2 s, doubled each time. */
  readonly backOff?: (attempts: number) => Duration.Duration
  /** If undefined, a job is tried until it succeeds. */
  readonly givingUp?: GivingUp<J, Reason>
  /** Whether a job that is `Unavailable` delays all others as well, because all need the same. */
  readonly waitsForAll?: boolean
  /** Deletes what an attempt that lost its lease may have left behind. */
  readonly abandon?: (job: J) => Effect.Effect<void, Unavailable, CurrentOrganization>
  /** Runs after each attempt, successful or not. */
  readonly ended?: (job: J) => Effect.Effect<unknown>
}

export interface Worker {
  /** Wakes an idle worker, because a job was queued. */
  readonly nudge: Effect.Effect<void>
  /**
   * Works until it is interrupted. Then it releases its jobs, so that another process, or the next start, can continue
   * at once.
   */
  readonly run: Effect.Effect<never>
}

/** Makes a worker for one kind of job. Several processes may share its queue. */
export const makeWorker = Effect.fnUntraced(function* <J extends Job, A, E, Reason>(
  kind: JobKind<J, A, E, Reason>,
): Effect.fn.Return<Worker, never, DatabaseTraits | SecureRandom.SecureRandom> {
  const { backOff = (attempts) => Duration.times(RETRY_DELAY, 2 ** attempts), givingUp, lease, name, queue } = kind
  const random = yield* SecureRandom.SecureRandom
  const beginTrace = yield* Traces
  const { isAlone } = yield* DatabaseTraits
  const bell = yield* Latch.make(false)
  /** Only one of the idle fibers polls the queue. */
  const pollTurn = yield* Semaphore.make(1)

  const heartbeat = Duration.divideUnsafe(lease, 3)
  const showInterval = Duration.min(SHOW_INTERVAL, heartbeat)
  const silence = Duration.subtract(heartbeat, showInterval)

  /** Renews the lease regularly, and fails when it is lost. */
  const keepLease = (renew: Attempt<A, E>["renew"], hasProgress: Latch.Latch, isStopped: Latch.Latch) =>
    Effect.timeoutOption(hasProgress.await, silence).pipe(
      Effect.andThen(hasProgress.close),
      Effect.andThen(renew),
      Effect.tap((renewed) => (renewed === "stop" ? isStopped.open : Effect.void)),
      Effect.delay(showInterval),
      Effect.repeat({ while: (renewed) => renewed !== false }),
      Effect.andThen(Effect.fail(new LeaseLost())),
    )

  const abandon = (job: J) => Effect.ignore(kind.abandon?.(job) ?? Effect.void)

  const putBack = (job: J, delay: Duration.Duration, detail: string) =>
    Effect.andThen(Effect.logWarning(`${name} waits`, { detail }), queue.release(job, delay, false))

  /** Gives a job up, with a late retry as long as any are left: the failure need not be the job's fault. */
  const giveUp = ({ giveUp, retries = 0, retryDelay = Duration.zero }: GivingUp<J, Reason>, job: J, reason: Reason) =>
    giveUp(job, reason, job.given_up < retries ? Duration.times(retryDelay, 2 ** job.given_up) : undefined)

  const tryAgain = (job: J, cause: Cause.Cause<unknown>, reason: Reason | undefined) => {
    const attempts = job.attempts + 1
    const isLast = givingUp !== undefined && reason !== undefined && attempts >= givingUp.attempts
    return Effect.logWarning(`${name} was cut off`, cause).pipe(
      Effect.annotateLogs({ attempt: attempts }),
      Effect.andThen(isLast ? giveUp(givingUp, job, reason) : queue.release(job, backOff(job.attempts), true)),
    )
  }

  const settle = (job: J, error: E | Unavailable | LeaseLost) => {
    if (error instanceof LeaseLost) return abandon(job)
    if (error instanceof Unavailable) {
      const wait = Duration.seconds(error.retry_after_seconds)
      const back = putBack(job, wait, error.detail)
      return kind.waitsForAll === true ? Effect.andThen(back, Effect.sleep(wait)) : back
    }
    const verdict = kind.judge(error)
    switch (verdict.is) {
      case "gone":
        return abandon(job)
      case "early":
        return putBack(job, verdict.delay, verdict.detail)
      case "faulty":
        return tryAgain(job, Cause.fail(error), verdict.reason)
      case "hopeless":
        if (givingUp === undefined) return abandon(job)
        return (givingUp.refuse ?? givingUp.giveUp)(job, verdict.reason, undefined)
    }
  }

  const attempt = Effect.fnUntraced(function* (job: J) {
    if (givingUp !== undefined && job.lapses >= givingUp.lapses) {
      return yield* giveUp(givingUp, job, givingUp.ofLapses(job))
    }
    const hasProgress = yield* Latch.make(false)
    const isStopped = yield* Latch.make(false)
    const { finish, renew, work } = kind.attempt(job, () => hasProgress.openUnsafe(), isStopped.await)
    const result = yield* Effect.raceFirst(work, keepLease(renew, hasProgress, isStopped))
    if (!(yield* finish(result))) return yield* new LeaseLost()
  })

  const queueName = kind.metricsName ?? name.toLowerCase()

  /** Returns the outcome of an attempt, as a label of metrics. */
  const outcomeOfAttempt = (exit: Exit.Exit<void, E | Unavailable | LeaseLost>): string => {
    if (Exit.isSuccess(exit)) return "done"
    const error = Cause.findError(exit.cause)
    if (Result.isFailure(error)) return Exit.hasInterrupts(exit) ? "interrupted" : "defect"
    if (error.success instanceof LeaseLost) return "lost"
    return error.success instanceof Unavailable ? "waits" : kind.judge(error.success).is
  }

  const measured = (job: J) =>
    atBorder(attempt(job), {
      span: `${queueName} attempt`,
      measure: (seconds, exit) => {
        metrics.finished(queueName, outcomeOfAttempt(exit)).add()
        metrics.seconds(queueName).observe(seconds)
      },
    })

  /** Makes one attempt and settles the job if it fails. */
  const handle = (job: J) =>
    Effect.catchCause(measured(job), (cause) => {
      const error = Cause.findError(cause)
      if (Result.isSuccess(error)) return settle(job, error.success)
      return Cause.hasInterruptsOnly(cause) ? Effect.failCause(error.failure) : tryAgain(job, cause, givingUp?.ofDefect)
    })

  const survive = surviving(`${name} waits`, pauseAfter)

  /** Releases a job because this process stops: another, or the next start, continues at once. */
  const giveBack = (job: J) =>
    Effect.provideService(
      Effect.ignore(queue.release(job, Duration.zero, false)),
      CurrentOrganization,
      job.organization_id,
    )

  const look = survive(
    Effect.gen(function* () {
      yield* bell.close
      // An interruption may leave a job leased, until the end of this process is noticed.
      const job = yield* queue.claim({ id: yield* random.uuidV4(), duration: lease })
      if (job === undefined) yield* kind.untilDue(bell)
      return job
    }),
  )

  const next = look.pipe(Effect.repeat({ until: (job) => job !== undefined }), Semaphore.withPermit(pollTurn))

  const traced = <B, R>(job: J, work: Effect.Effect<B, Unavailable, R>): Effect.Effect<B, Unavailable, R> =>
    beginTrace === undefined
      ? work
      : beginTrace(work, {
          name: `job ${queueName}`,
          kind: "consumer",
          attributes: {
            [attributes.queue]: queueName,
            [attributes.organization]: job.organization_id,
            [attributes.attempt]: job.attempts + 1,
          },
        })

  const work = Effect.flatMap(next, (job) =>
    survive(traced(job, handle(job))).pipe(
      Effect.onInterrupt(() => giveBack(job)),
      Effect.ensuring(kind.ended?.(job) ?? Effect.void),
      Effect.provideService(CurrentOrganization, job.organization_id),
      Effect.annotateLogs(kind.labels(job)),
    ),
  )

  return {
    nudge: Effect.asVoid(bell.open),
    // No other process uses this database, so a job that is leased at the start belonged to one that has ended.
    run: (isAlone ? persistently(`${name} waits`, queue.releaseAll) : Effect.void).pipe(
      Effect.andThen(
        Effect.all(
          Array.makeBy(kind.concurrency, () => Effect.forever(survive(work))),
          { concurrency: "unbounded", discard: true },
        ),
      ),
      Effect.andThen(Effect.never),
      withoutTimeLimit,
    ),
  }
})
