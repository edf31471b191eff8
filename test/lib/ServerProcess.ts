import { mkdirSync, renameSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { Context, Effect, type Scope } from "effect"
import { sharedCache } from "./BuiltPages.ts"
import { operatorKey, type ServerProcess, type Settings, spawn } from "./Spawn.ts"
import { type TestDatabase } from "./TestDatabase.ts"
import { temporaryDirectory } from "./TemporaryDirectory.ts"

export { operatorKey, type ServerProcess, type Settings, spawn } from "./Spawn.ts"

/**
 * The settings of a server with a new data directory and this database. An embedded database moves into the data
 * directory.
 */
export const settingsFor = Effect.fnUntraced(function* (
  database: TestDatabase,
): Effect.fn.Return<Settings & { readonly DATA_DIR: string }, never, Scope.Scope> {
  const directory = yield* temporaryDirectory("server")
  yield* Effect.sync(() => {
    mkdirSync(sharedCache, { recursive: true })
    symlinkSync(sharedCache, join(directory, "cache"))
    if (database.kind === "embedded") renameSync(database.directory, join(directory, "database"))
  })
  return {
    PORT: "0",
    DATA_DIR: directory,
    BOOTSTRAP_API_KEY: operatorKey,
    DEFAULT_MODEL: "local/extractive",
    // Most tests are of one process, on whichever database.
    WORKERS: "1",
    // Tests ask as fast as they can.
    RATE_LIMIT: "off",
    ADDRESS_RATE_LIMIT: "off",
    WIDGET_ADDRESS_RATE_LIMIT: "off",
    // Their own servers listen here.
    TOOL_PRIVATE_NETWORKS: "127.0.0.1/32",
    ...(database.kind === "postgres" && { DATABASE_URL: database.url }),
  }
})

/** The script and the arguments of a server with these constants in place of its own. */
export const scriptWith = (constants: Context.Context<never>): ReadonlyArray<string> =>
  constants.mapUnsafe.size === 0
    ? ["src/start.ts"]
    : ["test/lib/TunedServer.ts", JSON.stringify(Object.fromEntries(constants.mapUnsafe))]

/** Starts a server as a process, for tests of signals and of starts that fail. Closing the scope kills it. */
export const serverProcess = (
  settings: Settings,
  command: ReadonlyArray<string> = [],
  constants: Context.Context<never> = Context.empty(),
): Effect.Effect<ServerProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => spawn(settings, [process.execPath, ...scriptWith(constants), ...command])),
    (process) => Effect.promise(() => (process.kill("SIGKILL"), process.exited)),
  )
