import { expect, test } from "bun:test"
import { Duration, Effect } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import type { ProviderFailure } from "../../../src/models/calls/ProviderFailure.ts"
import type { ModelCalls } from "../../../src/models/ModelCalls.ts"
import { makeOpenAi } from "../../../src/models/openai/OpenAi.ts"
import { streamed, textOf, whole } from "../../lib/Asking.ts"
import { callSettings } from "../../lib/Defaults.ts"
import { oddServer, pieces } from "../../lib/OddServer.ts"

const SILENCE = Duration.millis(100)
const limits = callSettings({ silence: SILENCE, attemptsMax: 1 })

test.each<readonly [string, (model: ModelCalls) => Effect.Effect<string, ProviderFailure>]>([
  ["whole", (model) => Effect.map(whole(model), textOf)],
  ["streamed", (model) => Effect.map(streamed(model), textOf)],
])(
  "a server of one's own may take as long as a reply to load a model, and no longer than a silence afterwards: %s",
  async (_, ask) => {
    await Effect.gen(function* () {
      const { requests, url } = yield* oddServer(async (_request, count) => {
        if (count > 1) return new Promise<Response>(() => {})
        await Bun.sleep(10 * Duration.toMillis(SILENCE))
        return pieces("At six.")
      })
      const model = makeOpenAi({ apiKey: undefined, baseUrl: url, limits }, yield* HttpClient.HttpClient)("m")
      expect(yield* ask(model)).toBe("At six.")
      expect(requests).toHaveLength(1)
      expect(yield* Effect.flip(ask(model))).toMatchObject({ kind: "timeout" })
      expect(requests).toHaveLength(2)
    }).pipe(Effect.scoped, Effect.provide(FetchHttpClient.layer), Effect.runPromise)
  },
)
