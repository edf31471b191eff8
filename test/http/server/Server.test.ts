import { expect, spyOn, test } from "bun:test"
import { Duration, Effect, Layer, Predicate } from "effect"
import { Lifecycle } from "../../../src/http/edge/Lifecycle.ts"
import { Server } from "../../../src/http/server/Server.ts"

const settings = {
  host: "127.0.0.1",
  port: 0,
  patience: Duration.seconds(200),
  drainTimeout: Duration.seconds(1),
}

const isServer = (value: unknown): value is Bun.Server<unknown> => Predicate.hasProperty(value, "timeout")

const anyChatbot = "/api/external/chatbot/01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"

test("only the connections of slow endpoints may be silent for longer than the usual idle time", () =>
  Effect.gen(function* () {
    const serve = spyOn(Bun, "serve")
    const silences: Array<string> = []
    yield* Effect.gen(function* () {
      const { url } = yield* Server
      const made: unknown = serve.mock.results[0]?.value
      serve.mockRestore()
      if (!isServer(made)) return yield* Effect.die("nothing listens")
      const timeout = spyOn(made, "timeout")
      for (const line of [
        "POST /v1/chat/completions",
        "POST /v1/chat/completions?stream=true",
        "DELETE /v1/chat/completions",
        "GET /v1/models?model=/v1/chat/completions",
        `POST ${anyChatbot}/chat`,
        `GET ${anyChatbot}/chat`,
        `POST ${anyChatbot}/query-knowledge`,
        `DELETE ${anyChatbot}/knowledge-base?all=true`,
        `GET ${anyChatbot}/knowledge-base`,
        "POST /api/external/chatbots",
        "POST /mcp",
      ]) {
        const [method = "", path] = line.split(" ")
        timeout.mockClear()
        yield* Effect.promise(() => fetch(`${url}${path}`, { method }))
        for (const [, seconds] of timeout.mock.calls) silences.push(`${line}: ${seconds}`)
      }
    }).pipe(Effect.provide(Layer.provide(Server.layer(settings), Lifecycle.layer)))
    expect(silences).toEqual([
      "POST /v1/chat/completions: 200",
      "POST /v1/chat/completions?stream=true: 200",
      `POST ${anyChatbot}/chat: 200`,
      `DELETE ${anyChatbot}/knowledge-base?all=true: 200`,
      "POST /mcp: 200",
    ])
  }).pipe(Effect.runPromise))
