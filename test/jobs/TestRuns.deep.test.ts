import { expect, test } from "bun:test"
import { Context, Effect, Exit, Scope } from "effect"
import { TestRunBounds } from "../../src/jobs/TestRuns.ts"
import { Client, until } from "../lib/Client.ts"
import { endOf, listRuns, runsPath } from "../lib/Evaluation.ts"
import { type Site, site } from "../lib/kills/Site.ts"
import { operatorKey, serverProcess } from "../lib/ServerProcess.ts"

const TESTS = 60

/** A file of so many tests. */
const tests = new File(
  [
    Array.from({ length: TESTS }, (_, index) =>
      JSON.stringify({ question: `What is moss ${index}?`, expectations: {} }),
    ).join("\n"),
  ],
  "tests.jsonl",
)

/** Starts a server, of another version where one is named. */
const start = Effect.fnUntraced(function* (at: Site, version?: string) {
  const scope = yield* Scope.make()
  const bounds =
    version === undefined
      ? Context.empty()
      : Context.make(TestRunBounds, { ...TestRunBounds.defaultValue(), lease: "30 seconds", version })
  const server = yield* Scope.provide(serverProcess(at.settings, [], bounds), scope)
  const url = yield* Effect.promise(() => server.listening)
  return {
    client: new Client(url, operatorKey),
    kill: Scope.close(scope, Exit.void),
    said: () => server.stdout() + server.stderr(),
  }
})

/** Waits for a run by the first start of a version. */
const versionRun = (client: Client, chatbot: string, version: string) =>
  Effect.promise(() =>
    until(
      async () => (await listRuns(client, chatbot)).data,
      (runs) => runs.some(({ ended_at, server_version }) => ended_at !== null && server_version === version),
    ),
  )

test(
  "a run that is killed goes on with the tests that have no result, and a new version runs them all",
  () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const at = yield* site({ LOG_LEVEL: "info" })
          const first = yield* start(at)
          const { id, run } = yield* Effect.promise(async () => {
            const { id } = await first.client.newChatbot()
            await first.client.learn(id, { "moss.md": "# Moss\n\nMoss is a small plant.\n" })
            const form = new FormData()
            form.set("file", tests)
            const imported = await first.client.post(`/api/external/chatbot/${id}/tests/import`, { form })
            expect(imported.body).toMatchObject({ import: { added: TESTS } })
            const { body } = await first.client.post(runsPath(id), { json: {} })
            const run: string = Object(body).run.id
            await until(
              async () =>
                Object((await first.client.get(`${runsPath(id)}/${run}/results?limit=1`)).body).metadata.totalCount,
              (count: number) => count > 5,
            )
            return { id, run }
          })
          yield* first.kill
          const second = yield* start(at)
          const ended = yield* Effect.promise(() => endOf(second.client, id, run))
          expect(ended).toMatchObject({ status: "finished", counts: { total: TESTS, done: TESTS, untouched: 0 } })
          expect((yield* Effect.promise(() => listRuns(second.client, id))).data).toHaveLength(1)
          yield* second.kill

          // The first start of another version runs the tests, and says what they show.
          const third = yield* start(at, "9.0.0")
          const runs = yield* versionRun(third.client, id, "9.0.0")
          expect(runs).toMatchObject([{ trigger: "version", counts: { total: TESTS, untouched: TESTS } }, { id: run }])
          yield* Effect.promise(() =>
            until(third.said, (said) => said.includes("The tests of a chatbot were run with this version")),
          )
          yield* third.kill
          const fourth = yield* start(at, "9.1.0")
          expect(yield* versionRun(fourth.client, id, "9.1.0")).toHaveLength(3)
          yield* fourth.kill
        }),
      ),
    ),
  180_000,
)
