import { Effect, Layer, Stream } from "effect"
import type { AiError, Response } from "effect/ai"
import type { ModelCalls, ModelRequest } from "../../src/models/ModelCalls.ts"
import { Models, ModelUnavailable } from "../../src/models/Models.ts"

/** What the model answers to one request: parts, or an effect that may fail, wait or look at the request. */
export type ScriptedAnswer =
  | Array<Response.PartEncoded>
  | ((request: ModelRequest) => Effect.Effect<Array<Response.PartEncoded>, AiError.AiError>)

export const scriptedUsage = {
  inputTokens: { uncached: 10, total: 33, cacheRead: 20, cacheWrite: 3 },
  outputTokens: { total: 5, text: undefined, reasoning: undefined },
}

export const finish = (reason: Response.FinishReason): Response.PartEncoded => ({
  type: "finish",
  reason,
  usage: scriptedUsage,
})

export const answers = (text: string, reason: Response.FinishReason = "stop"): Array<Response.PartEncoded> => [
  { type: "text", text },
  finish(reason),
]

export const toolCall = (id: string, params: unknown, name = "searchKnowledgeBase"): Response.PartEncoded => ({
  type: "tool-call",
  id,
  name,
  params,
})

export const asks = (...queries: ReadonlyArray<string>): Array<Response.PartEncoded> => [
  ...queries.map((query, index) => toolCall(`${query}-${index}`, { query })),
  finish("tool-calls"),
]

/** A model that answers as told, in turn; the last answer is given again and again. */
export class ScriptedModel {
  readonly requests: Array<ModelRequest> = []
  private readonly script: ReadonlyArray<ScriptedAnswer>
  private lastPieces: Stream.Stream<Response.StreamPartEncoded, AiError.AiError> | undefined

  constructor(...script: ReadonlyArray<ScriptedAnswer>) {
    this.script = script
  }

  /**
   * After the script, a stream gets these pieces, so many at once, and then ends, fails or waits. `onRead` is called
   * for each.
   */
  thenPieces(
    pieces: ReadonlyArray<Response.StreamPartEncoded>,
    then: Effect.Effect<void, AiError.AiError>,
    onRead: () => void = () => {},
    atOnce = 1,
  ): void {
    this.lastPieces = Stream.fromIterable(pieces).pipe(
      Stream.tap(() => Effect.sync(onRead)),
      Stream.rechunk(atOnce),
      Stream.concat(Stream.drain(Stream.fromEffect(then))),
    )
  }

  /** `Models` whose every model is this one, but `missing`. */
  get models(): Layer.Layer<Models> {
    const resolved = { calls: this.calls, provider: "scripted" }
    return Layer.succeed(
      Models,
      Models.of({
        defaultModel: "scripted",
        check: (model) => (model === "missing" ? unavailable : Effect.void),
        get: (model) => (model === "missing" ? unavailable : Effect.succeed(resolved)),
      }),
    )
  }

  private get calls(): ModelCalls {
    return {
      generate: (request) => this.next(request),
      stream: (request, onParts) => {
        const pieces =
          this.lastPieces !== undefined && this.requests.length >= this.script.length
            ? this.lastPieces
            : Stream.unwrap(
                Effect.map(this.next(request), (parts) => Stream.rechunk(Stream.fromIterable(piecesOf(parts)), 1)),
              )
        return Stream.runForEachArray(pieces, (read) => onParts(read) ?? Effect.void)
      },
    }
  }

  private next(request: ModelRequest) {
    this.requests.push(request)
    const answer = this.script[Math.min(this.requests.length, this.script.length) - 1] ?? answers("")
    return typeof answer === "function" ? answer(request) : Effect.succeed(answer)
  }
}

/** The same in pieces, as a provider would stream it: one character at a time, half a character where it is of two. */
export const piecesOf = (parts: ReadonlyArray<Response.PartEncoded>): ReadonlyArray<Response.StreamPartEncoded> =>
  parts.flatMap((part, index): ReadonlyArray<Response.StreamPartEncoded> => {
    const id = String(index)
    if (part.type === "text") {
      const deltas = part.text.split("").map((delta) => ({ type: "text-delta" as const, id, delta }))
      return [{ type: "text-start", id }, ...deltas, { type: "text-end", id }]
    }
    if (part.type === "reasoning") {
      return [
        { type: "reasoning-start", id },
        { type: "reasoning-delta", id, delta: part.text },
        { type: "reasoning-end", id },
      ]
    }
    if (part.type === "tool-call") return [{ type: "tool-params-start", id: part.id, name: part.name }, part]
    return [part]
  })

const unavailable = Effect.fail(new ModelUnavailable({ model: "missing", detail: "missing needs SOME_KEY." }))
