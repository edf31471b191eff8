import { expect, test } from "bun:test"
import { Context, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { Statement } from "effect/sql"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { addClones } from "../lib/Clones.ts"
import { excessOf } from "../lib/Plans.ts"
import type { Operation } from "../lib/safety/ApiDocument.ts"
import { placesOf } from "../lib/safety/Places.ts"
import { validRequest } from "../lib/safety/ValidRequests.ts"
import { makeWorld } from "../lib/safety/World.ts"
import { startServer } from "../lib/TestServer.ts"

/*
 * What the operations that only read send to the database, among many rows: of each statement is explained what it reads,
 * under each value of each parameter that chooses one of some values.
 */

/** Operations that read all that there is in some tables, or some pages for each row that they return. */
const all: Readonly<Record<string, ReadonlyArray<string>>> = {
  // With the number of all.
  "GET /api/external/chatbot/{chatbotId}/conversations": ["sessions"],
  // Questions by topic are not summed up.
  "GET /api/external/usage/conversations": ["messages", "reply_grounds"],
  "GET /api/external/usage": ["usage_days"],
  "GET /api/external/chatbots/totals": ["pages"],
  "GET /api/external/chatbot/{chatbotId}/synonyms/suggestions": ["pages"],
  // All people of the organization, of whom a page is shown.
  "GET /api/admin/people": ["people", "pages"],
  // Whether the operator's people have any: few have.
  "GET /api/console/sign-in": ["passkeys"],
  // The whole installation, for the operator.
  "GET /api/admin/system/checks": ["chatbots", "documents", "webhooks", "chatbot_tools", "pages"],
}

/** What the statements of the request under way read too much of; undefined while there is none. */
let found: Array<string> | undefined
let whole: ReadonlyArray<string> = []
let explained = 0
const explain: Statement.Transformer = (statement, sql, fiber) => {
  const [text, params] = statement.compile()
  const isOfRequest = Context.getOrUndefined(fiber.context, HttpServerRequest.HttpServerRequest) !== undefined
  const into = found
  if (into === undefined || !isOfRequest || !/^\s*(?:select|with)\b/.test(text) || WRITES.test(text)) {
    return Effect.succeed(statement)
  }
  return excessOf(sql, text, params, whole).pipe(
    Effect.map((excess) => {
      explained++
      into.push(...excess)
    }),
    Effect.ignoreCause,
    Effect.provideService(Statement.CurrentTransformer, undefined),
    Effect.as(statement),
  )
}
const WRITES = /\b(?:insert into|update \w+ set|delete from)\b/

const world = await makeWorld(await startServer({}, Context.make(Statement.CurrentTransformer, explain)))
const { attacker, document, server, victim } = world
const { own } = attacker
await server.query(
  Effect.gen(function* () {
    const sql = yield* SystemSql
    yield* addClones(attacker, 1_500, 2)
    yield* addClones(victim, 5_000, 1)
    // Of these, an organization has few.
    for (const table of ["sign_in_providers", "webhooks"]) {
      yield* sql`delete from ${sql(table)} where id <> all(${[own.signInProvider, own.webhook]}::uuid[])`
    }
    // All conversations of a month are those of one chatbot.
    yield* sql.withTransaction(
      Effect.andThen(
        sql`set local session_replication_role = replica`,
        sql`update sessions set chatbot_id = ${own.chatbot}, session_token = null,
            updated_at = now() - random() * interval '30 days'
          where organization_id = ${attacker.organization} and id <> ${own.session}`,
      ),
    )
    yield* sql`vacuum (analyze)`.unprepared
  }),
)

const operations = document.operations.filter(
  // The stream of events has no end.
  ({ method, needsVisitor, path }) => method === "GET" && !needsVisitor && path !== "/api/external/events",
)

/** The values of the query parameters that choose one of some values, one at a time. */
const choicesOf = ({ parameters }: Operation): ReadonlyArray<Readonly<Record<string, string>>> =>
  parameters.flatMap(({ in: where, name, schema }) => {
    const values = document.resolve(schema).enum ?? []
    return where === "query" ? values.map((value) => ({ [name]: String(value) })) : []
  })

test.each(operations.map((operation) => [operation.name, operation] as const))(
  "%s reads few rows",
  async (name, operation) => {
    whole = all[name] ?? []
    const named = placesOf(document, operation).flatMap(({ kinds, name }) =>
      typeof kinds === "string" || kinds[0] === undefined ? [] : [[name, own[kinds[0]]] as const],
    )
    const client = operation.scope === undefined || operation.scope === "operator" ? server.client : attacker.client
    for (const chosen of [{}, ...choicesOf(operation)]) {
      const { method, path, sent } = validRequest(document, operation, { ...Object.fromEntries(named), ...chosen })
      found = []
      const { status } = await client.send(method, path, sent)
      expect({ chosen, found, status }).toEqual({ chosen, found: [], status: expect.any(Number) })
      found = undefined
    }
  },
)

test("statements of each operation were explained, so that these tests can fail", () => {
  expect(explained).toBeGreaterThan(operations.length)
})
