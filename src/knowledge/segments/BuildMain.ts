/*
 * The thread that builds one segment. It receives packs of chunks, one in each message, and at last the request to
 * finish; it replies to each message before the next is sent. It is a plain script without Effect, database or settings.
 */
import { setPriority } from "node:os"
import { unpack } from "../../storage/search/ChunkPacks.ts"
import { priorityBelow } from "../../system/Priority.ts"
import type { Segment } from "./Segment.ts"
import { SegmentBuilder } from "./SegmentBuilder.ts"

/** A message to the thread: a pack of chunks, or the request to finish. */
export type BuildRequest = ArrayBuffer | "finish"

/** A reply of the thread: the segment, after the request to finish. */
export type BuildReply = Segment | "added"

/** An argument of the thread: requests come before it. */
export type BuildArgument = "behind-requests"

/** Steps of priority below the server. On Linux each thread has a priority of its own. */
const STEPS_BELOW = 5

declare const self: Worker

const isBehindRequests = process.argv.includes("behind-requests" satisfies BuildArgument)
if (isBehindRequests && process.platform === "linux") setPriority(0, priorityBelow(STEPS_BELOW))
const builder = new SegmentBuilder()
self.onmessage = ({ data }: MessageEvent<BuildRequest>) => {
  if (data instanceof ArrayBuffer) {
    for (const chunk of unpack([new Uint8Array(data)])) builder.add(chunk)
    return self.postMessage("added" satisfies BuildReply)
  }
  const segment: BuildReply = builder.build()
  const arrays: ReadonlyArray<unknown> = Object.values(segment)
  self.postMessage(
    segment,
    arrays.flatMap((array) => (ArrayBuffer.isView(array) && array.buffer instanceof ArrayBuffer ? array.buffer : [])),
  )
}
