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

/** Pattern of the line by which the first migration names the last one of those that it replaces, and its checksum. */
const FOLDS = /^-- folds: (\w+) ([0-9a-f]{64})$/m

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
  /**
   * The last of the migrations that this one replaces: a database that has had them all is as one that has had this one.
   * Undefined if it replaces none.
   */
  readonly folds: { readonly name: string; readonly checksum: string } | undefined
}

/** The functions and the triggers of one subject, read from `functions/<subject>.sql` beside the migrations. */
export interface FunctionFile {
  readonly subject: string
  /** As that of a migration. */
  readonly checksum: string
  readonly text: string
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

/** Reads the functions beside the migrations in a directory, ordered by subject. */
export const readFunctions = Effect.fn("MigrationFiles.readFunctions")(function* (
  directory: string,
): Effect.fn.Return<ReadonlyArray<FunctionFile>, StartupError, FileSystem.FileSystem> {
  const files = yield* FileSystem.FileSystem
  const place = `${directory}/functions`
  const names = (yield* Effect.mapError(files.readDirectory(place), unreadable(place))).filter((name) =>
    name.endsWith(".sql"),
  )
  return yield* Effect.forEach(names.sort(), (name) =>
    Effect.map(Effect.mapError(files.readFileString(`${place}/${name}`), unreadable(name)), (content) => ({
      subject: name.slice(0, -".sql".length),
      ...textOf(content),
    })),
  )
})

/** The text of a file with line ends as `\n`, and its SHA-256 in hex. */
const textOf = (content: string) => {
  const text = content.replaceAll("\r\n", "\n")
  return { text, checksum: createHash("sha256").update(text).digest("hex") }
}

const parse = (file: string, content: string): Effect.Effect<Migration, StartupError> => {
  const number = FILE_NAME.exec(file)?.[1]
  if (number === undefined) return damagedMigrations(`sql/${file} is not named like a migration, NNNN_name.sql.`)
  const { checksum, text } = textOf(content)
  const declared = USABLE_FROM.exec(text)?.[1]
  const [, folded, foldedChecksum] = FOLDS.exec(text) ?? []
  return Effect.succeed({
    number: Number(number),
    name: file.slice(0, -".sql".length),
    checksum,
    text,
    usableFrom: declared === undefined ? undefined : Number(declared),
    folds:
      folded === undefined || foldedChecksum === undefined ? undefined : { name: folded, checksum: foldedChecksum },
  })
}

/** A comment, a text or the body of a function, in which a semicolon ends no statement; a semicolon; or what is between. */
const PART = /--[^\n]*|'[^']*'|\$\$[\s\S]*?\$\$|;|[^;'$-]+|[\s\S]/g

/**
 * Splits the text of a file into its statements, without comments between them, because Postgres's extended protocol
 * takes one at a time. Our files use no other quotations, and no semicolon in a block comment.
 */
export const splitStatements = (text: string): ReadonlyArray<string> => {
  const statements = [""]
  for (const [part] of text.matchAll(PART)) {
    if (part === ";") statements.push("")
    else if (!part.startsWith("--")) statements[statements.length - 1] += part
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== "")
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
