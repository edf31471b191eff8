import { Array, Cause, Duration, Effect, Fiber, Latch, Option, Result, Schema, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import { Unavailable } from "../domain/Errors.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import type { Job, Lease } from "../storage/sql/LeaseQueue.ts"
import { withoutTimeLimit } from "../storage/sql/TimeLimit.ts"
import { persistently } from "../system/Background.ts"
import { DatabaseTraits } from "../system/DatabaseTraits.ts"

/** How often an attempt that has something to show renews its lease at most: a short one ends before it has to. */
const SHOW_INTERVAL = Duration.millis(250)
/** How long a process that stops waits for the answer to a claim, to give back what it got. */
const CLAIM_PATIENCE = Duration.seconds(1)
/** After a fault of the queue itself. */
const FAULT_PAUSE = Duration.seconds(1)

/** Another worker has the job by now, or the job is gone. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {}) {}

/** What a worker needs of the repository whose table is the queue. */
export interface JobQueue<J extends Job> {
  readonly claim: (lease: Lease) => Effect.Effect<J | undefined, Unavailable>
  /** `counts`: the attempt failed by what the job is. */
  readonly release: (
    job: J,
    delay: Duration.Duration,
    counts: boolean,
  ) => Effect.Effect<void, Unavailable, CurrentOrganization>
  readonly releaseAll: Effect.Effect<void, Unavailable>
}

/** One attempt at a job. It runs on behalf of the job's organization. */
export interface Attempt<A, E> {
  /** Is interrupted when the lease is lost. What it writes, it writes under the lease. */
  readonly work: Effect.Effect<A, E | Unavailable | LeaseLost, CurrentOrganization>
  /** Renews the lease, and shows how far the work is. False when the lease is lost. */
  readonly renew: Effect.Effect<boolean, Unavailable, CurrentOrganization>
  /** Records the result and takes the job out of the queue, in one transaction. False when the lease is lost. */
  readonly finish: (result: A) => Effect.Effect<boolean, Unavailable, CurrentOrganization>
}

/** What becomes of a job after a failure. A job that waits because something is `Unavailable` needs no verdict. */
export type Verdict<Reason> =
  /** No further attempt would end otherwise. */
  | { readonly is: "hopeless"; readonly reason: Reason }
  /** The next attempt may succeed: it is made after a while, as long as there are any left. */
  | { readonly is: "faulty"; readonly reason: Reason }
  /** The job is not to blame: it waits, and the attempt does not count. */
  | { readonly is: "early"; readonly delay: Duration.Duration; readonly detail: string }
  /** The job is gone. */
  | { readonly is: "gone" }

/** When a job is given up, and what is recorded then. */
export interface GivingUp<J extends Job, Reason> {
  /** Attempts that may fail by what the job is. */
  readonly attempts: number
  /** Attempts that may end with their process. The job may be what ends it. */
  readonly lapses: number
  /** A job that was given up is tried anew after this, and after twice as long each time, */
  readonly retryDelay: Duration.Duration
  /** so often. */
  readonly retries: number
  readonly ofLapses: (job: J) => Reason
  /** Of a fault that is no typed failure. The log has the cause. */
  readonly ofDefect: Reason
  /** Records that the job was given up, and takes it out of the queue, or puts it off for `delay`. */
  readonly giveUp: (
    job: J,
    reason: Reason,
    delay: Duration.Duration | undefined,
  ) => Effect.Effect<void, Unavailable, CurrentOrganization>
  /** Records that the job is hopeless, and takes it out of the queue. */
  readonly refuse: (job: J, reason: Reason) => Effect.Effect<void, Unavailable, CurrentOrganization>
}

/** All that one kind of job has of its own. */
export interface JobKind<J extends Job, A, E, Reason> {
  /** What the log calls the work: "… waits", "… was cut off", "… failed". */
  readonly name: string
  /** By what the log tells one job from another. */
  readonly labels: (job: J) => Readonly<Record<string, string>>
  readonly queue: JobQueue<J>
  /** Jobs that this process works on at once. */
  readonly concurrency: number
  /** How long a job stays with a worker that shows no sign of life. It is renewed three times as often. */
  readonly lease: Duration.Duration
  /** How often an idle process looks for jobs that it was not told of: another's, and those that have fallen due. */
  readonly pollInterval: Duration.Duration
  /** Begins an attempt. `showSoon` has the lease renewed at the next opportunity, because there is something to show. */
  readonly attempt: (job: J, showSoon: () => void) => Attempt<A, E>
  readonly judge: (error: E) => Verdict<Reason>
  /** The wait after so many failed attempts. */
  readonly backOff: (attempts: number) => Duration.Duration
  /** Absent: a job is tried until it succeeds. */
  readonly givingUp?: GivingUp<J, Reason>
  /** Whatever one job waits for, all wait for: the worker rests as well. */
  readonly waitsForAll?: boolean
  /** Drops what an attempt that has lost its lease may have left. */
  readonly abandon?: (job: J) => Effect.Effect<void, Unavailable, CurrentOrganization>
  /** An attempt has ended, however it did. */
  readonly ended?: (job: J) => Effect.Effect<unknown>
}

export interface Worker {
  /** Something was queued: look at once. */
  readonly nudge: Effect.Effect<void>
  /**
   * Works until it is interrupted. What is under way then is given back, to be gone on with at once by another process,
   * or by the next start.
   */
  readonly run: Effect.Effect<never>
}

/** Works on one kind of job. Several processes share a queue. */
export const makeWorker = Effect.fnUntraced(function* <J extends Job, A, E, Reason>(
  kind: JobKind<J, A, E, Reason>,
): Effect.fn.Return<Worker, never, DatabaseTraits | SecureRandom.SecureRandom> {
  const { givingUp, lease, name, queue } = kind
  const random = yield* SecureRandom.SecureRandom
  const { isAlone } = yield* DatabaseTraits
  const bell = yield* Latch.make(false)
  /** One idle worker looks for all. */
  const door = yield* Semaphore.make(1)

  const heartbeat = Duration.divideUnsafe(lease, 3)
  const showInterval = Duration.min(SHOW_INTERVAL, heartbeat)
  const silence = Duration.subtract(heartbeat, showInterval)

  /** Ends when the lease is lost. */
  const keepLease = (renew: Attempt<A, E>["renew"], news: Latch.Latch) =>
    Effect.timeoutOption(news.await, silence).pipe(
      Effect.andThen(news.close),
      Effect.andThen(renew),
      Effect.delay(showInterval),
      Effect.repeat({ while: (isHeld) => isHeld }),
      Effect.andThen(Effect.fail(new LeaseLost())),
    )

  const abandon = (job: J) => Effect.ignore(kind.abandon?.(job) ?? Effect.void)

  const putBack = (job: J, delay: Duration.Duration, detail: string) =>
    Effect.andThen(Effect.logWarning(`${name} waits`, { detail }), queue.release(job, delay, false))

  /** It need not be the job's doing: again, much later, and not for ever. */
  const giveUp = ({ giveUp, retries, retryDelay }: GivingUp<J, Reason>, job: J, reason: Reason) =>
    giveUp(job, reason, job.given_up < retries ? Duration.times(retryDelay, 2 ** job.given_up) : undefined)

  const tryAgain = (job: J, cause: Cause.Cause<unknown>, reason: Reason | undefined) => {
    const attempts = job.attempts + 1
    const isLast = givingUp !== undefined && reason !== undefined && attempts >= givingUp.attempts
    return Effect.logWarning(`${name} was cut off`, cause).pipe(
      Effect.annotateLogs({ attempt: attempts }),
      Effect.andThen(isLast ? giveUp(givingUp, job, reason) : queue.release(job, kind.backOff(job.attempts), true)),
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
        return givingUp === undefined ? abandon(job) : givingUp.refuse(job, verdict.reason)
    }
  }

  const attempt = Effect.fnUntraced(function* (job: J) {
    if (givingUp !== undefined && job.lapses >= givingUp.lapses) {
      return yield* giveUp(givingUp, job, givingUp.ofLapses(job))
    }
    const news = yield* Latch.make(false)
    const { finish, renew, work } = kind.attempt(job, () => news.openUnsafe())
    const result = yield* Effect.raceFirst(work, keepLease(renew, news))
    if (!(yield* finish(result))) return yield* new LeaseLost()
  })

  /** One attempt, and what becomes of the job. */
  const handle = (job: J) =>
    Effect.catchCause(attempt(job), (cause) => {
      const error = Cause.findError(cause)
      if (Result.isSuccess(error)) return settle(job, error.success)
      return Cause.hasInterruptsOnly(cause) ? Effect.failCause(error.failure) : tryAgain(job, cause, givingUp?.ofDefect)
    })

  /** A fault of the queue ends no worker: nobody would miss it, and it would never come back. */
  const survive = <B, R>(work: Effect.Effect<B, Unavailable, R>) =>
    work.pipe(
      Effect.catchTag("Unavailable", ({ retry_after_seconds }) =>
        Effect.as(Effect.sleep(Duration.seconds(retry_after_seconds)), undefined),
      ),
      Effect.catchDefect((defect) =>
        Effect.andThen(Effect.logError(`${name} failed`, defect), Effect.as(Effect.sleep(FAULT_PAUSE), undefined)),
      ),
    )

  /** The process stops: another, or the next start, goes on at once. */
  const giveBack = (job: J) =>
    Effect.provideService(
      Effect.ignore(queue.release(job, Duration.zero, false)),
      CurrentOrganization,
      job.organization_id,
    )

  /** The database may have leased a job already when a claim is interrupted. */
  const claim = Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const claiming = yield* Effect.forkDetach(queue.claim({ id: yield* random.uuidV4(), duration: lease }))
      const answer = Effect.timeoutOption(Fiber.join(claiming), CLAIM_PATIENCE)
      const giveBackUnseen = Effect.flatMap(answer, (job) =>
        Option.isSome(job) && job.value !== undefined ? giveBack(job.value) : Fiber.interrupt(claiming),
      )
      return yield* Effect.onInterrupt(restore(Fiber.join(claiming)), () => Effect.ignore(giveBackUnseen))
    }),
  )

  const look = survive(
    Effect.gen(function* () {
      yield* bell.close
      const job = yield* claim
      if (job === undefined) yield* Effect.timeoutOption(bell.await, kind.pollInterval)
      return job
    }),
  )

  const next = look.pipe(Effect.repeat({ until: (job) => job !== undefined }), Semaphore.withPermit(door))

  const work = Effect.flatMap(next, (job) =>
    survive(Effect.asVoid(handle(job))).pipe(
      Effect.onInterrupt(() => giveBack(job)),
      Effect.ensuring(kind.ended?.(job) ?? Effect.void),
      Effect.provideService(CurrentOrganization, job.organization_id),
      Effect.annotateLogs(kind.labels(job)),
    ),
  )

  return {
    nudge: Effect.asVoid(bell.open),
    // No other process works on this database, so what is leased at the start was left by one that is gone.
    run: (isAlone ? persistently(`${name} waits`, queue.releaseAll) : Effect.void).pipe(
      Effect.andThen(
        Effect.all(
          Array.makeBy(kind.concurrency, () => Effect.forever(work)),
          { concurrency: "unbounded", discard: true },
        ),
      ),
      Effect.andThen(Effect.never),
      withoutTimeLimit,
    ),
  }
})
