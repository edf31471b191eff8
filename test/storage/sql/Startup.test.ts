import { afterAll, describe, expect, test } from "bun:test"
import { createServer, type Server } from "node:net"
import { layer as fileSystem } from "@effect/platform-node-shared/NodeFileSystem"
import { Effect, Layer, Redacted } from "effect"
import { StartupError } from "../../../src/system/StartupError.ts"
import { layerPostgres } from "../../../src/storage/sql/Database.ts"
import { refuseOldServer, type ServerState, vectorOidsIn } from "../../../src/storage/sql/Preparation.ts"
import { defaults } from "../../lib/Defaults.ts"

const servers: Array<Server> = []
afterAll(() => servers.forEach((server) => server.close()))

/** Starts a server that answers every connection with one error, as Postgres would. */
const refusing = (sqlState: string, message: string): Promise<string> =>
  new Promise((resolve) => {
    const fields = Buffer.from(`SFATAL\0C${sqlState}\0M${message}\0\0`)
    const header = Buffer.alloc(5, "E")
    header.writeInt32BE(4 + fields.length, 1)
    const server = createServer((socket) => {
      socket.on("error", () => {})
      socket.once("data", () => socket.end(Buffer.concat([header, fields])))
    })
    servers.push(server)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(`postgres://parley:secret@127.0.0.1:${typeof address === "object" ? address?.port : 0}/parley`)
    })
  })

const failureAt = (url: string): Promise<StartupError> =>
  Effect.runPromise(
    Layer.build(Layer.provide(layerPostgres({ ...defaults.database, url: Redacted.make(url) }), fileSystem)).pipe(
      Effect.scoped,
      Effect.flip,
    ),
  )

describe("a database that cannot be used stops the start with one line when", () => {
  test("nothing listens at its address", async () => {
    const failure = await failureAt("postgres://parley:secret@127.0.0.1:1/parley")
    expect(failure).toBeInstanceOf(StartupError)
    expect(failure.message).toMatch(
      /^The database cannot be used: nothing listens there \(.*ECONNREFUSED.*\)\. Check that the database runs/,
    )
  })

  test("its host does not exist", async () => {
    const failure = await failureAt("postgres://parley:secret@nowhere.invalid/parley")
    expect(failure.what).toMatch(
      /^The database cannot be used: (there is no host|the name of the host).*nowhere\.invalid/,
    )
  })

  const answers = [
    ["28P01", 'password authentication failed for user "parley"', "Check the user and the password"],
    ["3D000", 'database "parley" does not exist', "Create the database"],
    ["42501", "permission denied for schema public", "ALTER DATABASE"],
    ["53300", "sorry, too many clients already", "See the log of the database"],
  ] as const
  for (const [sqlState, message, doThis] of answers) {
    test(`it answers "${message}"`, async () => {
      const failure = await failureAt(await refusing(sqlState, message))
      expect(failure.what).toBe(`The database cannot be used: ${message}.`)
      expect(failure.doThis).toContain(doThis)
      expect(failure.message).not.toContain("secret")
      expect(failure.message).not.toContain("\n")
    })
  }

  const good: ServerState = {
    version: 150_000,
    version_text: "15.0",
    login: "parley",
    pgvector: "0.7.0",
    vector_oid: 16_400,
    vectors_oid: 16_405,
    may_become_tenant: true,
  }

  test("its Postgres or pgvector is older than the oldest supported version, which the line names", async () => {
    expect(await Effect.runPromise(Effect.andThen(refuseOldServer(good), vectorOidsIn(good)))).toEqual({
      vector: 16_400,
      vectors: 16_405,
    })
    const old = await Effect.runPromise(
      Effect.flip(refuseOldServer({ ...good, version: 149_999, version_text: "14.9" })),
    )
    expect(old.what).toContain("PostgreSQL 14.9")
    for (const pgvector of ["0.6.2", "0.4"]) {
      const failure = await Effect.runPromise(Effect.flip(vectorOidsIn({ ...good, pgvector })))
      expect(failure.what).toContain(`pgvector ${pgvector}`)
    }
    expect(await Effect.runPromise(vectorOidsIn({ ...good, pgvector: "1.0.0" }))).toEqual({
      vector: 16_400,
      vectors: 16_405,
    })
  })

  test("pgvector is in a schema outside of the search path", async () => {
    const failure = await Effect.runPromise(Effect.flip(vectorOidsIn({ ...good, vector_oid: null })))
    expect(failure.doThis).toContain("search_path")
  })
})
