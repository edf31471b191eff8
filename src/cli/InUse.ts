import { Effect, Layer } from "effect"
import { Config } from "../Config.ts"
import type { OrganizationRemoval } from "../jobs/OrganizationRemoval.ts"
import type { ApiKeys } from "../services/ApiKeys.ts"
import type { Organizations } from "../services/Organizations.ts"
import { StartupError } from "../system/StartupError.ts"
import { urlOf } from "../system/Url.ts"

/*
 * The embedded database serves one process at a time. A command that finds a running server there says what to do instead.
 */

/** Fails, where the layer fails because another process has the embedded database, with what to do instead. */
export const whenInUse = <A, E, R>(
  layer: Layer.Layer<A, E, R>,
  /** Given the address of a server with these settings. */
  instead: (url: string) => string,
): Layer.Layer<A, E | StartupError, R> =>
  Layer.catch(layer, (error) =>
    Layer.effectContext<A, E | StartupError, Config>(
      Effect.flatMap(Config, ({ server: { host, port, publicUrl } }) =>
        Effect.fail(
          error instanceof StartupError && error.isInUse === true
            ? new StartupError({ what: error.what, doThis: instead(publicUrl ?? urlOf(host, port)) })
            : error,
        ),
      ),
    ).pipe(Layer.provide(Config.layer)),
  )

/** What to do instead of a command that needs the database for itself. */
export const stopFirst = (url: string): string =>
  `Stop that process first. Whether a server there is ready, ${url}/readyz tells.`

/** What commands on organizations and keys work with; `request` is one to a running server that does the same. */
export type WithTenancy<E, R> = (
  request: (url: string) => string,
) => Layer.Layer<ApiKeys | OrganizationRemoval | Organizations, E, R>

/** Asks a running server to do what a command does. */
export const curl =
  (path: string, method = "GET", body?: object) =>
  (url: string) =>
    [
      "curl",
      ...(method === "GET" ? [] : ["-X", method]),
      `${url}/api/admin/${path}`,
      '-H "x-api-key: $KEY"',
      ...(body === undefined ? [] : [`-H "content-type: application/json" -d '${JSON.stringify(body)}'`]),
    ].join(" ")

export const exampleBudget = { budget: { concurrent_chats: 8 } }
