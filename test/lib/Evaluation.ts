import { Effect, Schema } from "effect"
import type { TestInput } from "../../src/domain/evaluation/ChatbotTest.ts"
import { TestResult, TestRun } from "../../src/domain/evaluation/TestRun.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { type Client, read, until } from "./Client.ts"
import type { TestServer } from "./TestServer.ts"

/*
 * Tests of chatbots on a server of a test, and their runs.
 */

const OneRun = Schema.Struct({ run: TestRun })
const ManyRuns = Schema.Struct({
  data: Schema.Array(TestRun),
  is_outdated: Schema.NullOr(Schema.Boolean),
})
const ManyResults = Schema.Struct({ data: Schema.Array(TestResult) })

export const runsPath = (chatbot: string) => `/api/external/chatbot/${chatbot}/test-runs`

/** Stores tests of a chatbot, without a run of them, and returns their ids. */
export const addTests = (query: TestServer["query"], chatbot: string, tests: ReadonlyArray<Omit<TestInput, never>>) =>
  query(
    SystemSql.use((sql) =>
      Effect.gen(function* () {
        const ids: Array<string> = []
        for (const { expectations, history = [], question, tags = [] } of tests) {
          const id = Bun.randomUUIDv7()
          ids.push(id)
          yield* sql`insert into tests (id, organization_id, chatbot_id, question, history, expectations, tags)
            select ${id}, organization_id, id, ${question}, ${JSON.stringify(history)}::jsonb,
              ${JSON.stringify(expectations)}::jsonb, array(select jsonb_array_elements_text(${JSON.stringify(tags)}::jsonb))
            from chatbots where id = ${chatbot}`
        }
        yield* sql`delete from test_queue where chatbot_id = ${chatbot}`
        return ids
      }),
    ),
  )

/** Starts a run, and waits for its end. */
export const runTests = async (client: Client, chatbot: string, input: Record<string, unknown> = {}) => {
  const { run } = read(OneRun, await client.post(runsPath(chatbot), { json: input }))
  return endOf(client, chatbot, run.id)
}

/** Waits for the end of a run. */
export const endOf = (client: Client, chatbot: string, run: string) =>
  until(
    async () => read(OneRun, await client.get(`${runsPath(chatbot)}/${run}`)).run,
    ({ ended_at }) => ended_at !== null,
  )

/** The results of a run, by the questions. */
export const resultsOf = async (client: Client, chatbot: string, run: string, query = "") => {
  const { data } = read(ManyResults, await client.get(`${runsPath(chatbot)}/${run}/results?limit=100${query}`))
  return new Map(data.map((result) => [result.question, result]))
}

export const listRuns = async (client: Client, chatbot: string) => read(ManyRuns, await client.get(runsPath(chatbot)))

/** Makes what waits for a change of a chatbot due now, and waits until its tests are run. Returns whether any were. */
export const settled = async (query: TestServer["query"], chatbot: string): Promise<boolean> => {
  const due = await query(
    SystemSql.use(
      (sql) => sql`update test_queue set run_at = now() where chatbot_id = ${chatbot} and trigger = 'change'
        and lease_id is null returning chatbot_id`,
    ),
  )
  await until(
    () =>
      query(
        SystemSql.use(
          (sql) => sql`select from test_queue where chatbot_id = ${chatbot} and run_at <= now() + interval '1 minute'`,
        ),
      ),
    ({ length }) => length === 0,
  )
  return due.length > 0
}
