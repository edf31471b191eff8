import { createHash } from "node:crypto"
import { fileURLToPath } from "node:url"
import { Effect, FileSystem } from "effect"
import { StartupError } from "../system/StartupError.ts"

/** The directory `sql/` of this installation, not of the working directory. */
export const migrationsDirectory = fileURLToPath(new URL("../../sql", import.meta.url))

/** The file name of a migration: `NNNN_name.sql`. */
const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/

/** Pattern of the line by which a migration declares which older servers can use the database after it. */
const USABLE_FROM = /^-- usable from: (\d{4})$/m

/** A migration, read from its file. */
export interface Migration {
  readonly number: number
  /** The file's name without `.sql`. */
  readonly name: string
  /** SHA-256 of the text, with line ends as `\n`, in hex: a checkout may change line ends. */
  readonly checksum: string
  readonly text: string
  /**
   * The number of the oldest migration whose servers can use the database after this one; undefined if only servers that
   * know this migration can.
   */
  readonly usableFrom: number | undefined
}

/** Reads the migrations in a directory, ordered by number. */
export const readMigrations = Effect.fn("MigrationFiles.read")(function* (
  directory: string,
): Effect.fn.Return<ReadonlyArray<Migration>, StartupError, FileSystem.FileSystem> {
  const files = yield* FileSystem.FileSystem
  const names = (yield* Effect.mapError(files.readDirectory(directory), unreadable(directory)))
    .filter((name) => name.endsWith(".sql"))
    .sort()
  const migrations = yield* Effect.forEach(names, (name) =>
    Effect.flatMap(Effect.mapError(files.readFileString(`${directory}/${name}`), unreadable(name)), (text) =>
      parse(name, text),
    ),
  )
  const twice = migrations.find((migration, index) => migrations[index + 1]?.number === migration.number)
  return twice === undefined ? migrations : yield* damagedMigrations(`Two migrations have the number ${twice.number}.`)
})

const parse = (file: string, content: string): Effect.Effect<Migration, StartupError> => {
  const number = FILE_NAME.exec(file)?.[1]
  if (number === undefined) return damagedMigrations(`sql/${file} is not named like a migration, NNNN_name.sql.`)
  const text = content.replaceAll("\r\n", "\n")
  const declared = USABLE_FROM.exec(text)?.[1]
  return Effect.succeed({
    number: Number(number),
    name: file.slice(0, -".sql".length),
    checksum: createHash("sha256").update(text).digest("hex"),
    text,
    usableFrom: declared === undefined ? undefined : Number(declared),
  })
}

/** Fails because the migrations in `sql/` are not those that were delivered. */
export const damagedMigrations = (what: string): Effect.Effect<never, StartupError> =>
  Effect.fail(
    new StartupError({
      what,
      doThis: "Restore sql/ as it was delivered; a change goes into a new, higher number.",
    }),
  )

const unreadable = (what: string) => (): StartupError =>
  new StartupError({
    what: `${what} cannot be read.`,
    doThis: "Reinstall Parley: its sql/ folder is incomplete.",
  })
