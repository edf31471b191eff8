import { resolve } from "node:path"
import { ByteSize, Console, Context, Effect, Layer, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Backup, type BackupOptions } from "../backup/Backup.ts"
import { type Manifest, readManifest } from "../backup/Manifest.ts"
import { Restore } from "../backup/Restore.ts"
import { verify } from "../backup/Verify.ts"
import type { BackupReport } from "../domain/system/BackupReport.ts"
import { OrganizationId } from "../domain/Ids.ts"
import { StartupError } from "../system/StartupError.ts"
import { printable } from "../system/Printable.ts"
import { decodedBy, idArgument, command } from "./Arguments.ts"
import type { Refusal, Running } from "./InUse.ts"

/*
 * The commands that make, check and restore backups, and export and import organizations.
 */

/** Makes backups: in this process, or through the server that has the embedded database. */
export class BackupMaking extends Context.Service<
  BackupMaking,
  { readonly run: (options: BackupOptions) => Effect.Effect<BackupReport, Refusal | StartupError> }
>()("parley/cli/BackupMaking") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Backup, ({ run }) => ({ run })),
  )

  static readonly layerOf = ({ client: { admin }, request }: Running) =>
    Layer.succeed(BackupMaking, {
      run: ({ directory, organization }) =>
        request(
          admin.makeBackup({
            payload: { directory, ...(organization !== undefined && { organization_id: organization }) },
          }),
        ).pipe(
          Effect.map(({ backup }) => backup),
          Effect.catchTag("Conflict", ({ detail }) => Effect.fail(new StartupError({ what: detail, doThis: "" }))),
        ),
    })
}

const directory = (meaning: string) =>
  Argument.String("dir").pipe(
    Argument.withDescription(meaning),
    Argument.map((path) => resolve(path)),
  )

const size = (bytes: number): string => ByteSize.format(ByteSize.bytes(bytes))

const showReport = Effect.fnUntraced(function* (
  { bytes, damaged, file_bytes, files, missing, rows }: BackupReport,
  path: string,
) {
  yield* Console.log(
    `${rows} rows (${size(bytes)}) and ${files} files (${size(file_bytes)}) are in ${printable(path)}.`,
  )
  if (missing > 0)
    yield* Console.log(`${missing} files are missing in the store, and not in the backup; \`doctor\` names them.`)
  for (const key of damaged)
    yield* Console.log(`The stored file ${key} is not what was uploaded; it is in the backup as it is.`)
})

const shown = ({ migration, organization, parley, taken_at }: Manifest): string =>
  `${organization === null ? "Everything" : `The organization ${organization.id} (${printable(organization.name)})`} as of ${taken_at}, by Parley ${parley}, sql/${migration}.sql`

export const backup = command("backup", "Back up the database and all files into a directory, while servers run", {
  directory: directory("A new or empty directory, or one with a backup that was cut off, which is made anew"),
})(
  Effect.fn(function* ({ directory }) {
    yield* showReport(yield* (yield* BackupMaking).run({ directory }), directory)
  }),
)

export const verifyBackup = command("verify-backup", "Compare every file of a backup with its checksum", {
  directory: directory("The directory of the backup"),
})(
  Effect.fn(function* ({ directory }) {
    yield* Console.log(`Whole: ${shown(yield* verify(directory))}.`)
  }),
)

/** Makes the command that restores. The layer opens an empty database at the schema of a migration. */
export const restore = <E, R>(restoring: (migration: string) => Layer.Layer<Restore, E, R>) =>
  Command.make(
    "restore",
    { directory: directory("The directory of the backup") },
    Effect.fn(function* ({ directory }) {
      const { migration } = yield* readManifest(directory)
      const restored = yield* Effect.provide(
        Effect.flatMap(Restore, (service) => service.run(directory)),
        restoring(migration),
      )
      for (const warning of restored.warnings) yield* Console.log(warning)
      yield* Console.log(`Restored: ${shown(restored.manifest)}. Servers can start.`)
    }),
  ).pipe(Command.withDescription("Restore a backup into an empty database and an empty data directory"))

/** The command below `organizations` that exports one. */
export const exportOrganization = command("export", "Write one organization, with all that it owns, into a directory", {
  id: idArgument(OrganizationId, "organization"),
  directory: directory("A new or empty directory"),
})(
  Effect.fn(function* ({ directory, id }) {
    yield* showReport(yield* (yield* BackupMaking).run({ directory, organization: id }), directory)
  }),
)

/** The command below `organizations` that imports one. */
export const importOrganization = Command.make(
  "import",
  {
    directory: directory("The directory of the export"),
    id: Flag.String("id").pipe(
      Flag.withDescription('Id that it has here: a UUID, or "new"; its own when absent'),
      Flag.filterMap(
        ...decodedBy(
          Schema.Union([Schema.Literal("new"), OrganizationId]),
          'the id of an organization, a UUID, or "new"',
        ),
      ),
      Flag.optional,
    ),
  },
  Effect.fn(function* ({ directory, id }) {
    const imported = yield* (yield* Restore).importOrganization(directory, Option.getOrUndefined(id))
    for (const warning of imported.warnings) yield* Console.log(warning)
    yield* Console.log(imported.id)
  }),
).pipe(Command.withDescription("Add an organization that `organizations export` has written, and print its id"))
