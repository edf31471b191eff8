import { expect, test } from "bun:test"
import { Effect, Layer, Logger, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { Agent } from "../../src/agent/Agent.ts"
import { Models } from "../../src/models/Models.ts"
import { NearServers } from "../../src/models/connections/NearServers.ts"
import { ProviderProbes } from "../../src/models/ProviderProbes.ts"
import { agentLayer } from "../lib/Answering.ts"
import { fails, fakeKey } from "../lib/FakeAnthropic.ts"
import { fakeProvider } from "../lib/FakeProvider.ts"
import { defaults, modelsSettings } from "../lib/Defaults.ts"

const key = Redacted.make(fakeKey)

/** The log, and the error for the client, when the provider of a model answers with a status. */
const told = (model: string, status: number, settingsAt: (url: string) => Parameters<typeof modelsSettings>[0]) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${JSON.stringify(message)}`))
    const fake = yield* fakeProvider(fails(status, "authentication_error"))
    const ask = Agent.use((agent) =>
      agent.reply({
        model,
        instructions: { chatbotName: "Ada", prompt: "Be brief.", personality: { tone: "", style: "" } },
        toolsEnabled: true,
        history: [{ role: "user", content: "Hello" }],
        search: () => Effect.succeed([]),
      }),
    )
    const models = Layer.provide(Models.layer(modelsSettings(settingsAt(fake.url))), FetchHttpClient.layer)
    const error = yield* Effect.flip(ask).pipe(
      Effect.provide([Layer.provide(agentLayer(defaults.agent), models), Logger.layer([logger])]),
    )
    return { detail: error.detail, log: lines.join("\n") }
  }).pipe(Effect.scoped, Effect.runPromise)

test.each([
  ["claude-sonnet-5-5", 401, "The provider refuses the key in ANTHROPIC_API_KEY (401)"],
  ["claude-sonnet-5-5", 403, "The provider does not let the key in ANTHROPIC_API_KEY do this (403)"],
  ["openai/gpt-9", 401, "The provider refuses the key in OPENAI_API_KEY (401)"],
] as const)(
  "for %s with status %i the log names the variable, and the client's error does not",
  async (model, status, line) => {
    const { detail, log } = await told(model, status, (baseUrl) => ({
      anthropic: { apiKey: key, baseUrl },
      openai: { apiKey: key, baseUrl },
    }))
    expect(log).toContain("Error")
    expect(log).toContain(line)
    expect(log).not.toContain(fakeKey)
    expect(detail).toBe("The model provider does not accept the key that it was sent, or wants one.")
  },
)

test("a server that requires a key is logged as such when none is set", async () => {
  const { log } = await told("openai/gpt-9", 401, (baseUrl) => ({ openai: { baseUrl } }))
  expect(log).toContain("The provider wants a key, and there is none in OPENAI_API_KEY (401)")
})

/** The probes of both providers at a server that answers every request with a status. */
const found = (status: number) =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          hostname: "127.0.0.1",
          port: 0,
          fetch: ({ headers, url }) => {
            asked.push(`${new URL(url).pathname} ${headers.get("authorization")}`)
            return Response.json({}, { status })
          },
        }),
      ),
      (server) => Effect.promise(() => server.stop(true)),
    )
    const baseUrl = `http://127.0.0.1:${server.port}`
    const probes = yield* ProviderProbes.use(({ run }) => run).pipe(
      Effect.provide(
        Layer.provide(
          ProviderProbes.layer(
            modelsSettings({ anthropic: { apiKey: key, baseUrl }, openai: { apiKey: key, baseUrl } }),
          ),
          FetchHttpClient.layer,
        ),
      ),
    )
    expect(asked).toEqual(["anthropic", "openai"].map(() => `/v1/models Bearer ${fakeKey}`))
    return probes
  }).pipe(Effect.scoped, Effect.runPromise)

test("a probe names the variable whose key is refused, and accepts any other answer", async () => {
  expect(await found(401)).toEqual([
    { provider: "anthropic", failure: "The provider refuses the key in ANTHROPIC_API_KEY (401)" },
    { provider: "openai", failure: "The provider refuses the key in OPENAI_API_KEY (401)" },
  ])
  for (const status of [200, 404]) {
    expect(await found(status)).toEqual([
      { provider: "anthropic", failure: undefined },
      { provider: "openai", failure: undefined },
    ])
  }
})

test("a probe names the URL that cannot be reached", async () => {
  const [probe] = await ProviderProbes.use(({ run }) => run).pipe(
    Effect.provide(
      Layer.provide(
        ProviderProbes.layer(modelsSettings({ openai: { baseUrl: "http://127.0.0.1:1" } })),
        FetchHttpClient.layer,
      ),
    ),
    Effect.runPromise,
  )
  expect(probe?.failure).toBe("http://127.0.0.1:1/v1/models cannot be reached; see OPENAI_BASE_URL and the network")
})

test("without a provider, the advice names the models of Ollama where it listens, and the settings where it does not", async () => {
  const ollama = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ url }) =>
      new URL(url).pathname === "/v1/models"
        ? Response.json({ object: "list", data: [{ id: "llama3.2:3b", object: "model" }] })
        : new Response(null, { status: 404 }),
  })
  const advice = (address: string) =>
    ProviderProbes.use((probes) => probes.advice).pipe(
      Effect.provide(Layer.provide(ProviderProbes.layer(modelsSettings({})), FetchHttpClient.layer)),
      Effect.provideService(NearServers, [{ name: "ollama", title: "Ollama", at: [address] }]),
      Effect.runPromise,
    )
  const address = `127.0.0.1:${ollama.port}`
  expect(await advice(address)).toBe(
    "Ollama listens on this machine: connect it under Models in the console, for llama3.2:3b",
  )
  await ollama.stop(true)
  expect(await advice(address)).toBe(
    "connect one under Models in the console, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL",
  )
})
