import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Glob } from "bun"
import { migrationsDirectory } from "../../../src/storage/MigrationFiles.ts"

/*
 * What a reader of `sql/functions` can rely on.
 */

const directory = join(migrationsDirectory, "functions")
const files = Array.from(new Glob("*.sql").scanSync(directory)).toSorted()
const text = files.map((file) => readFileSync(join(directory, file), "utf8")).join("\n")
const names = Array.from(text.matchAll(/^create or replace function (\w+)/gm), ([, name = ""]) => name)
const program = Array.from(new Glob("**/*.ts").scanSync("src"))
  .map((file) => readFileSync(join("src", file), "utf8"))
  .join("\n")

/** Whether a text calls a function. */
const calls = (text: string, name: string): boolean => new RegExp(`\\b${name}\\(`).test(text)

test("every function is called, by the program, by a trigger or by another function", () => {
  expect(names.length).toBeGreaterThan(0)
  const code = text.replaceAll(/--.*/g, "")
  const isCalled = (name: string) =>
    calls(code.replaceAll(/^create or replace function \w+/gm, ""), name) || calls(program, name)
  expect(names.filter((name) => !isCalled(name))).toEqual([])
})

test("every function has a comment, and stands in one file", () => {
  const commented = text.matchAll(/^--.*\ncreate or replace function (\w+)/gm)
  expect(Array.from(commented, ([, name]) => name)).toEqual(names)
  expect(new Set(names).size).toBe(names.length)
})

test("migrations make no function or trigger, but for the one that policies call", () => {
  const migrations = Array.from(new Glob("*.sql").scanSync(migrationsDirectory))
    .map((file) => readFileSync(join(migrationsDirectory, file), "utf8"))
    .join("\n")
  const made = migrations.matchAll(/^create (?:or replace )?(?:function|trigger) (\w+)/gm)
  expect(Array.from(made, ([, name]) => name)).toEqual(["current_organization"])
})
