import { Cache, Context, Effect, Layer, Schema } from "effect"
import type { LanguageModel } from "effect/ai"
import type { AnthropicSettings } from "./Anthropic.ts"
import { extractiveModel, makeExtractive } from "./Extractive.ts"

/** The model is unknown, or its provider is not configured. `detail` says what to do, and is safe to show. */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>()("ModelUnavailable", {
  model: Schema.String,
  detail: Schema.String,
}) {}

/** The providers that are configured. */
export interface ModelsSettings {
  readonly anthropic?: AnthropicSettings | undefined
}

export interface ResolvedModel {
  readonly languageModel: LanguageModel.LanguageModel
  /** Name of the provider, such as `anthropic`. */
  readonly provider: string
}

interface Provider {
  readonly name: string
  readonly serves: (model: string) => boolean
  /** Without it, `missing` is the setting that would bring it. */
  readonly languageModel: ((model: string) => Effect.Effect<LanguageModel.LanguageModel>) | undefined
  readonly missing: string
}

/** How many models are kept ready, each with its compiled decoders. */
const readyModelsMax = 256

const isClaude = (model: string) => /^claude-[a-z0-9][a-z0-9.@-]{0,98}$/.test(model)

/** Its SDK takes a tenth of the server's start to load, so it waits for the first call. */
const anthropicOf = (settings: AnthropicSettings) =>
  Effect.cached(
    Effect.map(
      Effect.promise(() => import("./Anthropic.ts")),
      ({ makeAnthropic }) => makeAnthropic(settings),
    ),
  )

const providersOf = Effect.fnUntraced(function* (settings: ModelsSettings): Effect.fn.Return<ReadonlyArray<Provider>> {
  const anthropic = settings.anthropic === undefined ? undefined : yield* anthropicOf(settings.anthropic)
  return [
    { name: "local", serves: (model) => model === extractiveModel, languageModel: () => makeExtractive, missing: "" },
    {
      name: "anthropic",
      serves: isClaude,
      languageModel: anthropic && ((model) => Effect.flatMap(anthropic, ({ languageModel }) => languageModel(model))),
      missing: "ANTHROPIC_API_KEY",
    },
  ]
})

/** Resolves the model that a chatbot names. */
export class Models extends Context.Service<
  Models,
  {
    /** Fails when `get` would. */
    readonly check: (model: string) => Effect.Effect<void, ModelUnavailable>
    readonly get: (model: string) => Effect.Effect<ResolvedModel, ModelUnavailable>
  }
>()("parley/agent/Models") {
  static readonly layer = (settings: ModelsSettings): Layer.Layer<Models> =>
    Layer.effect(
      Models,
      Effect.gen(function* () {
        const providers = yield* providersOf(settings)
        const ready = yield* Cache.make({
          capacity: readyModelsMax,
          lookup: (model: string) => resolve(providers, model),
        })
        return Models.of({
          check: (model) => Effect.asVoid(find(providers, model)),
          get: (model) => Cache.get(ready, model),
        })
      }),
    )
}

const find = (providers: ReadonlyArray<Provider>, model: string) => {
  const provider = providers.find((provider) => provider.serves(model))
  if (provider === undefined) {
    return new ModelUnavailable({
      model,
      detail: `There is no model ${model}: use a claude-… model, or ${extractiveModel}.`,
    })
  }
  const { languageModel, missing, name } = provider
  return languageModel === undefined
    ? new ModelUnavailable({ model, detail: `${model} needs ${missing}.` })
    : Effect.succeed({ name, languageModel })
}

const resolve = Effect.fnUntraced(function* (
  providers: ReadonlyArray<Provider>,
  model: string,
): Effect.fn.Return<ResolvedModel, ModelUnavailable> {
  const provider = yield* find(providers, model)
  return { languageModel: yield* provider.languageModel(model), provider: provider.name }
})
