import { expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { PGlite } from "@electric-sql/pglite"
import { Effect } from "effect"
import { DURABLE_START_PARAMETERS, DurableFiles } from "../../../src/storage/embedded/DurableFiles.ts"
import { freshDirectory } from "../../lib/TestDatabase.ts"

setDefaultTimeout(180_000)

test("each commit is synced to the disk once, and a read never is", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const { directory } = yield* freshDirectory
        const files = new DurableFiles(join(directory, "cluster"))
        const engine = yield* Effect.acquireRelease(
          Effect.promise(() => PGlite.create({ fs: files, startParams: [...DURABLE_START_PARAMETERS] })),
          (opened) => Effect.promise(() => opened.close()),
        )
        const syncsOf = (script: string) =>
          Effect.promise(async () => {
            const before = files.syncs
            await engine.exec(script)
            return files.syncs - before
          })
        yield* syncsOf("create table rows (id int)")
        for (let id = 0; id < 5; id++) expect(yield* syncsOf(`insert into rows values (${id})`)).toBe(1)
        expect(yield* syncsOf("begin; insert into rows values (6); insert into rows values (7); commit")).toBe(1)
        expect(yield* syncsOf("select count(*) from rows")).toBe(0)
      }),
    ),
  ))
