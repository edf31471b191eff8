import type { Readable } from "node:stream"
import { Effect, Schema, Stream } from "effect"
import { type Entry, openPromise } from "yauzl"
import { InvalidRequest } from "../../domain/Errors.ts"
import { ArchivedItem, ArchiveHead, CONTENTS_FILE } from "../../domain/knowledge/Archive.ts"

const ENTRIES_MAX = 200_000
const CONTENTS_MAX_BYTES = 256 * 1024 * 1024
/** The longest line of it, which the longest text of a source fits into, with every character escaped. */
const LINE_MAX_LENGTH = 2_000_000

const wrong = (message: string) => InvalidRequest.at("file", message)
const damaged = () => wrong("Expected an archive that is not damaged")
const decodeHead = Schema.decodeUnknownEffect(Schema.fromJsonString(ArchiveHead))
const decodeItem = Schema.decodeUnknownEffect(Schema.fromJsonString(ArchivedItem))

/**
 * Opens an archive on the server's disk until the scope closes. Its files are read one at a time, and none is unpacked
 * to more bytes than the archive's directory says.
 */
export const openArchive = Effect.fnUntraced(function* (path: string) {
  const zip = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => openPromise(path, { autoClose: false, lazyEntries: true, strictFileNames: true }),
      catch: () => wrong("Expected a zip archive"),
    }),
    (open) => Effect.sync(() => open.close()),
  )
  if (zip.entryCount > ENTRIES_MAX) return yield* wrong(`Expected at most ${ENTRIES_MAX} files in the archive`)
  const entries = new Map<string, Entry>()
  yield* Stream.runForEach(Stream.fromAsyncIterable(zip.eachEntry(), damaged), (entry) =>
    Effect.sync(() => entries.set(entry.fileName, entry)),
  )
  const packed = entries.values().reduce((sum, { compressedSize }) => sum + compressedSize, 0)
  if (packed > zip.fileSize) return yield* wrong("Expected an archive whose files do not share their bytes")
  const bytesOf = (name: string) => entries.get(name)?.uncompressedSize

  const read = (name: string): Stream.Stream<Uint8Array, InvalidRequest> =>
    Stream.unwrap(
      Effect.gen(function* () {
        const entry = entries.get(name)
        if (entry === undefined) return yield* wrong(`Expected a file ${name} in the archive`)
        const opened: Readable = yield* Effect.tryPromise({
          try: () => zip.openReadStreamPromise(entry),
          catch: damaged,
        })
        return Stream.fromAsyncIterable<Uint8Array, InvalidRequest>(opened, damaged)
      }),
    )

  const isOurs = (bytesOf(CONTENTS_FILE) ?? Infinity) <= CONTENTS_MAX_BYTES
  if (!isOurs) return yield* wrong("Expected an export of a knowledge base")
  const lines = read(CONTENTS_FILE).pipe(Stream.decodeText, Stream.splitLines)
  yield* Stream.runForEach(Stream.take(lines, 1), decodeHead).pipe(
    Effect.catchTag("SchemaError", () => wrong("Expected an export of a knowledge base, by this version of Parley")),
  )
  const items = lines.pipe(
    Stream.drop(1),
    Stream.mapEffect((line, index) =>
      Effect.mapError(line.length > LINE_MAX_LENGTH ? Effect.fail(undefined) : decodeItem(line), () =>
        wrong(`Line ${index + 2} of ${CONTENTS_FILE} is not understood`),
      ),
    ),
  )
  return { bytesOf, read, items }
})
