import { afterAll, afterEach } from "bun:test"
import { Effect, Exit, Scope } from "effect"

type Run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) => Promise<A>

const close = (scope: Scope.Closeable): Promise<void> => Effect.runPromise(Scope.close(scope, Exit.void))

/** Runs effects for the tests of the calling file, with a scope that closes after each test. */
export const scopedRun = (): Run => {
  let scope = Scope.makeUnsafe()
  afterEach(async () => {
    await close(scope)
    scope = Scope.makeUnsafe()
  })
  return (effect) => Effect.runPromise(Scope.provide(effect, scope))
}

/** Runs effects for the tests of the calling file, with a scope that closes after all of them. */
export const sharedRun = (): Run => {
  const scope = Scope.makeUnsafe()
  afterAll(() => close(scope))
  return (effect) => Effect.runPromise(Scope.provide(effect, scope))
}
