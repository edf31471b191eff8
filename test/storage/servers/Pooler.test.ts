import { expect, test } from "bun:test"
import { Effect } from "effect"
import type { PgConnection } from "@effect/sql-pg"
import { SystemSql } from "../../../src/storage/sql/Database.ts"
import { refusePooler } from "../../../src/storage/servers/ServerPresence.ts"
import { layer } from "../../lib/TestDatabase.ts"

/** Looks for a pooler in front of a connection that has these processes of Postgres, one after the other. */
const lookAt = (pids: ReadonlyArray<number>) => {
  let asked = 0
  const query = () => Effect.sync(() => ({ rows: [{ pid: pids[asked++ % pids.length] }] }))
  const connection = new Proxy({ query } as unknown as PgConnection.PgConnection, {})
  return Effect.runPromise(
    Effect.provide(
      SystemSql.use((sql) => Effect.exit(refusePooler(connection, sql))),
      layer,
    ),
  )
}

test("a server refuses a database whose pooler gives its statements to several connections", async () => {
  expect(JSON.stringify(await lookAt([-1, -2]))).toContain("a pooler, such as PgBouncer")
})

test("a server takes a database whose connections keep their processes", async () => {
  expect((await lookAt([-1]))._tag).toBe("Success")
})
