import { Effect, Scope } from "effect"

/**
 * Runs an effect when the scope closes. Unlike `Effect.addFinalizer` it does not give the effect the services of now:
 * merging them with those of then costs a request some microseconds each time, because it has more than a hundred.
 */
export const atClose = (finalizer: Effect.Effect<unknown>): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(Effect.scope, (scope) => Scope.addFinalizer(scope, finalizer))
