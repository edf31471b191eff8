import { expect, test } from "bun:test"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { edge } from "../../../src/http/edge/Edge.ts"
import { Lifecycle } from "../../../src/http/edge/Lifecycle.ts"
import { quiet } from "../../lib/Layers.ts"

const anyChatbot = "/api/external/chatbot/01a9b7c2-1f2e-7c3d-8a4b-5c6d7e8f9a0b"

test("only the connections of slow endpoints may be silent for longer than the usual idle time", () =>
  Effect.gen(function* () {
    const slow: Array<string> = []
    const wrap = edge(
      yield* Lifecycle,
      yield* SecureRandom.SecureRandom,
      () => undefined,
      undefined,
      ({ method, url }) => void slow.push(`${method} ${url}`),
    )
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
      const [method = "", path = ""] = line.split(" ")
      const request = HttpServerRequest.fromWeb(new Request(`http://parley.example${path}`, { method }))
      yield* Effect.provideService(
        wrap(Effect.succeed(HttpServerResponse.empty())),
        HttpServerRequest.HttpServerRequest,
        request,
      )
    }
    expect(slow).toEqual([
      "POST /v1/chat/completions",
      "POST /v1/chat/completions?stream=true",
      `POST ${anyChatbot}/chat`,
      `DELETE ${anyChatbot}/knowledge-base?all=true`,
      "POST /mcp",
    ])
  }).pipe(Effect.provide([Lifecycle.layer, SecureRandom.layerWebCrypto, quiet]), Effect.runPromise))
