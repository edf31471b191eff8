import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { setDefaultTimeout } from "bun:test"
import { ConfigProvider, Console, Context, Duration, Effect, Layer, Redacted, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { TopicsInterval } from "../../src/jobs/Topics.ts"
import { UploadWaits } from "../../src/http/knowledge/UploadWait.ts"
import { Server } from "../../src/http/server/Server.ts"
import { server } from "../../src/main.ts"
import { LookupMillis } from "../../src/services/keys/RecentLookups.ts"
import { ConsoleSessions } from "../../src/services/people/ConsoleSessions.ts"
import { UpdateInterval } from "../../src/services/widget/VisitorUpdates.ts"
import { SystemSql } from "../../src/storage/sql/Database.ts"
import { Client } from "./Client.ts"
import { fakeKey } from "./FakeAnthropic.ts"
import { fakeOpenAiKey } from "./FakeOpenAi.ts"
import { keyOf } from "./Keys.ts"
import { type Provider, provider } from "./Provider.ts"
import { operatorKey, type Settings, settingsFor } from "./ServerProcess.ts"
import { sharedRun } from "./Scoped.ts"
import { fresh } from "./TestDatabase.ts"

/** The timeout of a test of a server in milliseconds, long enough for a busy machine. */
export const testTimeout = 180_000

/** A running server with what a test needs to use it. */
export interface TestServer {
  readonly url: string
  /** A client with the key that the file works with: of an organization of its own, or of the operator's. */
  readonly client: Client
  /** A client with the operator's key. */
  readonly operator: Client
  /** A fake of both Anthropic and OpenAI. */
  readonly provider: Provider
  /** The names of the files in the blob store. */
  readonly stored: (kind: "attachments" | "avatars" | "documents") => ReadonlyArray<string>
  /** Every row of every table, and every file outside of the database, as text. */
  readonly dump: () => Promise<string>
  /** Makes a link that signs in at the console with a key, once. */
  readonly signInLink: (key: string) => Promise<string>
  /** Runs statements, by `SystemSql` as the owner of the tables, whom row-level security does not restrict. */
  readonly query: <A, E>(query: Effect.Effect<A, E, SystemSql | SqlClient.SqlClient>) => Promise<A>
}

/** Every row of every table as JSON. */
export const dumpRows = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const tables = yield* sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`
  const rows = yield* Effect.forEach(
    tables,
    ({ name }) => sql<{ row: string }>`select ${name} || ' ' || to_jsonb(t)::text as row from ${sql(name)} t`,
  )
  return rows.flat().map(({ row }) => row)
})

const quiet = Layer.succeed(Console.Console, { ...globalThis.console, log: () => {} })

/**
 * An upload is waited for also where the machine is busy with other tests. And the model is called by what a test does
 * alone: by default it is asked for the names of topics every minute, in whichever test that is.
 */
const patient = Context.make(UploadWaits, { ...UploadWaits.defaultValue(), usual: "2 minutes" }).pipe(
  Context.add(TopicsInterval, Duration.days(1)),
)

/** Starts a server as `startServer` does, until the scope closes. */
export const makeServer = Effect.fnUntraced(function* (
  settings: Settings,
  constants: Context.Context<never> = Context.empty(),
) {
  const anthropic = yield* provider
  const given = yield* settingsFor(yield* fresh)
  const env = {
    ...given,
    LOG_LEVEL: process.env["PARLEY_TEST_LOGS"] === undefined ? "none" : "info",
    ANTHROPIC_API_KEY: fakeKey,
    ANTHROPIC_BASE_URL: anthropic.url,
    OPENAI_API_KEY: fakeOpenAiKey,
    OPENAI_BASE_URL: anthropic.url,
    ...settings,
  }
  const context = yield* Layer.build(
    Layer.provide(server, [
      quiet,
      ConfigProvider.layer(ConfigProvider.fromEnv({ env })),
      Layer.succeedContext(Context.merge(patient, constants)),
    ]),
  )
  const { url } = Context.get(context, Server)
  const operator = new Client(url, operatorKey)
  return {
    url,
    client: operator,
    operator,
    provider: anthropic,
    stored: (kind) => {
      const directory = join(given.DATA_DIR, "files", kind)
      return existsSync(directory) ? readdirSync(directory) : []
    },
    signInLink: (key) =>
      Effect.runPromiseWith(context)(ConsoleSessions.use(({ makeLink }) => makeLink(Redacted.make(key)))),
    query: (query) => Effect.runPromiseWith(context)(query),
    dump: async () => {
      const paths = readdirSync(given.DATA_DIR, { recursive: true, encoding: "utf8" })
        .filter((path) => !path.startsWith("database"))
        .map((path) => join(given.DATA_DIR, path))
        .filter((path) => statSync(path).isFile())
      const files = paths.map((path) => `${path}\n${readFileSync(path, "latin1")}`)
      const rows = await Effect.runPromiseWith(context)(SystemSql.use(dumpRows))
      return [...rows, ...files].join("\n")
    },
  } satisfies TestServer
})

/**
 * Starts the real server of `main.ts` in this process, with a port and a database of its own, until the tests of the
 * calling file have ended. The constants take the place of references with a default, such as pauses.
 */
export const startServer = (settings: Settings = {}, constants?: Context.Context<never>): Promise<TestServer> => {
  setDefaultTimeout(testTimeout)
  return sharedRun()(makeServer(settings, constants))
}

let shared: Promise<TestServer> | undefined

/** What is read again is read again soon. */
const impatient = Context.make(LookupMillis, 100).pipe(Context.add(UpdateInterval, Duration.millis(100)))

/**
 * The server without settings of their own that the test files of a process share; it is started for the first of them.
 * `client` has a key of a new organization, with all scopes but the operator's.
 */
export const sharedServer = async (): Promise<TestServer> => {
  setDefaultTimeout(testTimeout)
  // Nothing ends it but the end of the process.
  const server = await (shared ??= Effect.runPromise(
    Scope.provide(makeServer({ SECRETS_KEY: Buffer.from(keyOf(1)).toString("base64") }, impatient), Scope.makeUnsafe()),
  ))
  await server.provider.answers()
  return { ...server, client: await server.operator.newOrganization() }
}
