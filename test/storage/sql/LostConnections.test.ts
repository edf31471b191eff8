import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { layer as fileSystem } from "@effect/platform-node-shared/NodeFileSystem"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { OrganizationId } from "../../../src/domain/Ids.ts"
import { NotFound } from "../../../src/domain/Errors.ts"
import { CurrentOrganization } from "../../../src/domain/Tenancy.ts"
import { type Database, layerPostgres, SystemSql } from "../../../src/storage/sql/Database.ts"
import { transaction, withoutSqlErrors } from "../../../src/storage/sql/SqlErrors.ts"
import { type DatabaseFront, databaseFront } from "../../lib/DatabaseFront.ts"
import { quiet } from "../../lib/Layers.ts"
import { defaults } from "../../lib/Defaults.ts"

setDefaultTimeout(180_000)

/** Describes nothing on the embedded engine, which is in the process that uses it, with no network in between. */
const describeOnPostgres = process.env["DATABASE_URL"] === undefined ? () => {} : describe

const organization = OrganizationId.make("00000000-0000-4000-8000-000000000001")

const withFront = <A, E>(test: (front: DatabaseFront) => Effect.Effect<A, E, Database | CurrentOrganization>) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const front = yield* databaseFront
      const context = yield* Layer.build(
        Layer.provide(layerPostgres({ ...defaults.database, url: front.url, isHidden: true }), fileSystem),
      )
      yield* Effect.provideContext(
        SystemSql.use((sql) =>
          Effect.andThen(sql`create table notes (body text)`, sql`grant select, insert on notes to parley_tenant`),
        ),
        context,
      )
      return yield* Effect.provideContext(test(front), context)
    }).pipe(Effect.scoped, Effect.provideService(CurrentOrganization, organization), Effect.provide(quiet)),
  )

const bodies = SqlClient.SqlClient.use((sql) =>
  Effect.map(sql<{ body: string }>`select body from notes`, (rows) => rows.map(({ body }) => body)),
)
const missing = new NotFound({ detail: "missing" })

/** What a transaction does after its connection was lost, and the failure that follows. */
const endings = {
  "another statement": { next: SqlClient.SqlClient.use((sql) => sql`select 1`), failure: "Unavailable" },
  "its own failure": { next: Effect.fail(missing), failure: "NotFound" },
  "its commit": { next: Effect.void, failure: "Unavailable" },
  "a nested transaction": {
    next: SqlClient.SqlClient.use((sql) => Effect.exit(sql.withTransaction(sql`select 1`))),
    failure: "Unavailable",
  },
} as const

describeOnPostgres("a connection that is lost in a transaction", () => {
  for (const [ending, { next, failure }] of Object.entries(endings)) {
    test(`before ${ending} fails with a typed failure, rolls back the transaction, and is replaced`, () =>
      withFront((front) =>
        SqlClient.SqlClient.use((sql) =>
          Effect.gen(function* () {
            const exit = yield* sql`insert into notes values ('lost')`.pipe(
              Effect.andThen(Effect.sync(front.cut)),
              // The client learns of it in a later turn of the event loop.
              Effect.andThen(Effect.sleep("20 millis")),
              Effect.andThen<unknown, unknown, SqlClient.SqlClient>(next),
              transaction(sql),
              withoutSqlErrors,
              Effect.flip,
              Effect.exit,
            )
            expect(Exit.isSuccess(exit) && exit.value).toMatchObject({ _tag: failure })
            expect(yield* Effect.retry(bodies, { times: 10 })).toEqual([])
          }),
        ),
      ))
  }

  test("because the server ends it fails with a typed failure, and rolls back the transaction", () =>
    withFront((front) =>
      SqlClient.SqlClient.use((sql) =>
        Effect.gen(function* () {
          const processId = Effect.map(sql<{ pid: number }>`select pg_backend_pid() as pid`, ([row]) => row?.pid ?? 0)
          const ended = sql`insert into notes values ('lost')`.pipe(
            Effect.andThen(Effect.flatMap(processId, front.terminate)),
            Effect.andThen(sql`select 1`),
            transaction(sql),
            withoutSqlErrors,
          )
          expect(yield* Effect.flip(ended)).toMatchObject({ _tag: "Unavailable" })
          expect(yield* Effect.retry(bodies, { times: 10 })).toEqual([])
        }),
      ),
    ))
})
