import { Effect, Stream } from "effect"
import { Unavailable } from "../../domain/Errors.ts"
import { type ChunkPack, joinPack } from "../../storage/search/ChunkPacks.ts"
import type { BuildReply, BuildRequest } from "./BuildMain.ts"
import type { SegmentOwner } from "./SegmentFile.ts"

const script = new URL("./BuildMain.ts", import.meta.url)

const failed = new Unavailable({ detail: "A search index could not be built.", retry_after_seconds: 1 })

/** A thread of its own, which ends with the scope and gives its memory back. */
const startThread = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => new Worker(script)),
    (worker) => Effect.sync(() => worker.terminate()),
  ),
  (worker) => (request: BuildRequest) =>
    Effect.callback<BuildReply, Unavailable>((resume) => {
      worker.onmessage = ({ data }: MessageEvent<BuildReply>) => resume(Effect.succeed(data))
      worker.onerror = ({ message }) =>
        resume(Effect.andThen(Effect.logError("Building a search index failed", message), Effect.fail(failed)))
      worker.postMessage(request, request instanceof ArrayBuffer ? [request] : [])
    }),
)

/**
 * Builds a segment away from the main thread, and writes it to the path.
 *
 * @returns the segment's bytes when there is no path, or when nothing could be written there
 */
export const buildSegment = <E, R>(
  packs: Stream.Stream<ChunkPack, E, R>,
  owner: SegmentOwner,
  path: string | undefined,
): Effect.Effect<Uint8Array | undefined, E | Unavailable, R> =>
  Effect.scoped(
    Effect.gen(function* () {
      const ask = yield* startThread
      yield* Stream.runForEach(packs, (pack) => ask(joinPack(pack).buffer))
      const reply = yield* ask({ owner, path })
      if (reply.kind !== "made") return undefined
      if (reply.cause !== undefined) {
        yield* Effect.logWarning("A search index could not be stored", { path, cause: reply.cause })
      }
      return reply.bytes
    }),
  )
