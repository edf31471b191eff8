import { Effect, Layer, Stream } from "effect"
import { type AiError, LanguageModel, type Response } from "effect/ai"
import { Models, ModelUnavailable } from "../../src/agent/Models.ts"

/** What the model answers to one request: parts, or an effect that may fail, wait or look at the request. */
export type ScriptedAnswer =
  | Array<Response.PartEncoded>
  | ((request: LanguageModel.ProviderOptions) => Effect.Effect<Array<Response.PartEncoded>, AiError.AiError>)

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
  readonly requests: Array<LanguageModel.ProviderOptions> = []
  private readonly script: ReadonlyArray<ScriptedAnswer>

  constructor(...script: ReadonlyArray<ScriptedAnswer>) {
    this.script = script
  }

  /** `Models` whose every model is this one, but `missing`. */
  get models(): Layer.Layer<Models> {
    return Layer.effect(
      Models,
      Effect.map(this.languageModel, (languageModel) =>
        Models.of({
          check: (model) => (model === "missing" ? unavailable : Effect.void),
          get: (model) => (model === "missing" ? unavailable : Effect.succeed({ languageModel, provider: "scripted" })),
        }),
      ),
    )
  }

  private get languageModel(): Effect.Effect<LanguageModel.LanguageModel> {
    return LanguageModel.make({
      generateText: (request) => this.next(request),
      streamText: () => Stream.die("A scripted model does not stream"),
    })
  }

  private next(request: LanguageModel.ProviderOptions) {
    this.requests.push(request)
    const answer = this.script[Math.min(this.requests.length, this.script.length) - 1] ?? answers("")
    return typeof answer === "function" ? answer(request) : Effect.succeed(answer)
  }
}

const unavailable = Effect.fail(new ModelUnavailable({ model: "missing", detail: "missing needs SOME_KEY." }))
