import { createHmac } from "node:crypto"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import { Aead, Kdf, SecureRandom } from "effect/crypto"
import { Caller } from "../domain/Caller.ts"
import { Conflict, IdempotencyInProgress, IdempotencyKeyReused, type Unavailable } from "../domain/Errors.ts"
import type { SessionId } from "../domain/Ids.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import {
  answeredElsewhere,
  type Attempt,
  type ClaimOutcome,
  type CommitClient,
  IdempotencyKeys,
} from "../storage/IdempotencyKeys.ts"
import { regularly } from "../system/Background.ts"
import { unguessableUuid } from "../system/UnguessableId.ts"
import { DatabaseTraits } from "../system/DatabaseTraits.ts"

/** Bounds of what is kept for requests with an idempotency key. */
export const IdempotencyBounds = Context.Reference("parley/services/IdempotencyBounds", {
  defaultValue: () => ({
    /** Time for which an answer is kept: as that of others who offer such keys, which their clients are written for. */
    retention: Duration.hours(24),
    /**
     * Time for which a key stays taken when the server that ran its request hangs or cannot be reached. That of a server
     * that has ended is free within some seconds.
     */
    lease: Duration.seconds(30),
    /** Most bytes of one answer that is kept. */
    answerLimit: 4 * 1024 * 1024,
    /** Most bytes of all answers of an organization; the oldest ones are deleted beyond it. */
    storedLimit: 1024 ** 3,
  }),
})

/** The answer to a request, as it is kept and replayed. */
export interface Answer {
  readonly status: number
  /** The headers that belong to the answer rather than to one transmission of it. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The conversation that the answer is from, with which it is deleted. */
  readonly session?: SessionId | undefined
}

export interface KeyedRequest {
  readonly idempotencyKey: string
  /** The secret of the caller's API key. */
  readonly credential: Redacted.Redacted
  /** Parts of the request. Two requests are the same when all of their parts are equal. */
  readonly parts: ReadonlyArray<string | Uint8Array>
}

const inProgress = new IdempotencyInProgress({
  detail: "The first request with this Idempotency-Key is still running.",
  retry_after_seconds: 1,
})
const keyReuse = new IdempotencyKeyReused({ detail: "This Idempotency-Key was sent with another request before." })
const notKept = (status: number) =>
  new Conflict({
    detail: `The first request with this Idempotency-Key was answered with ${status}. Its answer is kept no longer: it was too large, or its conversation was deleted.`,
  })

const SWEEP_INTERVAL = Duration.minutes(5)
/** A lease is renewed this many times before it would lapse. */
const RENEWALS_PER_LEASE = 3

const ALGORITHM = Aead.aes256Gcm
const DERIVATION_CONTEXT = new TextEncoder().encode("parley: idempotency key")
const DERIVED_BYTES = 32

/**
 * Runs requests with an idempotency key once, and keeps their answers for those who send them again. A key belongs to
 * one API key, because another one of the same organization may not be allowed to see the answer.
 *
 * An answer is encrypted with a key that is derived from the API key and the idempotency key, neither of which is
 * stored. So a reader of the database alone learns neither what the answer says nor what the request was.
 */
export class Idempotency extends Context.Service<Idempotency>()("parley/services/Idempotency", {
  make: Effect.gen(function* () {
    const bounds = yield* IdempotencyBounds
    const storage = yield* IdempotencyKeys
    const aead = yield* Aead.Aead
    const kdf = yield* Kdf.Kdf
    const random = yield* SecureRandom.SecureRandom
    const running = new Set<Attempt>()

    if ((yield* DatabaseTraits).isAlone) yield* storage.releaseAll
    const renewal = Effect.suspend(() =>
      running.size === 0 ? Effect.void : storage.renew(Array.from(running), bounds.lease),
    )
    const renewEvery = Duration.millis(Duration.toMillis(bounds.lease) / RENEWALS_PER_LEASE)
    yield* Effect.forkScoped(regularly(renewEvery, "The leases of idempotency keys could not be renewed", renewal))
    yield* Effect.forkScoped(
      regularly(
        SWEEP_INTERVAL,
        "Expired idempotency keys could not be deleted",
        Effect.andThen(storage.sweep, storage.trim(bounds.storedLimit)),
      ),
    )

    /** Derives the name of the key's row, the key of its answer, and the key of its fingerprint. */
    const derive = Effect.fnUntraced(function* ({ credential, idempotencyKey }: KeyedRequest) {
      const secret = Buffer.from(Redacted.value(credential))
      const salt = Buffer.from(idempotencyKey)
      const options = { salt, info: DERIVATION_CONTEXT, length: 3 * DERIVED_BYTES }
      const bytes = yield* kdf.derive(Kdf.hkdfSha256, secret, options)
      const part = (index: number) => bytes.subarray(index * DERIVED_BYTES, (index + 1) * DERIVED_BYTES)
      return { name: part(0), seal: yield* Aead.key(ALGORITHM, part(1)), fingerprint: part(2) }
    }, Effect.orDie)

    const seal = Effect.fnUntraced(function* (
      key: Aead.Key<typeof ALGORITHM>,
      attempt: Attempt,
      { body, headers }: Answer,
    ) {
      if (body.length > bounds.answerLimit) return null
      const nonce = yield* random.randomBytes(ALGORITHM.nonceLength)
      // JSON has no line feed of its own.
      const text = Buffer.concat([Buffer.from(`${JSON.stringify(headers)}\n`), body])
      return Buffer.concat([nonce, yield* Effect.orDie(aead.encrypt(key, text, { nonce, aad: attempt.name }))])
    })

    const open = Effect.fnUntraced(function* (
      key: Aead.Key<typeof ALGORITHM>,
      name: Uint8Array,
      sealed: Uint8Array,
      status: number,
    ) {
      const nonce = sealed.subarray(0, ALGORITHM.nonceLength)
      const text = yield* Effect.orDie(aead.decrypt(key, sealed.subarray(ALGORITHM.nonceLength), { nonce, aad: name }))
      const end = text.indexOf(10)
      const headers: Record<string, string> = JSON.parse(Buffer.from(text.subarray(0, end)).toString())
      return { status, headers, body: text.subarray(end + 1) } satisfies Answer
    })

    /** Makes the right to run a request whose key nobody else uses meanwhile. It has to be ended in one of the ways. */
    const makeClaim = (attempt: Attempt, key: Aead.Key<typeof ALGORITHM>, operation: string, isResumed: boolean) => {
      running.add(attempt)
      const ended = Effect.sync(() => running.delete(attempt))

      const complete = (client: CommitClient, answer: Answer) =>
        Effect.flatMap(seal(key, attempt, answer), (sealed) =>
          storage.complete(client, attempt, { status: answer.status, answer: sealed, session: answer.session }),
        ).pipe(Effect.provideService(CurrentOrganization, attempt.organization))

      /** Ends the claim. If that fails, its lease lapses. */
      const end = (how: Effect.Effect<void, Unavailable, CurrentOrganization>) =>
        Effect.ensuring(Effect.ignore(how), ended).pipe(
          Effect.provideService(CurrentOrganization, attempt.organization),
        )

      return {
        /** A UUID v7 that is the same for every attempt at the operation, for the ids of what it makes. */
        operation,
        /** Whether an earlier attempt was cut off, and may have done a part of the work. */
        isResumed,

        /**
         * Runs the operation in one transaction of a client, together with the statement that keeps its answer. So
         * either both are committed or neither. `answerOf` returns the answer of a result. The claim goes on if the
         * operation fails.
         */
        commit: <A, E, R>(
          client: CommitClient,
          work: Effect.Effect<A, E, R>,
          answerOf: (result: A) => Answer,
        ): Effect.Effect<A, E | IdempotencyInProgress | Unavailable, R> =>
          Effect.tap(work, (result) =>
            // Without its lease the attempt may change nothing: another one has the key.
            Effect.flatMap(complete(client, answerOf(result)), (isKept) => (isKept ? Effect.void : inProgress)),
          ).pipe(
            storage.commit(client),
            Effect.tap(() => ended),
          ),

        /**
         * Keeps the answer of an operation that has ended. If it cannot be kept, the request may be sent again later. Fails
         * when another attempt has taken the key meanwhile: its answer is the one that counts.
         */
        keep: (answer: Answer) =>
          complete("tenant", answer).pipe(
            Effect.orElseSucceed(() => true),
            Effect.flatMap((isKept) => (isKept ? Effect.void : answeredElsewhere)),
            Effect.ensuring(ended),
          ),

        /** Lets the same request be sent again, after an operation that was cut off. */
        release: end(storage.release(attempt)),

        /** Lets any request use the key, after an operation that has changed nothing. */
        forget: end(storage.forget(attempt)),
      }
    }

    /** The answer of an earlier request with the same key. */
    const earlier = Effect.fnUntraced(function* (
      outcome: ClaimOutcome | undefined,
      keys: Effect.Success<ReturnType<typeof derive>>,
    ) {
      if (outcome === undefined) return yield* inProgress
      const { answer, is_same, status } = outcome
      if (!is_same) return yield* keyReuse
      if (status === null) return yield* inProgress
      if (answer === null) return yield* notKept(status)
      return yield* open(keys.seal, keys.name, answer, status)
    })

    const begin = Effect.fn("Idempotency.begin")(function* (request: KeyedRequest) {
      const { apiKeyId } = yield* Caller
      const organization = yield* CurrentOrganization
      const keys = yield* derive(request)
      const attempt = {
        organization,
        apiKey: apiKeyId,
        name: keys.name,
        lease: storage.leaseOf(yield* random.uuidV4()),
      }
      // The id of a chat's session, whose name nobody may guess.
      const operation = yield* unguessableUuid(random)
      // Nothing may come between a claim and its registration, after which the caller ends it.
      return yield* Effect.uninterruptibleMask(
        Effect.fnUntraced(function* (restore) {
          const outcome = yield* storage.claim({
            ...attempt,
            operation,
            fingerprint: fingerprintOf(keys.fingerprint, request.parts),
            duration: bounds.lease,
            retention: bounds.retention,
          })
          if (outcome?.is_claimed !== true) return { answer: yield* restore(earlier(outcome, keys)), claim: undefined }
          const isResumed = outcome.operation_id !== operation
          return { answer: undefined, claim: makeClaim(attempt, keys.seal, outcome.operation_id, isResumed) }
        }),
      )
    })

    return {
      /**
       * Begins a request: it runs with a claim, or an earlier answer is sent again. Fails with `IdempotencyKeyReused` if
       * another request had the key, with `IdempotencyInProgress` while the same one is running, and with `Conflict` if
       * its answer is kept no longer.
       */
      begin,
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make).pipe(Layer.provide([Aead.layerWebCrypto, Kdf.layerWebCrypto]))
}

/** The claim of a request that runs. */
export type Claim = NonNullable<Effect.Success<ReturnType<Idempotency["Service"]["begin"]>>["claim"]>

/** A keyed digest of all parts. The length of each stands before it, so that no two lists have the same bytes. */
const fingerprintOf = (key: Uint8Array, parts: ReadonlyArray<string | Uint8Array>): Uint8Array => {
  const digest = createHmac("sha256", key)
  for (const part of parts) {
    const bytes = typeof part === "string" ? Buffer.from(part) : part
    digest.update(`${bytes.length}:`).update(bytes)
  }
  return digest.digest()
}
