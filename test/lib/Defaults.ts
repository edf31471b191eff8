import { ConfigProvider, Duration, Effect, Layer, type Redacted } from "effect"
import { Config } from "../../src/Config.ts"
import type { ExtractedText, Source } from "../../src/readers/extract/Extraction.ts"
import { TextLimit } from "../../src/readers/Extract.ts"
import { read } from "../../src/readers/extract/Read.ts"
import type { CallSettings } from "../../src/models/calls/ProviderCalls.ts"
import type { ModelsSettings } from "../../src/models/Models.ts"
import { ShareBounds, Shares } from "../../src/admission/Shares.ts"
import { DatabaseTraits } from "../../src/system/DatabaseTraits.ts"

const settings: Config["Service"] = Effect.runSync(
  Effect.provide(Config, Layer.provide(Config.layer, ConfigProvider.layer(ConfigProvider.fromUnknown({})))),
)

const shares = ShareBounds.defaultValue()

/** The settings of a server without any environment variable, with its shares, for tests that change one of them. */
export const defaults = { ...settings, shares: { ...shares, wait: Duration.fromInputUnsafe(shares.wait) } }

/** The shares of a server without any environment variable, except for the given ones. */
export const sharesWith = (
  organization: Partial<typeof shares.organization> = {},
  rest: Partial<Omit<typeof shares, "organization">> = {},
) =>
  Layer.provide(
    Shares.layer,
    Layer.succeed(ShareBounds, { ...shares, ...rest, organization: { ...shares.organization, ...organization } }),
  )

/** The default limits of calls to a provider, except for the given ones. */
export const callSettings = (limits: Partial<CallSettings> = {}): CallSettings => ({
  ...defaults.models.anthropic.limits,
  ...limits,
})

interface ProviderSettings {
  readonly apiKey?: Redacted.Redacted
  readonly baseUrl?: string
  readonly limits?: Partial<CallSettings>
}

const limitsOf = (given: ProviderSettings | undefined) => ({ limits: callSettings(given?.limits) })

/** The default settings of the models, except for the given ones. */
export const modelsSettings = (
  given: {
    readonly defaultModel?: string
    readonly anthropic?: ProviderSettings
    readonly openai?: ProviderSettings
  } = {},
): ModelsSettings => ({
  defaultModel: given.defaultModel,
  local: defaults.retriever,
  anthropic: { ...defaults.models.anthropic, ...given.anthropic, ...limitsOf(given.anthropic) },
  openai: { ...defaults.models.openai, ...given.openai, ...limitsOf(given.openai) },
})

/** The traits of a database that this process has to itself, or shares with others. */
export const databaseTraits = (traits: { readonly isAlone: boolean }): Layer.Layer<DatabaseTraits> =>
  Layer.succeed(DatabaseTraits, { answersWhileIndexing: true, ...traits })

/** Reads a document, by default up to the length that the settings allow. */
export const readDocument = (source: Source, textLimit: number = TextLimit.defaultValue()): Promise<ExtractedText> =>
  read(source, textLimit)
