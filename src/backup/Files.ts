import { createHash } from "node:crypto"
import { Effect, FileSystem, Schema, Stream } from "effect"
import { damaged, notRead, notWritten } from "./Failures.ts"
import type { FileSum } from "./Manifest.ts"

/*
 * The files of a backup: lines of JSON, and contents of stored files. Everything is written and read a piece at a time,
 * with its checksum. What is read may have been made by somebody else, so that no link is followed and no more is read
 * than the manifest says.
 */

/** The bytes that are read at once, whose lines make a page. */
const CHUNK = 256 * 1024

/** Writes a new file, durably, in place of any at the path, and returns its size and checksum. */
export const writeFile = Effect.fn("Files.write")(function* <E, R>(
  path: string,
  content: Stream.Stream<Uint8Array, E, R>,
) {
  const files = yield* FileSystem.FileSystem
  const refused = Effect.mapError(notWritten(path))
  const hash = createHash("sha256")
  let bytes = 0
  yield* Effect.scoped(
    Effect.gen(function* () {
      yield* refused(files.remove(path, { force: true }))
      const file = yield* refused(files.open(path, { flag: "wx", mode: 0o600 }))
      yield* Stream.runForEach(content, (chunk) => {
        hash.update(chunk)
        bytes += chunk.byteLength
        return refused(file.writeAll(chunk))
      })
      yield* refused(file.sync)
    }),
  )
  return { bytes, sha256: hash.digest("hex") } satisfies FileSum
})

/** Makes names in a directory durable. */
export const syncDirectory = (path: string) =>
  FileSystem.FileSystem.use((files) => Effect.flatMap(files.open(path, { flag: "r" }), (file) => file.sync)).pipe(
    Effect.scoped,
    Effect.mapError(notWritten(path)),
  )

/** Moves a written file to its name, which is durable once its directory is synced. */
export const rename = (draft: string, path: string) =>
  Effect.mapError(
    FileSystem.FileSystem.use((files) => files.rename(draft, path)),
    notWritten(path),
  )

/** Writes pages of lines to a new file. */
export const writeLines = Effect.fnUntraced(function* <E, R>(
  path: string,
  pages: Stream.Stream<ReadonlyArray<string>, E, R>,
) {
  let rows = 0
  const content = Stream.map(pages, (lines) => {
    rows += lines.length
    return lines.map((line) => `${line}\n`).join("")
  })
  const sum = yield* writeFile(path, Stream.encodeText(content))
  return { rows, ...sum }
})

/** Reads a file whose size and checksum are known. The stream fails when it is another one, at the latest at its end. */
export const readFile = (path: string, expected: FileSum) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const info = yield* Effect.mapError(files.lstat(path), notRead(path))
      if (info.type !== "File") return yield* damaged(path, "is not a file")
      if (Number(info.size) !== expected.bytes) {
        return yield* damaged(path, `has ${info.size} bytes instead of ${expected.bytes}`)
      }
      const hash = createHash("sha256")
      return files.stream(path, { chunkSize: CHUNK, bytesToRead: expected.bytes }).pipe(
        Stream.mapError(notRead(path)),
        Stream.tap((chunk) => Effect.sync(() => hash.update(chunk))),
        Stream.concat(
          Stream.suspend(() =>
            hash.digest("hex") === expected.sha256
              ? Stream.empty
              : Stream.fail(damaged(path, "does not have its checksum")),
          ),
        ),
      )
    }),
  )

/** Whether a file has this size and checksum. */
export const isWhole = (path: string, expected: FileSum) =>
  Stream.runDrain(readFile(path, expected)).pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false),
  )

export const readLines = (path: string, expected: FileSum) =>
  Stream.splitLines(Stream.decodeText(readFile(path, expected)))

/** Reads the lines of a file, each decoded by a schema. */
export const readDecoded = <A>(
  schema: Schema.ConstraintDecoder<A> & { readonly Encoded: string },
  path: string,
  expected: FileSum,
) =>
  Stream.mapEffect(readLines(path, expected), (line) =>
    Effect.mapError(Schema.decodeEffect(schema)(line), () => damaged(path, "has a line that is not understood")),
  )
