import { PgConnection, PgPool } from "@effect/sql-pg"
import { Effect, Stream } from "effect"

/** The result of a statement that returns no rows. */
export const noRows: PgConnection.Result = { command: "SELECT", rowCount: 0, oid: null, rows: [], fields: [] }

type Query = PgConnection.PgConnection["query"]

/** A connection to no database, which answers statements by this function. */
export const makeFakeConnection = (query: Query): PgConnection.PgConnection => {
  const connection: PgConnection.PgConnection = {
    [PgConnection.TypeId]: PgConnection.TypeId,
    config: {},
    processId: 1,
    pin: Effect.suspend(() => Effect.succeed(connection)),
    query,
    queryValues: () => Effect.succeed([]),
    stream: () => Stream.empty,
    listen: () => Effect.never,
    interrupt: Effect.void,
  }
  return connection
}

/** A pool of one such connection, which it lends any number of times at once. */
export const makeFakePool = (query: Query): PgPool.PgPool => {
  const connection = makeFakeConnection(query)
  return {
    [PgPool.TypeId]: PgPool.TypeId,
    config: {},
    get: Effect.succeed(connection),
    reserve: Effect.succeed(connection),
    use: (f) => f(connection),
    invalidate: () => Effect.void,
  }
}
