import { Effect, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { BlobStore, USERS } from "../../blobs/BlobStore.ts"
import { BlobCheck } from "../../jobs/BlobCheck.ts"
import { Inspection } from "../../storage/inspection/Inspection.ts"
import { count, ok, wrong } from "./Check.ts"

/** Tries the store of files, and compares it with the database. */
export const filesCheck = Effect.gen(function* () {
  const store = yield* BlobStore
  const comparison = yield* BlobCheck
  const inspection = yield* Inspection
  const random = yield* SecureRandom.SecureRandom

  /** Writes a file, reads it and deletes it. */
  const tryFiles = Effect.gen(function* () {
    const key = `doctor/${yield* random.uuidV4()}`
    yield* store.put(key, Stream.succeed(Uint8Array.of(1)))
    yield* Effect.ensuring(store.get(key), Effect.ignore(store.remove(key)))
    return ok("files", "can be written, read and deleted")
  }).pipe(
    Effect.catchTags({
      Unavailable: ({ detail }) => Effect.succeed(wrong("files", detail)),
      BlobNotFound: () => Effect.succeed(wrong("files", "A file that was just written is missing")),
      BlobDamaged: () => Effect.succeed(wrong("files", "A file that was just written is damaged")),
    }),
  )

  /** Compares the stored files with the database: documents without their file, and files without an owner. */
  const compareFiles = Effect.map(comparison.compare, ({ owned, missing, orphans, isShared }) => [
    missing.count === 0
      ? ok("files", `there for each of ${count(owned, "document")}`)
      : wrong(
          "files",
          `missing for ${missing.count} of ${count(owned, "document")}: ${missing.examples
            .map(({ name, owner }) => `${JSON.stringify(name)} (${owner})`)
            .join(", ")}${missing.count > missing.examples.length ? " and others" : ""}`,
        ),
    ...(orphans.count === 0
      ? []
      : [
          wrong(
            "files",
            isShared
              ? `${count(orphans.count, "file")} without an owner; they are kept, because another database has used this store, as ${USERS} in it shows`
              : `${count(orphans.count, "file")} without an owner; a server deletes those that are old enough, once a day`,
          ),
        ]),
  ]).pipe(
    // The store itself was examined before, which has said why.
    Effect.catchTag("Unavailable", ({ detail }) => Effect.succeed([wrong("files", detail)])),
  )

  const examined = yield* store.examine
  const tried = yield* tryFiles
  const compared = yield* compareFiles
  const { overdue, waiting } = yield* inspection.garbage
  return [
    ...examined.map(({ state, text }) => ({ state, part: "files" as const, text })),
    tried,
    ...compared,
    ...(waiting === 0
      ? []
      : [ok("files", `${count(waiting, "file")} without an owner; a server deletes those that have none in an hour`)]),
    ...(overdue === 0 ? [] : [wrong("files", `${overdue} should have been deleted an hour ago`)]),
  ]
})
