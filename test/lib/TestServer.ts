import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, setDefaultTimeout } from "bun:test"
import { ConfigProvider, Console, Context, Effect, Exit, Layer, Scope } from "effect"
import { Server } from "../../src/http/server/Server.ts"
import { server } from "../../src/main.ts"
import { Client } from "./Client.ts"
import { fakeKey } from "./FakeAnthropic.ts"
import { fakeOpenAiKey } from "./FakeOpenAi.ts"
import { type Provider, provider } from "./Provider.ts"
import { operatorKey, type Settings, settingsFor } from "./ServerProcess.ts"
import { fresh } from "./TestDatabase.ts"

/** Milliseconds: as long as a test of a server may take on a machine that has other things to do. */
export const testTimeout = 60_000

export interface TestServer {
  readonly url: string
  /** With the operator's key. */
  readonly client: Client
  /** Answers as Anthropic and as OpenAI. */
  readonly provider: Provider
  /** Names of the files that it keeps. */
  readonly stored: (kind: "avatars" | "documents") => ReadonlyArray<string>
  /** Paths of the search indexes that it keeps. */
  readonly indexes: () => ReadonlyArray<string>
}

const quiet = Layer.succeed(Console.Console, { ...globalThis.console, log: () => {} })

const start = Effect.fnUntraced(function* (settings: Settings) {
  const anthropic = yield* provider
  const given = yield* settingsFor(yield* fresh)
  const env = {
    ...given,
    LOG_LEVEL: "none",
    ANTHROPIC_API_KEY: fakeKey,
    ANTHROPIC_BASE_URL: anthropic.url,
    OPENAI_API_KEY: fakeOpenAiKey,
    OPENAI_BASE_URL: anthropic.url,
    ...settings,
  }
  const context = yield* Layer.build(
    Layer.provide(server, [quiet, ConfigProvider.layer(ConfigProvider.fromEnv({ env }))]),
  )
  const { url } = Context.get(context, Server)
  return {
    url,
    client: new Client(url, operatorKey),
    provider: anthropic,
    stored: (kind: string) => {
      const directory = join(given.DATA_DIR, "files", kind)
      return existsSync(directory) ? readdirSync(directory) : []
    },
    indexes: () =>
      readdirSync(join(given.DATA_DIR, "indexes"), { recursive: true, encoding: "utf8" }).filter((path) =>
        path.endsWith(".segment"),
      ),
  }
})

/**
 * The real server of `main.ts` in this process, on a port and a database of its own, until the tests of the calling
 * file are over.
 */
export const startServer = (settings: Settings = {}): Promise<TestServer> => {
  setDefaultTimeout(testTimeout)
  const scope = Scope.makeUnsafe()
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Effect.runPromise(Scope.provide(start(settings), scope))
}
