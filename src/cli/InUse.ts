import { Effect, Layer } from "effect"
import { Config } from "../Config.ts"
import type { OrganizationRemoval } from "../jobs/OrganizationRemoval.ts"
import type { ApiKeys } from "../services/ApiKeys.ts"
import type { Organizations } from "../services/Organizations.ts"
import { StartupError } from "../system/StartupError.ts"
import { urlOf } from "../system/Url.ts"

/*
 * The embedded database serves one process at a time. A command that finds it in use by a server fails, and says what
 * to do instead.
 */

/** Adds what to do instead to the error of a layer that fails because another process uses the embedded database. */
export const whenInUse = <A, E, R>(
  layer: Layer.Layer<A, E, R>,
  /** Says what to do instead, by the address of a server with these settings. */
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

/** Says what to do instead of a command that only works while no server runs. */
export const stopFirst = (url: string): string => `Stop that process first. If it is a server, ${url}/readyz answers.`

/** Makes the layer of a command on organizations and keys. `request` makes the HTTP request that does the same. */
export type WithTenancy<E, R> = (
  request: (url: string) => string,
) => Layer.Layer<ApiKeys | OrganizationRemoval | Organizations, E, R>

/** Makes a `curl` command that sends a request of the admin API to a server. */
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
export const exampleQuota = { quota: { chatbots: 100 } }
