import { expect, test } from "bun:test"
import { cpSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { migrationsDirectory } from "../src/storage/MigrationFiles.ts"
import { addSums, reviewMigrations } from "./lib/migrations.ts"

/** Checks the migrations after a change. Returns the migrations without a checksum, and what is wrong. */
const reviewAfter = async (change: (directory: string) => void) => {
  const directory = mkdtempSync(join(tmpdir(), "parley-sums-"))
  try {
    cpSync(migrationsDirectory, directory, { recursive: true })
    change(directory)
    const { unlisted, wrong } = await Effect.runPromise(reviewMigrations(directory))
    addSums(directory, unlisted)
    const after = await Effect.runPromise(reviewMigrations(directory))
    expect(after).toEqual({ unlisted: [], wrong })
    return { unlisted: unlisted.map(({ name }) => name), wrong }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

test("unchanged migrations pass the check, whatever their line endings", async () => {
  const fine = { unlisted: [], wrong: [] }
  expect(await reviewAfter(() => {})).toEqual(fine)
  expect(
    await reviewAfter((directory) => {
      const path = join(directory, "0001_tables.sql")
      writeFileSync(path, readFileSync(path, "utf8").replaceAll("\n", "\r\n"))
    }),
  ).toEqual(fine)
})

test("a changed migration is named, also after new checksums are added", async () => {
  const { unlisted, wrong } = await reviewAfter((directory) => {
    const path = join(directory, "0002_budgets.sql")
    writeFileSync(path, `${readFileSync(path, "utf8")}-- a word more\n`)
  })
  expect(unlisted).toEqual([])
  expect(wrong).toEqual([expect.stringContaining("sql/0002_budgets.sql has changed: restore it")])
})

test("a migration that is removed or renamed is named", async () => {
  const renamed = await reviewAfter((directory) =>
    renameSync(join(directory, "0002_budgets.sql"), join(directory, "0002_removed.sql")),
  )
  expect(renamed).toEqual({
    unlisted: ["0002_removed"],
    wrong: [expect.stringContaining("sql/0002_budgets.sql is gone")],
  })
})

test("a new migration gets a checksum", async () => {
  const added = await reviewAfter((directory) =>
    writeFileSync(join(directory, "9000_new.sql"), "-- usable from: 0001\nselect 1;\n"),
  )
  expect(added).toEqual({ unlisted: ["9000_new"], wrong: [] })
})

test("a new migration says which older servers can use the database after it", async () => {
  const { wrong } = await reviewAfter((directory) => writeFileSync(join(directory, "9000_new.sql"), "select 1;\n"))
  expect(wrong).toEqual([expect.stringContaining("sql/9000_new.sql does not begin with a line such as")])
})
