import { Effect, Stream } from "effect"
import { Unavailable } from "../../domain/Errors.ts"
import { type ChunkPack, joinPack } from "../../storage/search/ChunkPacks.ts"
import type { BuildReply, BuildRequest } from "./BuildMain.ts"
import type { SegmentOwner } from "./SegmentFile.ts"

const SCRIPT = new URL("./BuildMain.ts", import.meta.url)

const failed = new Unavailable({ detail: "A search index could not be built.", retry_after_seconds: 1 })

/**
 * Starts a thread, and returns a function that sends it a message and waits for the reply. The thread ends with the
 * scope, which frees its memory.
 */
const startThread = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => new Worker(SCRIPT)),
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
 * Builds a segment on another thread, and writes it to the path.
 *
 * @returns the bytes of the segment where no path is given, or where the file could not be written
 */
export const buildSegment = Effect.fnUntraced(function* <E, R>(
  packs: Stream.Stream<ChunkPack, E, R>,
  owner: SegmentOwner,
  path: string | undefined,
) {
  const request = yield* startThread
  yield* Stream.runForEach(packs, (pack) => request(joinPack(pack).buffer))
  const reply = yield* request({ owner, path })
  if (reply.kind !== "built") return undefined
  if (reply.cause !== undefined) {
    yield* Effect.logWarning("A search index could not be stored", { path, cause: reply.cause })
  }
  return reply.bytes
}, Effect.scoped)
