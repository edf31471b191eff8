import { Effect, Predicate } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { makeServer, type TestServer } from "../../TestServer.ts"
import type { Settings } from "../../ServerProcess.ts"

/** The comparison of a row's organization with that of the caller, as statements of the tenant end with it. */
const FILTER = /(?:\b\w+\.)?\borganization_id = $/

/** A statement's segments without its filters by organization, and how many there were. */
export const withoutFilters = (segments: ReadonlyArray<Statement.Segment>) => {
  const kept: Array<Statement.Segment> = []
  let removed = 0
  for (const segment of segments) {
    const before = kept.at(-1)
    if (segment._tag === "Parameter" && before?._tag === "Literal" && FILTER.test(before.value)) {
      kept[kept.length - 1] = Statement.literal(before.value.replace(FILTER, "true"), before.params)
      removed++
    } else kept.push(segment)
  }
  return { segments: kept, removed }
}

/** What a statement borrows its connection with, which tells the two clients apart. */
const acquirerOf = (statement: unknown) =>
  Predicate.hasProperty(statement, "acquirer") ? statement.acquirer : undefined

/** A server whose statements on behalf of tenants have lost their filters by organization. */
export interface UnfilteredServer {
  readonly server: TestServer
  /** How many filters have been removed from statements. */
  readonly removed: () => number
}

/**
 * Starts a server that removes the filters by organization from every statement of a tenant, so that row-level security
 * alone keeps organizations apart. The statements of the system, which that security does not restrict, stay whole.
 */
export const makeUnfilteredServer = Effect.fnUntraced(function* (settings: Settings) {
  let removed = 0
  let tenant: unknown
  const transform: Statement.Transformer = (statement, sql) => {
    if (tenant === undefined || acquirerOf(statement) !== tenant) return Effect.succeed(statement)
    const without = withoutFilters(statement.segments)
    removed += without.removed
    return Effect.succeed(sql`${Statement.fragment(without.segments)}`)
  }
  const server = yield* Effect.provideService(makeServer(settings), Statement.CurrentTransformer, transform)
  yield* Effect.promise(() => server.query(SqlClient.SqlClient.useSync((sql) => (tenant = acquirerOf(sql`select 1`)))))
  return { server, removed: () => removed } satisfies UnfilteredServer
})
