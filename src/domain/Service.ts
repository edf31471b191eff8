import { Context, Effect, Layer } from "effect"

/**
 * Makes the class that a service extends: its key, what makes it, and `layer`, which makes it once for all that need it.
 * Services that are made with settings, or with services of their own, extend `Context.Service`.
 */
export const Service =
  <Self>() =>
  <const Id extends string, Eff extends Effect.Effect<unknown, unknown, unknown>, Shape>(
    id: Id,
    generator: () => Generator<Eff, Shape, never>,
  ) => {
    const service = Context.Service<Self>()(id, { make: Effect.gen(generator) })
    return Object.assign(service, { layer: Layer.effect(service, service.make) })
  }
