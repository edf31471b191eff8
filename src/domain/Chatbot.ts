import anyAscii from "any-ascii"
import { Schema, Struct } from "effect"
import { boundedList } from "./Bounded.ts"
import { ChatbotId, OrganizationId, uuidOf } from "./Ids.ts"
import { textBetween, textUpTo } from "./Text.ts"
import { Timestamp } from "./Timestamp.ts"
import { unexpressed } from "./Unexpressed.ts"

const slugMaxLength = 100
const labelMaxLength = 500
const fallbackModelsMaxCount = 5

const isHttpUrl = (text: string) => /^https?:\/\//i.test(text) && URL.canParse(text)

/** An address that browsers load; the server never fetches it. Empty for none. */
const ImageUrl = textUpTo(2_048)
  .check(Schema.makeFilter((text: string) => text === "" || isHttpUrl(text) || "Expected an http(s) URL", unexpressed))
  .annotate({ examples: ["https://example.com/logo.png"] })

/** `#rgb`, `#rrggbb` or `#rrggbbaa`. Empty for the widget's own. */
const Color = Schema.String.check(
  Schema.isPattern(/^(?:#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8}))?$/u, {
    message: "Expected a colour as #rgb, #rrggbb or #rrggbbaa",
  }),
).annotate({ examples: ["#3b82f6"] })

const isLanguageTag = (text: string) => {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

const Language = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      text === "" || text === "auto" || isLanguageTag(text) || "Expected `auto` or a BCP 47 language tag",
    unexpressed,
  ),
).annotate({ examples: ["auto", "pt-BR"] })

const Label = textUpTo(labelMaxLength)

export const Slug = Schema.String.check(
  Schema.isMaxLength(slugMaxLength).abort(),
  Schema.isPattern(/^[a-z0-9]+(?:-[a-z0-9]+)*$/u, {
    message: "Expected lower-case letters, digits and single hyphens, such as my-chatbot",
  }),
).annotate({ examples: ["support"] })

// ---------------------------------------------------------------------------
// The parts of a chatbot, as they are stored and shown
// ---------------------------------------------------------------------------

export const PersonalityConfig = Schema.Struct({
  tone: Label.annotate({ examples: ["friendly"] }),
  style: Label.annotate({ examples: ["concise"] }),
})
export type PersonalityConfig = typeof PersonalityConfig.Type

const Snippet = Schema.Struct({
  header: Label,
  logo: ImageUrl,
  name: Label,
  slogan: Label,
  primaryColor: Color,
  secondaryColor: Color,
})

export const Settings = Schema.Struct({
  model: textBetween(1, 200).annotate({
    description:
      "Model of the replies: a `claude-…` model, an `openai/…` model of OpenAI or a compatible server, or `local/extractive`, which needs no key.",
    examples: ["local/extractive"],
  }),
  fallbackModels: Schema.optionalKey(
    boundedList(
      textBetween(1, 200),
      { maximum: fallbackModelsMaxCount },
      {
        description:
          "Models that are asked in turn when the provider of the one before fails before it has begun to answer. Shown when there are any.",
        examples: [["local/extractive"]],
      },
    ),
  ),
  prompt: textUpTo(32_000).annotate({ description: "System instruction." }),
  greeting: textUpTo(2_000).annotate({ description: "First message shown to a user." }),
  isToolEnabled: Schema.Boolean.annotate({ description: "Whether the model may call tools." }),
  isRequestUserInfoEnabled: Schema.Boolean.annotate({
    description: "Whether the chatbot asks for the user's e-mail address first.",
  }),
  snippet: Snippet,
})
export type Settings = typeof Settings.Type

export const ChatWidgetConfig = Schema.Struct({
  header: Label,
  language: Language,
  logo: ImageUrl,
  name: Label,
  primaryColor: Color,
  secondaryColor: Color,
  slogan: Label,
})
export type ChatWidgetConfig = typeof ChatWidgetConfig.Type

/** Every field optional: the shape of a partial configuration that merges into the stored one. */
const partial = <F extends Schema.Struct.Fields>(struct: Schema.Struct<F>) =>
  struct.mapFields(Struct.map(Schema.optionalKey))

const Radius = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))
const integer = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Null until set; what has been set so far, and nothing else, is stored and shown. */
export const VoiceWidgetConfig = partial(
  Schema.Struct({
    agentId: uuidOf("the voice agent"),
    appearance: partial(
      Schema.Struct({
        backgroundColor: Color,
        borderColor: Color,
        buttonColor: Color,
        buttonTextColor: Color,
        focusOutlineColor: Color,
        textColor: Color,
        buttonRadius: Radius,
        cardRadius: Radius,
      }),
    ),
    avatar: partial(Schema.Struct({ imageUrl: ImageUrl })),
    model: partial(
      Schema.Struct({
        max_output_tokens: integer(1, 4_096),
        temperature: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 2 })),
      }),
    ),
    text: partial(
      Schema.Struct({
        callToAction: Label,
        endCall: Label,
        listeningStatus: Label,
        speakingStatus: Label,
        startCall: Label,
      }),
    ),
    vad: partial(
      Schema.Struct({
        prefix_padding_ms: integer(0, 5_000),
        silence_duration_ms: integer(0, 10_000),
        threshold: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
      }),
    ),
    voice: textBetween(1, 64).annotate({ examples: ["alloy"] }),
  }),
)
export type VoiceWidgetConfig = typeof VoiceWidgetConfig.Type

// ---------------------------------------------------------------------------
// What a client may send
// ---------------------------------------------------------------------------

const SettingsPatch = partial(Settings).mapFields(Struct.assign({ snippet: Schema.optionalKey(partial(Snippet)) }))

/** Fields of an update: absent ones stay, objects merge field by field. */
export const ChatbotPatch = Schema.Struct({
  name: Schema.optionalKey(textBetween(1, 200).annotate({ examples: ["Support"] })),
  description: Schema.optionalKey(textUpTo(2_000)),
  slug: Schema.optionalKey(Slug),
  is_public: Schema.optionalKey(Schema.Boolean),
  personality_config: Schema.optionalKey(partial(PersonalityConfig)),
  settings: Schema.optionalKey(SettingsPatch),
})
export type ChatbotPatch = typeof ChatbotPatch.Type

export const ChatbotInput = ChatbotPatch.mapFields(
  Struct.assign({ name: textBetween(1, 200).annotate({ examples: ["Support"] }) }),
)
export type ChatbotInput = typeof ChatbotInput.Type

export const ChatWidgetPatch = partial(ChatWidgetConfig)
export type ChatWidgetPatch = typeof ChatWidgetPatch.Type

// ---------------------------------------------------------------------------
// The chatbot
// ---------------------------------------------------------------------------

const always = { description: "Always null in this version." }

/** A chatbot as operations 1, 2, 4 and 5 show it. */
export const Chatbot = Schema.Struct({
  id: ChatbotId,
  name: Schema.String,
  description: Schema.String,
  slug: Schema.String,
  active: Schema.Boolean,
  is_public: Schema.Boolean,
  created_at: Timestamp,
  updated_at: Timestamp,
  organization_id: OrganizationId,
  personality_config: PersonalityConfig,
  settings: Settings.mapFields(
    Struct.assign({
      avatar: Schema.optionalKey(Schema.String.annotate({ description: "Address of the stored avatar." })),
    }),
  ),
  llm_api_key: Schema.Null.annotate(always),
  docs_metadata: Schema.Null.annotate(always),
  enabled_plugins: Schema.Null.annotate(always),
  managers: Schema.Null.annotate(always),
  migrated_data: Schema.Boolean,
  suggestions: Schema.Null.annotate(always),
  v1_chatbot_id: Schema.Null.annotate(always),
  version_id: Schema.Null.annotate(always),
  voice_widget_config: Schema.NullOr(VoiceWidgetConfig),
}).annotate({
  identifier: "Chatbot",
  examples: [
    {
      id: ChatbotId.make("01a1f949-589d-74eb-b296-3f233cb51b4b"),
      name: "Support",
      description: "Answers from the handbook",
      slug: "support",
      active: true,
      is_public: false,
      created_at: Timestamp.make("2026-11-20T14:08:16.031+00:00"),
      updated_at: Timestamp.make("2026-11-20T14:08:16.031+00:00"),
      organization_id: OrganizationId.make("01a1f948-e63d-74f8-9014-79ea4912cce5"),
      personality_config: { tone: "friendly", style: "concise" },
      settings: {
        model: "local/extractive",
        prompt: "You are a helpful assistant.",
        greeting: "Hello! How can I help you?",
        isToolEnabled: true,
        isRequestUserInfoEnabled: false,
        snippet: {
          header: "Support",
          logo: "",
          name: "Support",
          slogan: "",
          primaryColor: "#3b82f6",
          secondaryColor: "",
        },
      },
      llm_api_key: null,
      docs_metadata: null,
      enabled_plugins: null,
      managers: null,
      migrated_data: false,
      suggestions: null,
      v1_chatbot_id: null,
      version_id: null,
      voice_widget_config: null,
    },
  ],
})

/** A chatbot and the version of it that this is: it moves with every change and makes the ETag. */
export interface Chatbot extends Schema.Schema.Type<typeof Chatbot> {
  readonly version: bigint
}

/** What a chatbot is made of when its creator leaves it out. */
export const chatbotDefaults = (name: string, model: string) => ({
  description: "",
  is_public: false,
  personality_config: { tone: "friendly", style: "concise" } satisfies PersonalityConfig,
  settings: {
    model,
    prompt: "You are a helpful assistant.",
    greeting: "Hello! How can I help you?",
    isToolEnabled: true,
    isRequestUserInfoEnabled: false,
    snippet: { header: name, logo: "", name, slogan: "", primaryColor: "", secondaryColor: "" },
  } satisfies Settings,
})

export const emptyChatWidget: ChatWidgetConfig = {
  header: "",
  language: "",
  logo: "",
  name: "",
  primaryColor: "",
  secondaryColor: "",
  slogan: "",
}

const isJsonObject = (value: Schema.Json | undefined): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * JSON merge: objects merge field by field, everything else replaces, absent fields stay.
 * Laws, tested: `merge(a, {}) = a`; `merge(a, a) = a`; and where a field is an object in all of them or in none, as
 * in configurations, `merge(merge(a, b), c) = merge(a, merge(b, c))`.
 */
export const merge = (base: Schema.JsonObject, patch: Schema.JsonObject): Schema.JsonObject => ({
  ...base,
  // Not by assignment, which would take `__proto__` for something else than a field.
  ...Object.fromEntries(
    Object.entries(patch).map(([key, value]) => {
      const before = base[key]
      return [key, isJsonObject(value) && isJsonObject(before) ? merge(before, value) : value]
    }),
  ),
})

/** The slug that a name suggests: transliterated to ASCII, `chatbot` where nothing is left. Leaves room for a suffix. */
export const slugOf = (name: string): string =>
  anyAscii(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, slugMaxLength - 10)
    .replaceAll(/^-+|-+$/g, "") || "chatbot"

/** The slug itself when it is free, else with the lowest number that makes it so: `support`, `support-2`, … */
export const suffixedSlug = (slug: string, taken: ReadonlyArray<string>): string => {
  const used = new Set(taken)
  if (!used.has(slug)) return slug
  let number = 2
  while (used.has(`${slug}-${number}`)) number++
  return `${slug}-${number}`
}
