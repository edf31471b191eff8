import { Effect, Layer, Stream } from "effect"
import type { Response } from "effect/ai"
import type { ProviderFailure } from "../../src/models/calls/ProviderFailure.ts"
import type { ModelCalls, ModelRequest } from "../../src/models/ModelCalls.ts"
import { Models, ModelUnavailable } from "../../src/models/Models.ts"

/** The answer of the model to one request: parts, or an effect that may fail, wait or depend on the request. */
export type ScriptedAnswer =
  | Array<Response.PartEncoded>
  | ((request: ModelRequest) => Effect.Effect<Array<Response.PartEncoded>, ProviderFailure>)

const scriptedUsage = {
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

/** A model that gives the answers of a script in order, and repeats the last one. */
export class ScriptedModel {
  readonly requests: Array<ModelRequest> = []
  private readonly script: ReadonlyArray<ScriptedAnswer>
  private lastPieces: Stream.Stream<Response.StreamPartEncoded, ProviderFailure> | undefined

  constructor(...script: ReadonlyArray<ScriptedAnswer>) {
    this.script = script
  }

  /**
   * Sets the answer of a stream after the script: these pieces, `atOnce` at a time, and then `then`, which may end,
   * fail or wait. `onRead` is called for each piece.
   */
  thenPieces(
    pieces: ReadonlyArray<Response.StreamPartEncoded>,
    then: Effect.Effect<void, ProviderFailure>,
    onRead: () => void = () => {},
    atOnce = 1,
  ): void {
    this.lastPieces = Stream.fromIterable(pieces).pipe(
      Stream.tap(() => Effect.sync(onRead)),
      Stream.rechunk(atOnce),
      Stream.concat(Stream.drain(Stream.fromEffect(then))),
    )
  }

  /** A `Models` service in which every name is this model, except `missing`, which is unavailable. */
  get models(): Layer.Layer<Models> {
    const resolved = { calls: this.calls, model: "scripted", provider: "scripted" }
    return Layer.succeed(
      Models,
      Models.of({
        defaultModel: "scripted",
        check: (model) => (model === "missing" ? unavailable : Effect.void),
        get: (model) => (model === "missing" ? unavailable : Effect.succeed(resolved)),
        keyHint: () => Effect.succeed(null),
      }),
    )
  }

  private get calls(): ModelCalls {
    return {
      answer: (request, onParts) => {
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

/** Splits parts as a provider may stream them: one UTF-16 code unit at a time, even within a character of two. */
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
