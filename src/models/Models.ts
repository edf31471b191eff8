import { Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { HttpClient } from "effect/http"
import type { AnthropicSettings } from "./anthropic/Anthropic.ts"
import { type ExtractiveSettings, extractiveModel, makeExtractiveCalls } from "./local/Extractive.ts"
import { type NamedCalls, withFallbacks } from "./Fallbacks.ts"
import { measuredCalls } from "./MeasuredCalls.ts"
import type { ModelCalls } from "./ModelCalls.ts"
import { CallBounds, type CallLimits, type CallSettings } from "./calls/ProviderCalls.ts"
import { makeOpenAi, type OpenAiSettings } from "./openai/OpenAi.ts"
import { StartupError } from "../system/StartupError.ts"
import { ANTHROPIC_API_KEY, DEFAULT_MODEL, OPENAI_API_KEY, OPENAI_BASE_URL } from "../system/Variables.ts"

/** A model is unknown, or its provider is not configured. `detail` says what to do, and is safe to show to clients. */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>()("ModelUnavailable", {
  model: Schema.String,
  detail: Schema.String,
}) {}

/** The settings of all providers of language models. */
export interface ModelsSettings {
  /** The model of a new chatbot that names none; undefined for one of the configured providers. */
  readonly defaultModel: string | undefined
  readonly local: ExtractiveSettings
  /** The settings of Anthropic, which is not configured without a key. */
  readonly anthropic: Omit<AnthropicSettings, "apiKey"> & { readonly apiKey: Redacted.Redacted | undefined }
  /** The settings of a server compatible with OpenAI's, which is not configured without a key or a base URL. */
  readonly openai: OpenAiSettings
}

/** The settings of each provider that is configured; undefined for the others. */
export const configuredProviders = ({
  anthropic: { apiKey, ...anthropic },
  openai,
}: Omit<ModelsSettings, "local">): {
  readonly anthropic: AnthropicSettings | undefined
  readonly openai: OpenAiSettings | undefined
} => ({
  anthropic: apiKey && { apiKey, ...anthropic },
  openai: openai.apiKey === undefined && openai.baseUrl === undefined ? undefined : openai,
})

interface Provider {
  readonly name: string
  readonly serves: (model: string) => boolean
  /** Makes the calls of a model. Undefined when the provider is not configured; `missing` names the setting for it. */
  readonly calls: ((model: string) => ModelCalls) | undefined
  readonly missing: string
}

const isClaude = (model: string) => /^claude-[a-z0-9][a-z0-9.@-]{0,98}$/.test(model)

const openAiPrefix = "openai/"
/** Matches the model names of all servers, such as `llama3.2:3b` and `meta-llama/Llama-3.1-8B-Instruct`. */
const isOpenAi = (model: string) => /^openai\/[\w][\w.:@/+-]{0,190}$/.test(model)

const providersOf = Effect.fnUntraced(function* (
  settings: ModelsSettings,
  bounds: Partial<CallLimits>,
): Effect.fn.Return<ReadonlyArray<Provider>, never, HttpClient.HttpClient> {
  const bounded = <A extends { readonly limits: CallSettings }>(provider: A): A => ({
    ...provider,
    limits: { ...provider.limits, ...bounds },
  })
  const client = yield* HttpClient.HttpClient
  const configured = configuredProviders(settings)
  const extractive = makeExtractiveCalls(settings.local)
  const { anthropic } = configured
  // The SDK takes a quarter of the start, so that a server without a key of Anthropic does not load it.
  const anthropicCalls =
    anthropic &&
    (yield* Effect.map(
      Effect.promise(() => import("./anthropic/Anthropic.ts")),
      ({ makeAnthropic }) => makeAnthropic(bounded(anthropic)),
    ))
  const openAiCalls = configured.openai && makeOpenAi(bounded(configured.openai), client)
  return [
    {
      name: "local",
      serves: (model) => model === extractiveModel,
      calls: () => extractive,
      missing: "",
    },
    {
      name: "anthropic",
      serves: isClaude,
      calls: anthropicCalls,
      missing: ANTHROPIC_API_KEY,
    },
    {
      name: "openai",
      serves: isOpenAi,
      calls: openAiCalls && ((model) => openAiCalls(model.slice(openAiPrefix.length))),
      missing: `${OPENAI_API_KEY}, or ${OPENAI_BASE_URL}`,
    },
  ]
})

/** Resolves the names of models to their calls. */
export class Models extends Context.Service<
  Models,
  {
    /** The model of a new chatbot that names none. */
    readonly defaultModel: string
    /** Fails when `get` would fail for the model. */
    readonly check: (model: string) => Effect.Effect<void, ModelUnavailable>
    /** Returns the model's calls, which call the fallbacks in turn when its provider fails. */
    readonly get: (model: string, fallbacks?: ReadonlyArray<string>) => Effect.Effect<NamedCalls, ModelUnavailable>
  }
>()("parley/models/Models") {
  /** Fails when the default model cannot be used, so that the server's start fails and not each new chatbot. */
  static readonly layer = (settings: ModelsSettings): Layer.Layer<Models, StartupError, HttpClient.HttpClient> =>
    Layer.effect(
      Models,
      Effect.gen(function* () {
        const providers = yield* providersOf(settings, yield* CallBounds)
        const { defaultModel } = settings
        if (defaultModel !== undefined) yield* Effect.mapError(find(providers, defaultModel), unusableDefault)
        return Models.of({
          defaultModel: defaultModel ?? suggestedModel(settings),
          check: (model) => Effect.asVoid(find(providers, model)),
          get: (model, fallbacks = []) => resolve(providers, model, fallbacks),
        })
      }),
    )
}

const suggestedModel = ({ anthropic }: ModelsSettings) =>
  anthropic.apiKey === undefined ? extractiveModel : "claude-sonnet-5-5"

const unusableDefault = ({ detail, model }: ModelUnavailable) =>
  new StartupError({
    what: `${DEFAULT_MODEL} is ${JSON.stringify(model)}, which cannot be used: ${detail}`,
    doThis: "Set it to a model whose provider is configured.",
  })

const find = (providers: ReadonlyArray<Provider>, model: string) => {
  const provider = providers.find((provider) => provider.serves(model))
  if (provider === undefined) {
    return new ModelUnavailable({
      model,
      detail: `There is no model ${model}: use a claude-… model, an openai/… model, or ${extractiveModel}.`,
    })
  }
  const { calls, missing, name } = provider
  return calls === undefined
    ? new ModelUnavailable({ model, detail: `${model} needs ${missing}.` })
    : Effect.succeed({ calls, model, provider: name })
}

const namedCalls = (providers: ReadonlyArray<Provider>, model: string) =>
  Effect.map(find(providers, model), ({ calls, provider }): NamedCalls => {
    const named = { calls: calls(model), model, provider }
    return { ...named, calls: measuredCalls(named) }
  })

const resolve = Effect.fnUntraced(function* (
  providers: ReadonlyArray<Provider>,
  model: string,
  fallbacks: ReadonlyArray<string>,
): Effect.fn.Return<NamedCalls, ModelUnavailable> {
  const first = yield* namedCalls(providers, model)
  if (fallbacks.length === 0) return first
  // A fallback whose provider is not configured is left out, so that the first model can answer.
  const others = yield* Effect.forEach(fallbacks, (name) => Effect.option(namedCalls(providers, name)))
  return { ...first, calls: withFallbacks(first, others.flatMap(Option.toArray)) }
})
