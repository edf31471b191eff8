import { Schema, Struct } from "effect"
import { boundedList } from "../schema/Bounded.ts"
import { NotFound } from "../Errors.ts"
import { GroundingMode, JudgeModel } from "./GroundingMode.ts"
import { Color, ImageUrl, Label, partial } from "./FieldTypes.ts"
import { ChatbotId, OrganizationId, PersonId } from "../Ids.ts"
import { HandoverSettings } from "../inbox/Handover.ts"
import { Suggestions } from "./ChatWidget.ts"
import { Slug } from "./Slug.ts"
import { Synonyms } from "./Synonyms.ts"
import { Name, textBetween, textUpTo } from "../schema/Text.ts"
import { Timestamp } from "../schema/Timestamp.ts"
import { unexpressed } from "../schema/Unexpressed.ts"
import { VoiceWidgetConfig, VoiceWidgetPatch } from "./VoiceWidget.ts"

/** The failure of what names a chatbot that its organization does not have. */
export const chatbotNotFound = new NotFound({ detail: "There is no such chatbot." })

/** The model that quotes the documents, and needs no key and no network. */
export const extractiveModel = "local/extractive"

const FALLBACK_MODELS_MAX_COUNT = 5

const activeDescription =
  "Whether the chatbot answers. While it is false, chats are refused with 409 `chatbot_inactive`; all else works as before."

/* The parts of a chatbot, as they are stored and shown. */

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

const FallbackModels = boundedList(
  textBetween(1, 200),
  { maximum: FALLBACK_MODELS_MAX_COUNT },
  {
    description:
      "Models that are asked in turn when the provider of the one before fails before it has begun to answer. Shown when there are any.",
    examples: [[extractiveModel]],
  },
)

export const Settings = Schema.Struct({
  model: textBetween(1, 200).annotate({
    description:
      "Model of the replies: a `claude-…` model, an `openai/…` model of OpenAI or a compatible server, or `local/extractive`, which needs no key.",
    examples: [extractiveModel],
  }),
  fallbackModels: Schema.optionalKey(FallbackModels),
  synonyms: Schema.optionalKey(Synonyms),
  prompt: textUpTo(32_000).annotate({ description: "System instruction." }),
  greeting: textUpTo(2_000).annotate({ description: "First message shown to a user." }),
  isToolEnabled: Schema.Boolean.annotate({ description: "Whether the model may call tools." }),
  isRequestUserInfoEnabled: Schema.Boolean.annotate({
    description:
      "Whether the chatbot asks for the user's e-mail address first. A user who declines is answered and not asked again; one who says something else is asked once more, and then answered.",
  }),
  isSystemMessageEnabled: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "Whether every API key that chats may add instructions, by the system messages of `/v1`. Without it, only keys with `chatbots:write` may. Shown when it is true.",
    }),
  ),
  grounding: Schema.optionalKey(GroundingMode),
  judgeModel: Schema.optionalKey(JudgeModel),
  handover: Schema.optionalKey(HandoverSettings),
  attachments: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Whether visitors may send images and PDFs. Shown when it is set." }),
  ),
  snippet: Snippet,
})
export type Settings = typeof Settings.Type

/* The parts of a chatbot, as a client may send them. */

const SettingsInput = partial(Settings).mapFields(Struct.assign({ snippet: Schema.optionalKey(partial(Snippet)) }))

const inputFields = {
  name: Schema.optionalKey(Name.annotate({ examples: ["Support"] })),
  description: Schema.optionalKey(textUpTo(2_000)),
  slug: Schema.optionalKey(Slug),
  active: Schema.optionalKey(Schema.Boolean.annotate({ description: activeDescription })),
  is_public: Schema.optionalKey(Schema.Boolean),
  personality_config: Schema.optionalKey(partial(PersonalityConfig)),
  settings: Schema.optionalKey(SettingsInput),
}

export const ChatbotInput = Schema.Struct({ ...inputFields, name: Name.annotate({ examples: ["Support"] }) })
export type ChatbotInput = typeof ChatbotInput.Type

/** Differences of a copy of a chatbot from the chatbot. */
export const ChatbotCopyInput = Schema.Struct({
  name: Schema.optionalKey(
    Name.annotate({
      description: "Absent: that of the chatbot, with `(copy)` after it.",
      examples: ["Support (copy)"],
    }),
  ),
  slug: Schema.optionalKey(Slug),
})
export type ChatbotCopyInput = typeof ChatbotCopyInput.Type

/** The avatar cannot be changed by a patch. A patch may repeat the stored one, which is removed before this check. */
const StoredAvatar = Schema.String.check(
  Schema.makeFilter(() => "Expected the avatar as it is stored, or null; a new one is uploaded", unexpressed),
)

export const ChatbotPatch = Schema.Struct({
  ...inputFields,
  settings: Schema.optionalKey(
    SettingsInput.mapFields(
      Struct.assign({
        fallbackModels: Schema.optionalKey(Schema.NullOr(FallbackModels)),
        synonyms: Schema.optionalKey(Schema.NullOr(Synonyms)),
        isSystemMessageEnabled: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
        grounding: Schema.optionalKey(Schema.NullOr(GroundingMode)),
        judgeModel: Schema.optionalKey(Schema.NullOr(JudgeModel)),
        handover: Schema.optionalKey(Schema.NullOr(HandoverSettings)),
        attachments: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
        avatar: Schema.optionalKey(
          Schema.NullOr(StoredAvatar).annotate({ description: "As it is stored, or null, which removes the avatar." }),
        ),
      }),
    ),
  ),
  voice_widget_config: Schema.optionalKey(
    Schema.NullOr(VoiceWidgetPatch).annotate({ description: "Merges into the stored one; null removes it." }),
  ),
})
export type ChatbotPatch = typeof ChatbotPatch.Type

/* The chatbot. */

const always = { description: "Always null in this version." }

/** A chatbot as operations 1, 2, 4 and 5 show it. */
export const Chatbot = Schema.Struct({
  id: ChatbotId,
  name: Schema.String,
  description: Schema.String,
  slug: Schema.String,
  active: Schema.Boolean.annotate({ description: activeDescription }),
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
  llm_api_key: Schema.NullOr(Schema.String).annotate({
    description:
      "The beginning and the end of the key that the organization brings for the chatbot's model, such as `sk-…9f2a`; null where it brings none.",
  }),
  docs_metadata: Schema.Null.annotate(always),
  enabled_plugins: Schema.Null.annotate(always),
  managers: Schema.NullOr(
    Schema.Array(Schema.Struct({ id: PersonId, name: Schema.String, role: Schema.String })),
  ).annotate({
    description: "People with their roles for the chatbot or the organization, such as `editor`; null for nobody.",
  }),
  migrated_data: Schema.Boolean,
  suggestions: Schema.NullOr(Suggestions),
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
        model: extractiveModel,
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

/** A chatbot with its version, which increases with every change and from which the ETag is made. */
export interface Chatbot extends Schema.Schema.Type<typeof Chatbot> {
  readonly version: bigint
}

/** The values of the fields that the creator of a chatbot leaves out. */
export const chatbotDefaults = (name: string, model: string) => ({
  description: "",
  active: true,
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
