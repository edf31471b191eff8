import { Array, Cause, Duration, Effect, Fiber, Latch, Option, Result, Schema, Semaphore } from "effect"
import { SecureRandom } from "effect/crypto"
import { Unavailable } from "../domain/Errors.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import type { Job, Lease } from "../storage/sql/LeaseQueue.ts"
import { withoutTimeLimit } from "../storage/sql/TimeLimit.ts"
import { persistently } from "../system/Background.ts"
import { DatabaseTraits } from "../system/DatabaseTraits.ts"

/** The shortest time between two renewals of a lease. An attempt that is over sooner shows nothing of its progress. */
const SHOW_INTERVAL = Duration.millis(250)
/** How long a process that stops waits for the answer to a claim, to give back what it got. */
const CLAIM_PATIENCE = Duration.seconds(1)
/** The wait after a defect in the queue itself. */
const FAULT_PAUSE = Duration.seconds(1)

/** Another worker has the job by now, or the job is gone. */
export class LeaseLost extends Schema.TaggedError<LeaseLost>()("LeaseLost", {}) {}

/** The repository of a queue, as far as a worker needs it. */
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

/** How long a job is tried, and what is recorded when it is given up. */
export interface GivingUp<J extends Job, Reason> {
  /** Attempts that may fail by what the job is. */
  readonly attempts: number
  /** Attempts that may end with their process. The job may be what ends it. */
  readonly lapses: number
  /** The wait after which a job that was given up is tried anew, doubled each time that it is given up again. */
  readonly retryDelay: Duration.Duration
  /** How often a job that was given up is tried anew. */
  readonly retries: number
  /** The reason recorded after too many lapses. */
  readonly ofLapses: (job: J) => Reason
  /** The reason recorded after defects, whose cause only the log has. */
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

/** Describes one kind of job to the worker that serves its queue. */
export interface JobKind<J extends Job, A, E, Reason> {
  /** What the log calls the work: "… waits", "… was cut off", "… failed". */
  readonly name: string
  /** Annotations by which the log tells one job from another. */
  readonly labels: (job: J) => Readonly<Record<string, string>>
  readonly queue: JobQueue<J>
  /** Jobs that this process works on at once. */
  readonly concurrency: number
  /** How long a job stays with a worker that shows no sign of life. A lease is renewed after a third of it. */
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
  /** Whatever is unavailable to one job is unavailable to all: the worker waits, too, before it claims the next. */
  readonly waitsForAll?: boolean
  /** Drops what an attempt that has lost its lease may have left. */
  readonly abandon?: (job: J) => Effect.Effect<void, Unavailable, CurrentOrganization>
  /** An attempt has ended, however it did. */
  readonly ended?: (job: J) => Effect.Effect<unknown>
}

export interface Worker {
  /** Has an idle worker look for jobs at once, because one was queued. */
  readonly nudge: Effect.Effect<void>
  /** Works until it is interrupted. Jobs that are under way then are given back, for others to claim at once. */
  readonly run: Effect.Effect<never>
}

/** Makes the worker of one kind of job. Several processes may run one each over the same queue. */
export const makeWorker = Effect.fnUntraced(function* <J extends Job, A, E, Reason>(
  kind: JobKind<J, A, E, Reason>,
): Effect.fn.Return<Worker, never, DatabaseTraits | SecureRandom.SecureRandom> {
  const { givingUp, lease, name, queue } = kind
  const random = yield* SecureRandom.SecureRandom
  const { isAlone } = yield* DatabaseTraits
  const bell = yield* Latch.make(false)
  /** Of workers that are idle, one looks for jobs; the others wait at the door. */
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

  /** The job need not be to blame, so it is tried anew, much later, though not for ever. */
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

  /** Keeps a worker alive through a fault of the queue: it would end silently, and never come back. */
  const survive = <B, R>(work: Effect.Effect<B, Unavailable, R>) =>
    work.pipe(
      Effect.catchTag("Unavailable", ({ retry_after_seconds }) =>
        Effect.as(Effect.sleep(Duration.seconds(retry_after_seconds)), undefined),
      ),
      Effect.catchDefect((defect) =>
        Effect.andThen(Effect.logError(`${name} failed`, defect), Effect.as(Effect.sleep(FAULT_PAUSE), undefined)),
      ),
    )

  /** For a process that stops: another one may claim the job at once. */
  const giveBack = (job: J) =>
    Effect.provideService(
      Effect.ignore(queue.release(job, Duration.zero, false)),
      CurrentOrganization,
      job.organization_id,
    )

  /** Claims a job. When that is interrupted, the database may have leased one already: then it is given back. */
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
