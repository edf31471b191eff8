import { Duration, Effect, Layer, Redacted, References } from "effect"
import { FetchHttpClient } from "effect/http"
import { Agent, type AgentInput } from "../../src/agent/Agent.ts"
import { CallBounds } from "../../src/models/calls/ProviderCalls.ts"
import { Models } from "../../src/models/Models.ts"
import { agentLayer } from "./Answering.ts"
import { defaults, modelsSettings } from "./Defaults.ts"
import { type OddRequest, oddServer } from "./OddServer.ts"

/*
 * The replies of a chatbot whose model is on an odd server.
 */

export const passage = {
  documentId: "d1",
  title: "Tides",
  chunk: 1,
  page: null,
  content: "The tide turns at six.",
  similarity: 0.8,
}

export const input: AgentInput = {
  model: "openai/m",
  instructions: { chatbotName: "Ada", prompt: "Be brief.", personality: { tone: "", style: "" } },
  toolsEnabled: true,
  history: [{ role: "user", content: "When does the tide turn?" }],
  search: () => Effect.succeed([passage]),
}

/** Has a reply streamed. */
export const streams = { isStreamed: true }

/** Asks a chatbot whose model is on such a server this many times, and returns the replies with what the server got. */
export const ask = (
  answer: (request: OddRequest, count: number) => Response,
  { times = 1, ...more }: Partial<AgentInput> & { readonly times?: number } = {},
) =>
  Effect.gen(function* () {
    const { requests, url } = yield* oddServer(answer)
    const provider = { apiKey: Redacted.make("key"), baseUrl: url }
    const models = Models.layer(modelsSettings({ openai: provider, anthropic: provider }))
    const replies = yield* Effect.forEach(Array.from({ length: times }), () =>
      Agent.use((agent) => agent.reply({ ...input, ...more })),
    ).pipe(Effect.provide(agentLayer(defaults.agent).pipe(Layer.provide(models), Layer.provide(FetchHttpClient.layer))))
    return { replies, requests }
  }).pipe(
    Effect.scoped,
    Effect.provideService(CallBounds, { retryDelay: Duration.millis(1) }),
    Effect.provideService(References.MinimumLogLevel, "None"),
    Effect.runPromise,
  )
