import { createHash } from "node:crypto"
import { resolve } from "node:path"
import { Duration, Effect, FileSystem, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { BlobStore } from "../blobs/BlobStore.ts"
import { OrganizationId } from "../domain/Ids.ts"
import { Service } from "../domain/Service.ts"
import { Restoration } from "../storage/backup/Restoration.ts"
import { BlobGarbage } from "../storage/blobs/BlobGarbage.ts"
import { Secrets } from "../system/Secrets.ts"
import { StartupError } from "../system/StartupError.ts"
import { SECRETS_KEY } from "../system/Variables.ts"
import { type Contents, openContents } from "./Contents.ts"
import { databaseFailed, storeFailed } from "./Failures.ts"
import { readFile } from "./Files.ts"
import type { BlobLine, Manifest } from "./Manifest.ts"

const STORED_AT_ONCE = 4
/** Imported files are deleted again when the import has not ended after this long. */
const IMPORT_GRACE = Duration.hours(24)
/** The most keys in one statement. */
const KEYS = 500

/** Manifest of what was restored, with warnings of what will not work there. */
export interface Restored {
  readonly manifest: Manifest
  readonly warnings: ReadonlyArray<string>
}

/** Restores backups into an empty place, and imports organizations into one with others. */
export class Restore extends Service<Restore>()("parley/backup/Restore", function* () {
  const store = yield* BlobStore
  const restoration = yield* Restoration
  const garbage = yield* BlobGarbage
  const secrets = yield* Secrets
  const random = yield* SecureRandom.SecureRandom
  const files = yield* FileSystem.FileSystem

  const storeBlobs = ({ blobs, pathOf }: Contents, keyOf: (blob: BlobLine) => string) =>
    Stream.runDrain(
      Stream.mapEffect(
        blobs,
        (blob) =>
          Effect.catchTag(store.put(keyOf(blob), readFile(pathOf(blob), blob)), "Unavailable", (error) =>
            Effect.fail(storeFailed(blob.key)(error)),
          ),
        { concurrency: STORED_AT_ONCE },
      ),
    )

  const warningsOf = ({ blobs, secret_keys }: Manifest): ReadonlyArray<string> => {
    const unknown = secret_keys.filter((key) => !secrets.keys.includes(key))
    return [
      ...(unknown.length === 0
        ? []
        : [
            `Secrets are encrypted by a key that is not in ${SECRETS_KEY} (${unknown.join(", ")}). Until it is, HTTP tools with secret headers fail, webhooks send nothing, and visitors' sessions and identities are not recognized.`,
          ]),
      ...(blobs.missing === 0
        ? []
        : [`${blobs.missing} files were already missing when the backup was made; \`doctor\` names them.`]),
    ]
  }

  const run = Effect.fn("Restore.run")(function* (path: string) {
    const contents = yield* openContents(resolve(path))
    const { manifest, tables } = contents
    if (manifest.organization !== null) {
      return yield* new StartupError({
        what: `This is an export of the organization ${JSON.stringify(manifest.organization.name)} alone.`,
        doThis: "`parley organizations import` takes it.",
      })
    }
    yield* storeBlobs(contents, ({ key }) => key)
    yield* Effect.catchTag(restoration.restore(tables, manifest.sequences), "Unavailable", (error) =>
      Effect.fail(databaseFailed(error)),
    )
    return { manifest, warnings: warningsOf(manifest) }
  })

  const importOrganization = Effect.fn("Restore.importOrganization")(function* (
    path: string,
    wanted: OrganizationId | "new" | undefined,
  ) {
    const contents = yield* openContents(resolve(path))
    const { blobs, manifest, tables } = contents
    if (manifest.organization === null) {
      return yield* new StartupError({
        what: "This is a backup of everything, not the export of one organization.",
        doThis: "`parley restore` takes it.",
      })
    }
    const migration = yield* Effect.mapError(restoration.migration, databaseFailed)
    if (migration !== manifest.migration) {
      return yield* new StartupError({
        what: `The export has the schema of sql/${manifest.migration}.sql, and this database that of sql/${migration}.sql.`,
        doThis: "Bring both servers to the same version of Parley, and export again.",
      })
    }
    const id = wanted === "new" ? OrganizationId.make(yield* random.uuidV7()) : (wanted ?? manifest.organization.id)
    const salt = yield* random.uuidV4()
    const keyOf = ({ key }: BlobLine) => importedKey(key, salt)
    const keys = Stream.map(Stream.grouped(blobs, KEYS), (page) => page.map(keyOf))
    yield* Stream.runForEach(keys, (page) => Effect.mapError(garbage.announce(page, IMPORT_GRACE), databaseFailed))
    yield* storeBlobs(contents, keyOf)
    yield* Effect.catchTag(
      restoration.import({ from: manifest.organization.id, organization: id, salt }, tables, keys),
      "Unavailable",
      (error) => Effect.fail(databaseFailed(error)),
    )
    return { manifest, id, warnings: warningsOf(manifest) }
  })

  const provided = Effect.provideService(FileSystem.FileSystem, files)

  return {
    /** Restores a backup into an empty database, which has the schema of the backup. */
    run: (directory: string) => provided(run(directory)),

    /** Imports an exported organization, under its own id or a new one. */
    importOrganization: (directory: string, id: OrganizationId | "new" | undefined) =>
      provided(importOrganization(directory, id)),
  }
}) {}

/** The key that a blob of an export gets, as `Restoration` computes it in SQL. */
const importedKey = (key: string, salt: string): string => {
  const hash = createHash("md5")
    .update(salt + key)
    .digest("hex")
  const uuid = hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
  const [prefix = ""] = key.split("/")
  return `${prefix}/${uuid}${/[.][a-z0-9]+$/.exec(key)?.[0] ?? ""}`
}
