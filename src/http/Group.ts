import { Effect, type Layer, type Scope } from "effect"
import { type HttpApi, HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { Api } from "../api/Api.ts"

type Groups = typeof Api extends HttpApi.HttpApi<string, infer All> ? All : never
type Handlers<Name extends HttpApiGroup.Identifier<Groups>> = HttpApiBuilder.Handlers.FromGroup<
  HttpApiGroup.WithIdentifier<Groups, Name>
>
type Built<Eff, Handled> = Effect.Effect<Handled, Effect.Error<Eff>, Effect.Services<Eff>>

/** Makes the handlers of a group of `Api`. The compiler sees that no endpoint is without one. */
export const group = <
  const Name extends HttpApiGroup.Identifier<Groups>,
  Eff extends Effect.Effect<unknown, unknown, unknown>,
  Handled,
>(
  name: Name,
  build: (handlers: Handlers<Name>) => Generator<Eff, HttpApiBuilder.Handlers.ValidateReturn<Handled>, never>,
): Layer.Layer<
  HttpApiGroup.Service<"parley", Name>,
  Effect.Error<Eff>,
  Exclude<Effect.Services<Eff> | HttpApiBuilder.Handlers.Context<Handled>, Scope.Scope>
> =>
  HttpApiBuilder.group<"parley", Groups, Name, Built<Eff, Handled>>(
    Api,
    name,
    // TypeScript takes `Name` for any of the groups here, where it is one of them.
    (handlers) => Effect.gen(() => build(handlers as never)) as never,
  ) as never
