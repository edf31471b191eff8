import { Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { HttpClient } from "effect/http"
import type { AnthropicSettings } from "./anthropic/Anthropic.ts"
import { extractiveCalls, extractiveModel } from "./local/Extractive.ts"
import { type NamedCalls, withFallbacks } from "./Fallbacks.ts"
import type { ModelCalls } from "./ModelCalls.ts"
import { makeOpenAi, type OpenAiSettings } from "./openai/OpenAi.ts"
import { StartupError } from "../system/StartupError.ts"
import { ANTHROPIC_API_KEY, DEFAULT_MODEL, OPENAI_API_KEY, OPENAI_BASE_URL } from "../system/Variables.ts"

/** The model is unknown, or its provider is not configured. `detail` says what to do, and is safe to show. */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>()("ModelUnavailable", {
  model: Schema.String,
  detail: Schema.String,
}) {}

export interface ModelsSettings {
  /** Model of a new chatbot that names none. Absent: what the providers suggest. */
  readonly defaultModel: string | undefined
  /** Without a key, Anthropic is not asked. */
  readonly anthropic: Omit<AnthropicSettings, "apiKey"> & { readonly apiKey: Redacted.Redacted | undefined }
  /** Without a key and a base URL, no such server is asked. */
  readonly openai: OpenAiSettings
}

/** The providers that the settings configure. */
export const configuredProviders = ({
  anthropic: { apiKey, ...anthropic },
  openai,
}: ModelsSettings): {
  readonly anthropic: AnthropicSettings | undefined
  readonly openai: OpenAiSettings | undefined
} => ({
  anthropic: apiKey && { apiKey, ...anthropic },
  openai: openai.apiKey === undefined && openai.baseUrl === undefined ? undefined : openai,
})

export interface ResolvedModel {
  readonly calls: ModelCalls
  /** Name of the provider, such as `anthropic`. */
  readonly provider: string
}

interface Provider {
  readonly name: string
  readonly serves: (model: string) => boolean
  /** Without it, `missing` is the setting that would bring it. */
  readonly calls: ((model: string) => Effect.Effect<ModelCalls>) | undefined
  readonly missing: string
}

const isClaude = (model: string) => /^claude-[a-z0-9][a-z0-9.@-]{0,98}$/.test(model)

const openAiPrefix = "openai/"
/** Servers name models as they please: `llama3.2:3b`, `meta-llama/Llama-3.1-8B-Instruct`. */
const isOpenAi = (model: string) => /^openai\/[\w][\w.:@/+-]{0,190}$/.test(model)

/** Its SDK takes a tenth of the server's start to load, so it waits for the first call. */
const anthropicOf = (settings: AnthropicSettings) =>
  Effect.cached(
    Effect.map(
      Effect.promise(() => import("./anthropic/Anthropic.ts")),
      ({ makeAnthropic }) => makeAnthropic(settings),
    ),
  )

const providersOf = Effect.fnUntraced(function* (
  settings: ModelsSettings,
): Effect.fn.Return<ReadonlyArray<Provider>, never, HttpClient.HttpClient> {
  const configured = configuredProviders(settings)
  const anthropic = configured.anthropic && (yield* anthropicOf(configured.anthropic))
  const openai = configured.openai && makeOpenAi(configured.openai, yield* HttpClient.HttpClient)
  return [
    {
      name: "local",
      serves: (model) => model === extractiveModel,
      calls: () => Effect.succeed(extractiveCalls),
      missing: "",
    },
    {
      name: "anthropic",
      serves: isClaude,
      calls: anthropic && ((model) => Effect.map(anthropic, ({ calls }) => calls(model))),
      missing: ANTHROPIC_API_KEY,
    },
    {
      name: "openai",
      serves: isOpenAi,
      calls: openai && ((model) => Effect.sync(() => openai.calls(model.slice(openAiPrefix.length)))),
      missing: `${OPENAI_API_KEY}, or ${OPENAI_BASE_URL}`,
    },
  ]
})

/** Resolves the model that a chatbot names. */
export class Models extends Context.Service<
  Models,
  {
    /** Model of a new chatbot that names none. */
    readonly defaultModel: string
    /** Fails when `get` would. */
    readonly check: (model: string) => Effect.Effect<void, ModelUnavailable>
    /** The model; the fallbacks are asked in turn where it fails for a reason of its provider. */
    readonly get: (model: string, fallbacks?: ReadonlyArray<string>) => Effect.Effect<ResolvedModel, ModelUnavailable>
  }
>()("parley/models/Models") {
  /** Fails when the default model cannot be used: that stops the start, rather than each new chatbot. */
  static readonly layer = (settings: ModelsSettings): Layer.Layer<Models, StartupError, HttpClient.HttpClient> =>
    Layer.effect(
      Models,
      Effect.gen(function* () {
        const providers = yield* providersOf(settings)
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

const named = (providers: ReadonlyArray<Provider>, model: string) =>
  Effect.flatMap(find(providers, model), ({ calls, provider }) =>
    Effect.map(calls(model), (calls): NamedCalls => ({ calls, model, provider })),
  )

const resolve = Effect.fnUntraced(function* (
  providers: ReadonlyArray<Provider>,
  model: string,
  fallbacks: ReadonlyArray<string>,
): Effect.fn.Return<ResolvedModel, ModelUnavailable> {
  const first = yield* named(providers, model)
  if (fallbacks.length === 0) return first
  // A fallback whose provider is not configured any more does not keep the first one from answering.
  const others = yield* Effect.forEach(fallbacks, (name) => Effect.option(named(providers, name)))
  return { calls: withFallbacks(first, others.flatMap(Option.toArray)), provider: first.provider }
})
