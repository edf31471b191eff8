import { afterEach } from "bun:test"
import { Effect, Exit, Scope } from "effect"

/** Runs effects for the tests of the calling file, with a scope that closes after each test. */
export const scopedRun = () => {
  let scope = Scope.makeUnsafe()
  afterEach(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    scope = Scope.makeUnsafe()
  })
  return <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> => Effect.runPromise(Scope.provide(effect, scope))
}
