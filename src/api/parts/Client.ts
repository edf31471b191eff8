import { type Effect, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Api } from "../Api.ts"

/** Makes a typed client of Parley's API, derived from the declaration that the server implements. */
export const makeClient = (url: string, key: Redacted.Redacted) =>
  HttpApiClient.make(Api, {
    baseUrl: url,
    transformClient: HttpClient.mapRequest(HttpClientRequest.setHeader("x-api-key", Redacted.value(key))),
  })

export type Client = Effect.Success<ReturnType<typeof makeClient>>
