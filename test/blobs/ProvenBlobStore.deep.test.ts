import { renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { expect, setDefaultTimeout, test } from "bun:test"
import { Effect } from "effect"
import { serverProcess, settingsFor } from "../lib/ServerProcess.ts"
import { temporaryDirectory } from "../lib/TemporaryDirectory.ts"
import { fresh } from "../lib/TestDatabase.ts"
import { testTimeout } from "../lib/TestServer.ts"

setDefaultTimeout(testTimeout)

test("a server ends with one sentence where its files are not those of the database", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const database = yield* fresh
        const settings = yield* settingsFor(database)
        const first = yield* serverProcess(settings)
        yield* Effect.promise(() => first.listening)
        const files = join(settings.DATA_DIR, "files")
        // The data directory of an embedded database has one server at a time.
        if (database.kind === "embedded") {
          first.kill("SIGTERM")
          yield* Effect.promise(() => first.exited)
          renameSync(files, `${files}-before`)
        }
        const second = yield* serverProcess(
          database.kind === "embedded" ? settings : { ...settings, DATA_DIR: yield* temporaryDirectory("elsewhere") },
        )
        expect(yield* Effect.promise(() => second.exited)).toBe(1)
        expect(second.stderr()).toMatch(/^parley: The store of files is not the one .+DATA_DIR.+\n$/m)
        expect(second.stdout()).not.toContain("Listening")
        if (database.kind === "embedded") {
          rmSync(files, { recursive: true })
          renameSync(`${files}-before`, files)
        }
        const third = yield* serverProcess(settings)
        expect(yield* Effect.promise(() => third.listening)).toStartWith("http")
      }),
    ),
  ))
