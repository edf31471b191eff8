import { Duration, Effect, Exit, Fiber, Scope } from "effect"
import { BlobStore } from "../../blobs/BlobStore.ts"
import { Unavailable } from "../../domain/Errors.ts"
import { Service } from "../../domain/Service.ts"
import { Inspection } from "../../storage/inspection/Inspection.ts"

/** Longest wait for the database, so that a health check is answered within a second. */
const PING_TIMEOUT = Duration.millis(700)

/** Time for which it is remembered whether vectors are missing, which takes a statement of its own. */
const VECTORS_REMEMBERED = Duration.seconds(10)

const tooSlow = new Unavailable({ detail: "The database does not answer.", retry_after_seconds: 2 })

/** The state of a process that can do its work. */
export interface Readiness {
  /** Whether documents wait for vectors, because the embedding model changed or does not answer. */
  readonly areVectorsMissing: boolean
  /** Whether the database can only be read. */
  readonly isReadOnly: boolean
}

/** Checks whether this process can do its work, which takes a database that answers. */
export class Health extends Service<Health>()("parley/services/system/Health", function* () {
  const inspection = yield* Inspection
  const { ready } = yield* BlobStore
  const scope = yield* Scope.Scope
  const areVectorsMissing = yield* Effect.cachedWithTTL(inspection.areVectorsMissing, (exit) =>
    // A failure holds no longer than what has caused it.
    Exit.isSuccess(exit) ? VECTORS_REMEMBERED : Duration.zero,
  )
  const look: Effect.Effect<Readiness, Unavailable> = Effect.flatMap(inspection.isReadOnly, (isReadOnly) =>
    Effect.map(areVectorsMissing, (missing) => ({ areVectorsMissing: missing, isReadOnly })),
  )
  let pinging: Fiber.Fiber<Readiness, Unavailable> | undefined
  // Interrupting a ping takes as long as the database does. So no check interrupts it, and concurrent checks share
  // one.
  const sharedPing = Effect.suspend(() =>
    pinging === undefined
      ? Effect.map(Effect.forkIn(look, scope), (fiber) => {
          pinging = fiber
          fiber.addObserver(() => void (pinging = undefined))
          return fiber
        })
      : Effect.succeed(pinging),
  )

  return {
    /** Fails while the store of files is known to be out of reach. It sends nothing to the store. */
    files: ready,

    check: Effect.timeoutOrElse(Effect.flatMap(sharedPing, Fiber.join), {
      duration: PING_TIMEOUT,
      orElse: () => Effect.fail(tooSlow),
    }),
  }
}) {}
