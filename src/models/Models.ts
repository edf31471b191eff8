import { Context, Effect, Layer, Option, type Redacted, Schema } from "effect"
import { HttpClient } from "effect/http"
import { extractiveModel } from "../domain/chatbot/Chatbot.ts"
import { isClaude, serversNameOf } from "../domain/models/ModelConnection.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import type { AnthropicSettings } from "./anthropic/Anthropic.ts"
import { type ExtractiveSettings, makeExtractiveCalls } from "./local/Extractive.ts"
import { type NamedCalls, withFallbacks } from "./Fallbacks.ts"
import { measuredCalls } from "./MeasuredCalls.ts"
import type { ModelCalls } from "./ModelCalls.ts"
import { CallBounds, type CallLimits, type CallSettings } from "./calls/ProviderCalls.ts"
import { makeOpenAi, type OpenAiSettings } from "./openai/OpenAi.ts"
import { StartupError } from "../system/StartupError.ts"
import { ANTHROPIC_API_KEY, DEFAULT_MODEL, howToSet, OPENAI_API_KEY, OPENAI_BASE_URL } from "../system/Variables.ts"

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

/** Makes the calls of a model by its name. */
export type CallsOf = (model: string) => ModelCalls

interface Provider {
  readonly name: string
  readonly serves: (model: string) => boolean
  /** Undefined when the provider is not configured; `missing` has examples of settings for it. */
  readonly calls: CallsOf | undefined
  readonly missing: ReadonlyArray<string>
}

/** A model that the current organization has connected. */
export interface OwnModel {
  /** The form of its API, which stands for its provider. */
  readonly provider: string
  /** What is shown of the connection's key; null without one. */
  readonly keyHint: string | null
  readonly calls: Effect.Effect<CallsOf>
}

/** Finds a model among the connections of the current organization; undefined where none has it. */
export type FindOwn = (
  model: string,
  /** Whether connections count that another server may just have made. */
  isFresh: boolean,
) => Effect.Effect<OwnModel | undefined, ModelUnavailable, CurrentOrganization>

/** The connections of organizations. Without a layer for them, there are those of the settings alone. */
export const OwnModels: Context.Reference<FindOwn> = Context.Reference<FindOwn>("parley/models/OwnModels", {
  defaultValue: () => () => Effect.undefined,
})

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
      missing: [],
    },
    {
      name: "anthropic",
      serves: isClaude,
      calls: anthropicCalls,
      missing: [`${ANTHROPIC_API_KEY}=sk-ant-…`],
    },
    {
      name: "openai",
      serves: (model) => serversNameOf("openai", model) !== undefined,
      calls: openAiCalls && ((model) => openAiCalls(serversNameOf("openai", model) ?? model)),
      missing: [`${OPENAI_API_KEY}=sk-…`, `${OPENAI_BASE_URL}=http://127.0.0.1:11434/v1`],
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
    readonly check: (model: string) => Effect.Effect<void, ModelUnavailable, CurrentOrganization>
    /**
     * Returns the model's calls, which call the fallbacks in turn when its provider fails. The connections of the current
     * organization come before the providers of the settings.
     */
    readonly get: (
      model: string,
      fallbacks?: ReadonlyArray<string>,
    ) => Effect.Effect<NamedCalls, ModelUnavailable, CurrentOrganization>
    /** What is shown of the key that the current organization brings for a model; null where it brings none. */
    readonly keyHint: (model: string) => Effect.Effect<string | null, never, CurrentOrganization>
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
        const findOwn = yield* OwnModels
        const own = (model: string, isFresh: boolean) =>
          model === extractiveModel ? Effect.undefined : findOwn(model, isFresh)
        const found = Effect.fnUntraced(function* (model: string, isFresh: boolean) {
          const connected = yield* own(model, isFresh)
          if (connected === undefined) return yield* find(providers, model)
          return { model, provider: connected.provider, calls: yield* connected.calls }
        })
        return Models.of({
          defaultModel: defaultModel ?? suggestedModel(settings),
          check: (model) => Effect.asVoid(found(model, true)),
          get: (model, fallbacks = []) => resolve((name) => found(name, false), model, fallbacks),
          keyHint: (model) =>
            Effect.match(own(model, false), {
              onFailure: () => null,
              onSuccess: (connected) => connected?.keyHint ?? null,
            }),
        })
      }),
    )
}

const suggestedModel = ({ anthropic }: ModelsSettings) =>
  anthropic.apiKey === undefined ? extractiveModel : "claude-sonnet-5-5"

const unusableDefault = ({ detail, model }: ModelUnavailable) =>
  new StartupError({
    what: `${DEFAULT_MODEL} is ${JSON.stringify(model)}, which cannot be used: ${detail}`,
    doThis: `Or set ${DEFAULT_MODEL} to a model whose provider is configured.`,
  })

const find = (providers: ReadonlyArray<Provider>, model: string) => {
  const provider = providers.find((provider) => provider.serves(model))
  if (provider === undefined) {
    return new ModelUnavailable({
      model,
      detail: `There is no model ${model}: use a claude-… model, an openai/… model, one of a connection under Models, or ${extractiveModel}.`,
    })
  }
  const { calls, missing, name } = provider
  return calls === undefined
    ? new ModelUnavailable({ model, detail: `${model} has no provider. ${howToSet("use it", ...missing)}` })
    : Effect.succeed({ calls, model, provider: name })
}

interface Found {
  readonly model: string
  readonly provider: string
  readonly calls: CallsOf
}

const named = ({ calls, model, provider }: Found): NamedCalls => {
  const one = { calls: calls(model), model, provider }
  return { ...one, calls: measuredCalls(one) }
}

const resolve = Effect.fnUntraced(function* <R>(
  found: (model: string) => Effect.Effect<Found, ModelUnavailable, R>,
  model: string,
  fallbacks: ReadonlyArray<string>,
): Effect.fn.Return<NamedCalls, ModelUnavailable, R> {
  const first = named(yield* found(model))
  if (fallbacks.length === 0) return first
  // A fallback whose provider is not configured is left out, so that the first model can answer.
  const others = yield* Effect.forEach(fallbacks, (name) => Effect.option(found(name)))
  return { ...first, calls: withFallbacks(first, others.flatMap(Option.toArray).map(named)) }
})
