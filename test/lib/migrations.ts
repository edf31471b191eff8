import { appendFileSync, existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { layer as fileSystem } from "@effect/platform-node-shared/NodeFileSystem"
import { Effect } from "effect"
import { type Migration, migrationsDirectory, readMigrations } from "../../src/storage/MigrationFiles.ts"

/*
 * Every migration has its checksum in `sql/SHA256SUMS`, because a database remembers the checksums of its migrations,
 * and a server refuses to start when its files differ. `bun run check` compares the checksums; `bun run migrations`
 * adds those of new migrations, and replaces none.
 */

/** The first migration that has to say which older servers can use the database after it. */
const FIRST_DECLARED = 2
const SUMS = "SHA256SUMS"

/** Reads the list, which has the form of `sha256sum`: a checksum and a file name in each line. */
const readSums = (directory: string): ReadonlyMap<string, string> => {
  const path = join(directory, SUMS)
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  return new Map(
    Array.from(text.matchAll(/^(\w+) {2}(.+)\.sql$/gm), ([, checksum = "", name = ""]) => [name, checksum]),
  )
}

/** Returns the faults of the migrations in a directory, one line each, and the migrations without a checksum. */
export const reviewMigrations = Effect.fnUntraced(function* (directory: string) {
  const sums = readSums(directory)
  const migrations = yield* readMigrations(directory)
  const wrong = Array.from(sums).flatMap(([name, sum]) => {
    const migration = migrations.find((candidate) => candidate.name === name)
    if (migration === undefined) return [`sql/${name}.sql is gone: databases that have had it would refuse to start.`]
    return migration.checksum === sum
      ? []
      : [`sql/${name}.sql has changed: restore it, and put the change into a migration with a new number.`]
  })
  for (const { name, number, usableFrom } of migrations) {
    if (number >= FIRST_DECLARED && (usableFrom === undefined || usableFrom >= number)) {
      wrong.push(
        `sql/${name}.sql does not begin with a line such as \`-- usable from: 0001\`: the oldest migration whose servers can use the database after it.`,
      )
    }
  }
  return { wrong, unlisted: migrations.filter(({ name }) => !sums.has(name)) }
}, Effect.provide(fileSystem))

/** Adds the checksums of new migrations to the list. */
export const addSums = (directory: string, migrations: ReadonlyArray<Migration>): void =>
  appendFileSync(join(directory, SUMS), migrations.map(({ checksum, name }) => `${checksum}  ${name}.sql\n`).join(""))

if (import.meta.main) {
  const { unlisted, wrong } = await Effect.runPromise(reviewMigrations(migrationsDirectory))
  const lines = [...wrong]
  if (process.argv.includes("--add")) addSums(migrationsDirectory, unlisted)
  else lines.push(...unlisted.map(({ name }) => `sql/${name}.sql has no checksum yet: run \`bun run migrations\`.`))
  for (const line of lines) console.error(line)
  process.exitCode = lines.length === 0 ? 0 : 1
}
