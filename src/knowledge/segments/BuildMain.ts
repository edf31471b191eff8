/*
 * The thread that builds a segment: it takes packs of chunks, one message each, and at last where the segment belongs. It
 * answers each before the next is sent. A plain script: it knows nothing of Effect, of the database or of the settings.
 */
import { renameSync, rmSync, writeFileSync } from "node:fs"
import { setPriority } from "node:os"
import { unpack } from "../../storage/search/ChunkPacks.ts"
import { SegmentBuilder } from "./SegmentBuilder.ts"
import { encodeSegment, type SegmentOwner } from "./SegmentFile.ts"

/** What the thread is told. Without a path the segment is not written. */
export type BuildRequest = ArrayBuffer | { readonly owner: SegmentOwner; readonly path: string | undefined }

/** The segment itself where it could not be written, and why. */
export type BuildReply =
  | { readonly kind: "added" }
  | { readonly kind: "written" }
  | { readonly kind: "made"; readonly bytes: Uint8Array<ArrayBuffer>; readonly cause: string | undefined }

/** Those who wait for an answer of the server come first. On Linux a thread has a priority of its own. */
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
  if (path === undefined) return { kind: "made", bytes, cause: undefined }
  try {
    write(path, bytes)
    return { kind: "written" }
  } catch (cause) {
    return { kind: "made", bytes, cause: String(cause) }
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
  self.postMessage(reply, reply.kind === "made" ? [reply.bytes.buffer] : [])
}
