import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { JsonBody } from "../api/Middleware.ts"
import { Config } from "../Config.ts"
import { InvalidRequest } from "../domain/Errors.ts"

/** How deep arrays and objects nest. Counts brackets outside of strings, so it needs no parser that could overflow. */
export const jsonDepth = (text: string): number => {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === 0x5c) index++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth)
    else if (code === 0x5d || code === 0x7d) depth--
  }
  return deepest
}

const isJson = ({ headers, method }: HttpServerRequest.HttpServerRequest) =>
  (method === "POST" || method === "PATCH") && !(headers["content-type"] ?? "").startsWith("multipart/")

export const layer = Layer.effect(
  JsonBody,
  Effect.gen(function* () {
    const { jsonDepthLimit } = yield* Config

    return (respond) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        // The request keeps its text, so the handler does not read it again.
        if (isJson(request) && jsonDepth(yield* Effect.orDie(request.text)) > jsonDepthLimit) {
          return yield* InvalidRequest.at("body", `Expected JSON that nests at most ${jsonDepthLimit} levels deep`)
        }
        return yield* respond
      })
  }),
)
