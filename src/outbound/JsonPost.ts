import { Effect, type Redacted, type Schema } from "effect"
import { parseJson } from "../text/Json.ts"
import { keyHeaders } from "./KeyHeaders.ts"
import { readText } from "./ResponseText.ts"

/** A request that posts JSON to a service. */
export interface JsonPost {
  readonly url: string
  /** The key of the service; undefined for a service that needs none. */
  readonly apiKey: Redacted.Redacted | undefined
  readonly body: object
  /** The longest body of a response that is read. */
  readonly bytesMax: number
}

/**
 * Posts JSON with `fetch` itself, and reads the whole response, also that of a refusal, so that its connection can serve
 * again; `json` is undefined where the `text` is none. Fails with what `onFailure` makes of an `Oversized` body, or of
 * anything else.
 */
export const postJson = <E>(
  { apiKey, body, bytesMax, url }: JsonPost,
  onFailure: (error: unknown) => E,
): Effect.Effect<{ readonly response: Response; readonly text: string; readonly json: Schema.Json | undefined }, E> =>
  Effect.tryPromise({
    try: async (signal) => {
      const headers = { "content-type": "application/json", ...keyHeaders(url, apiKey) }
      const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body), signal })
      const text = await readText(response, bytesMax)
      return { response, text, json: parseJson(text) }
    },
    catch: onFailure,
  })
