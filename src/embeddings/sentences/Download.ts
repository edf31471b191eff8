import { createHash } from "node:crypto"
import { gunzip } from "node:zlib"
import { Duration, Effect, FileSystem, Stream } from "effect"
import { HttpClient } from "effect/http"
import { StartupError } from "../../system/StartupError.ts"
import { wordsOf } from "../../system/SystemError.ts"

/** Longest time without a byte of an answer. */
const SILENCE_MAX = Duration.seconds(30)

const failed = (url: URL, why: string) =>
  new StartupError({
    what: `${url.href} cannot be fetched: ${why}.`,
    doThis:
      "See that this machine has a network, or run `parley models fetch` on one that has it and copy the directory `models` of its data directory here.",
  })

/** Makes a directory for unfinished files, which ends with the scope. */
export const draftIn = Effect.fnUntraced(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  const make = Effect.andThen(
    files.makeDirectory(directory, { recursive: true, mode: 0o700 }),
    files.makeTempDirectoryScoped({ directory, prefix: ".unfinished-" }),
  )
  return yield* Effect.mapError(
    make,
    (error) =>
      new StartupError({
        what: `${directory} cannot be written: ${wordsOf(error)}.`,
        doThis: "See that this user may write there.",
      }),
  )
})

/** Fetches a file to a path, and returns its hash. */
export const download = Effect.fn("Download.download")(function* (
  url: URL,
  path: string,
  { algorithm, bytesMax }: { readonly algorithm: "sha256" | "sha512"; readonly bytesMax: number },
) {
  const client = yield* HttpClient.HttpClient
  const files = yield* FileSystem.FileSystem
  const hash = createHash(algorithm)
  const response = yield* client.get(url).pipe(
    Effect.timeout(SILENCE_MAX),
    Effect.mapError(() => failed(url, "the server cannot be reached")),
  )
  if (response.status !== 200) return yield* failed(url, `the server answers with status ${response.status}`)
  const file = yield* files
    .open(path, { flag: "wx", mode: 0o600 })
    .pipe(Effect.mapError((error) => failed(url, wordsOf(error))))
  yield* response.stream.pipe(
    Stream.mapError(() => failed(url, "the connection broke off")),
    Stream.timeoutOrElse({ duration: SILENCE_MAX, orElse: () => Stream.fail(failed(url, "the server falls silent")) }),
    Stream.limitBytes(bytesMax, () => Stream.fail(failed(url, `it is larger than ${bytesMax} bytes`))),
    Stream.runForEach((bytes) => {
      hash.update(bytes)
      return Effect.mapError(file.writeAll(bytes), (error) => failed(url, wordsOf(error)))
    }),
  )
  return hash.digest()
}, Effect.scoped)

/** Reads the files of a tarball (`.tgz`) by their paths. They are in memory, and nothing is written anywhere. */
export const filesOf = Effect.fnUntraced(function* (tarball: string, bytesMax: number) {
  const files = yield* FileSystem.FileSystem
  const unreadable = (error: unknown) =>
    new StartupError({
      what: `The archive cannot be read: ${wordsOf(error)}.`,
      doThis: `Name a .tgz whose content has at most ${bytesMax} bytes.`,
    })
  const packed = yield* Effect.mapError(files.readFile(tarball), unreadable)
  const tar = yield* Effect.callback<Uint8Array, StartupError>((resume) =>
    gunzip(packed, { maxOutputLength: bytesMax }, (error, bytes) =>
      resume(error === null ? Effect.succeed(bytes) : Effect.fail(unreadable(error))),
    ),
  )
  return yield* Effect.tryPromise({
    try: async () => {
      const found = new Map<string, Uint8Array>()
      for (const [path, file] of await new Bun.Archive(tar).files()) found.set(path, await file.bytes())
      return found
    },
    catch: unreadable,
  })
})
