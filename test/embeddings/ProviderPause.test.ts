import { describe, expect, test } from "bun:test"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { EmbeddingsFailure } from "../../src/embeddings/EmbeddingsFailure.ts"
import { ProviderPause } from "../../src/embeddings/ProviderPause.ts"
import { quiet } from "../lib/Layers.ts"

describe("a pause of the embedding provider", () => {
  test("lasts no longer when the machine's clock is set back", () =>
    Effect.gen(function* () {
      const pause = new ProviderPause()
      expect(yield* pause.remaining).toBe(0)
      yield* TestClock.setTime(Duration.toMillis("1 hour"))
      const retryAfter = Duration.seconds(20)
      yield* pause.begin(new EmbeddingsFailure({ kind: "passing", reason: "429", retryAfter }))
      expect(yield* pause.remaining).toBe(20_000)
      yield* TestClock.setTime(0)
      expect(yield* pause.remaining).toBe(20_000)
      yield* TestClock.adjust("20 seconds")
      expect(yield* pause.remaining).toBe(0)
    }).pipe(Effect.provide([TestClock.layer(), quiet]), Effect.runPromise))
})
