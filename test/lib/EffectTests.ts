import { test } from "bun:test"
import { Effect } from "effect"

/** Makes tests whose bodies are effects that `run` runs, each written as the body of `Effect.gen`. */
export const effectTests =
  <R>(run: <A, E>(effect: Effect.Effect<A, E, R>) => Promise<A>) =>
  (title: string, body: () => Generator<Effect.Effect<unknown, unknown, R>, unknown, never>, timeout?: number): void =>
    test(title, () => run(Effect.asVoid(Effect.gen(body))), timeout)
