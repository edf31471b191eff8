import { Effect, type Scope } from "effect"
import { listening } from "./Listening.ts"

/*
 * A server with OpenAI's chat completions that speaks as those do which people run, and not as OpenAI's documentation.
 */

/** The fields of a request that such servers are particular about. */
export interface OddRequest {
  readonly model: string
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: unknown }>
  readonly tools?: ReadonlyArray<object>
  readonly stream_options?: object
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
}

/** Sends chunks, each of which has this as its `delta` or is whole, as server-sent events. */
export const chunks = (
  deltas: ReadonlyArray<object>,
  { end = "stop", type = "text/event-stream" }: { readonly end?: string | null; readonly type?: string } = {},
): Response => {
  const frames = deltas.map((delta) =>
    "choices" in delta || "error" in delta || "object" in delta || "detail" in delta
      ? delta
      : { id: "c", model: "m", choices: [{ index: 0, delta, finish_reason: null }] },
  )
  const last = end === null ? [] : [{ id: "c", model: "m", choices: [{ index: 0, delta: {}, finish_reason: end }] }]
  const text = [...frames, ...last].map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("")
  return new Response(`${text}data: [DONE]\n\n`, { headers: type === "" ? {} : { "content-type": type } })
}

/** Sends a text as one chunk for each of its pieces. */
export const pieces = (...texts: ReadonlyArray<string>): Response => chunks(texts.map((content) => ({ content })))

/** Refuses requests with this status, in the words of a server. */
export const refusal = (status: number, body: object | string) => (): Response =>
  typeof body === "string" ? new Response(body, { status }) : Response.json(body, { status })

/** Starts a server that answers each request by its number, from 1, and keeps the bodies of all of them. */
export const oddServer = Effect.fnUntraced(function* (
  answer: (request: OddRequest, count: number) => Response | Promise<Response>,
): Effect.fn.Return<{ readonly url: string; readonly requests: ReadonlyArray<OddRequest> }, never, Scope.Scope> {
  const requests: Array<OddRequest> = []
  const url = yield* listening(async (request) => {
    const body: OddRequest = JSON.parse(await request.text())
    return answer(body, requests.push(body))
  })
  return { url: `${url}/`, requests }
})
