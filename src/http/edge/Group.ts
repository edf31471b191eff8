import { Context, Effect, Fiber, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"

/** Prefixes of the keys of our own services, and of those of the middleware, which endpoints look up. */
const [OURS, MIDDLEWARE] = ["parley/", "parley/api/"]

/** The services without those that handlers have taken when they were made. */
const ofRequests = (services: ReadonlyMap<string, unknown>): Map<string, unknown> =>
  new Map(
    Array.from(services).filter(
      ([key]) => (!key.startsWith(OURS) || key.startsWith(MIDDLEWARE)) && !key.includes("HttpApiGroup/"),
    ),
  )

/**
 * Makes the handlers of a group of endpoints, as `HttpApiBuilder.group` does. That one copies every service that there
 * was when the handlers were made into the context of each request, a hundred of them, though handlers take theirs when
 * they are made; here they are left out.
 */
export const group: typeof HttpApiBuilder.group = (api, identifier, build) =>
  Layer.effectContext(
    Effect.contextWith((all) =>
      Layer.build(
        HttpApiBuilder.group(api, identifier, (handlers) => {
          // The group has taken what requests need from the smaller context.
          Fiber.getCurrent()?.setContext(all)
          return build(handlers)
        }),
      ).pipe(Effect.updateContext((context: typeof all) => Context.makeUnsafe(ofRequests(context.mapUnsafe)))),
    ),
  )
