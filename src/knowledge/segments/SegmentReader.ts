import { statfs } from "node:fs/promises"
import { Effect, FileSystem, Stream } from "effect"
import { uuidText } from "../../storage/search/ChunkPacks.ts"
import { CHUNK_ID_BYTES } from "./Segment.ts"
import { documentIdsIn, HASHED_AT_ONCE, HASHED_FROM, hashIn, SegmentHash } from "./SegmentFile.ts"

/** More than the description of any file takes. */
const HEAD_BYTES = 4_096

/**
 * The file systems, by Linux's numbers, on which a file that another machine removes also disappears for the processes
 * that have mapped it, which kills them: NFS, SMB, CIFS, FUSE, 9P and Ceph. There, files are read and not mapped.
 */
const SHARED_FILE_SYSTEMS = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x00c36400])

/** Makes functions that read files of segments below a directory, each by its path. */
export const makeSegmentReader = Effect.fnUntraced(function* (root: string | undefined) {
  const files = yield* FileSystem.FileSystem
  const canMap = yield* Effect.tryPromise(() => statfs(root ?? ".")).pipe(
    Effect.map(({ type }) => !SHARED_FILE_SYSTEMS.has(type)),
    Effect.orElseSucceed(() => false),
  )

  const part = (path: string, offset: number, bytesToRead: number) =>
    Effect.map(Stream.runCollect(files.stream(path, { offset, bytesToRead })), (parts) => Buffer.concat(parts))

  return {
    /** The content of a file: mapped into memory where the file system allows it, else read. */
    bytesOf: (path: string): Effect.Effect<Uint8Array, unknown> =>
      canMap ? Effect.try(() => Bun.mmap(path)) : files.readFile(path),

    /**
     * Whether the hash of a file matches its content. Reading all of it also brings the file into the system's page
     * cache: a page that is missing there would block the event loop when it is first used.
     */
    isIntact: Effect.fnUntraced(function* (path: string) {
      const file = yield* files.open(path)
      const hash = new SegmentHash()
      const buffer = new Uint8Array(HASHED_AT_ONCE)
      const head = buffer.slice(0, HASHED_FROM)
      yield* file.read(head)
      for (let filled = 0; ;) {
        const read = Number(yield* file.read(buffer.subarray(filled)))
        filled += read
        if (read > 0 && filled < buffer.length) continue
        if (filled > 0) hash.add(buffer.subarray(0, filled))
        if (read === 0) return hash.value === hashIn(head)
        filled = 0
      }
    }, Effect.scoped),

    /** The ids of the documents in a file. They are read without mapping it, since there may be many files. */
    documentIds: Effect.fnUntraced(function* (path: string) {
      const place = documentIdsIn(yield* part(path, 0, HEAD_BYTES))
      const ids = place === undefined ? Buffer.alloc(0) : yield* part(path, place.offset, place.bytes)
      return Array.from({ length: ids.length / CHUNK_ID_BYTES }, (_, number) => uuidText(ids, CHUNK_ID_BYTES * number))
    }),
  }
})
