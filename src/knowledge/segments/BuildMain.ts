/*
 * The thread that builds one segment. It receives packs of chunks, one in each message, and at last the segment's owner
 * and path; it replies to each message before the next is sent. It is a plain script without Effect, database or
 * settings.
 */
import { renameSync, rmSync, writeFileSync } from "node:fs"
import { setPriority } from "node:os"
import { unpack } from "../../storage/search/ChunkPacks.ts"
import { SegmentBuilder } from "./SegmentBuilder.ts"
import { encodeSegment, type SegmentOwner } from "./SegmentFile.ts"

/** A message to the thread: a pack of chunks, or the request to finish. Without a path, no file is written. */
export type BuildRequest = ArrayBuffer | { readonly owner: SegmentOwner; readonly path: string | undefined }

/** A reply of the thread. `built` carries the segment where no file was written, and the error if that failed. */
export type BuildReply =
  | { readonly kind: "added" }
  | { readonly kind: "written" }
  | { readonly kind: "built"; readonly bytes: Uint8Array<ArrayBuffer>; readonly cause: string | undefined }

/** A low scheduling priority, so that requests come first. On Linux each thread has a priority of its own. */
const NICE = 5

const write = (path: string, bytes: Uint8Array): void => {
  const draft = `${path}.draft`
  try {
    writeFileSync(draft, bytes, { mode: 0o600, flag: "wx", flush: true })
    renameSync(draft, path)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw cause
  }
}

const finish = (builder: SegmentBuilder, owner: SegmentOwner, path: string | undefined): BuildReply => {
  const bytes = encodeSegment(builder.build(), owner)
  if (path === undefined) return { kind: "built", bytes, cause: undefined }
  try {
    write(path, bytes)
    return { kind: "written" }
  } catch (cause) {
    return { kind: "built", bytes, cause: String(cause) }
  }
}

declare const self: Worker

if (process.platform === "linux") setPriority(0, NICE)
const builder = new SegmentBuilder()
self.onmessage = ({ data }: MessageEvent<BuildRequest>) => {
  if (data instanceof ArrayBuffer) {
    for (const chunk of unpack([new Uint8Array(data)])) builder.add(chunk)
    return self.postMessage({ kind: "added" } satisfies BuildReply)
  }
  const reply = finish(builder, data.owner, data.path)
  self.postMessage(reply, reply.kind === "built" ? [reply.bytes.buffer] : [])
}
