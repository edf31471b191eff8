import { Schema } from "effect"
import { clearable, Color, ImageUrl, Label, partial } from "./FieldTypes.ts"
import { AnyUuid } from "../Ids.ts"
import { textBetween } from "../schema/Text.ts"

const Radius = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))
const integer = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

export const VoiceAppearance = Schema.Struct({
  backgroundColor: Color,
  borderColor: Color,
  buttonColor: Color,
  buttonTextColor: Color,
  focusOutlineColor: Color,
  textColor: Color,
  buttonRadius: Radius,
  cardRadius: Radius,
})
const VoiceAvatar = Schema.Struct({ imageUrl: ImageUrl })
const VoiceModel = Schema.Struct({
  max_output_tokens: integer(1, 4_096),
  temperature: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 2 })),
})
export const VoiceText = Schema.Struct({
  callToAction: Label,
  endCall: Label,
  listeningStatus: Label,
  speakingStatus: Label,
  startCall: Label,
})
export const VoiceActivityDetection = Schema.Struct({
  prefix_padding_ms: integer(0, 5_000),
  silence_duration_ms: integer(0, 10_000),
  threshold: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
})
const voiceFields = {
  agentId: AnyUuid,
  voice: textBetween(1, 64).annotate({ examples: ["alloy"] }),
}

/**
 * The configuration of the voice widget: null until it is set for the first time, then the fields that have been set.
 */
export const VoiceWidgetConfig = partial(
  Schema.Struct({
    ...voiceFields,
    appearance: partial(VoiceAppearance),
    avatar: partial(VoiceAvatar),
    model: partial(VoiceModel),
    text: partial(VoiceText),
    vad: partial(VoiceActivityDetection),
  }),
)
export type VoiceWidgetConfig = typeof VoiceWidgetConfig.Type

/**
 * A change of the configuration: absent fields stay, objects are merged field by field, null removes an optional field.
 */
export const VoiceWidgetPatch = clearable(
  Schema.Struct({
    ...voiceFields,
    appearance: clearable(VoiceAppearance),
    avatar: clearable(VoiceAvatar),
    model: clearable(VoiceModel),
    text: clearable(VoiceText),
    vad: clearable(VoiceActivityDetection),
  }),
)
export type VoiceWidgetPatch = typeof VoiceWidgetPatch.Type

/** The voice of chatbots that name none. */
export const DEFAULT_VOICE = "alloy"

/** Voice activity detection of chatbots that do not set it. */
export const defaultVad = { threshold: 0.5, prefix_padding_ms: 300, silence_duration_ms: 700 }
