import { ColorField } from "../../forms/ColorField.tsx"
import { FieldGroup } from "../../forms/FieldGroup.tsx"
import type { Form } from "../../forms/Form.ts"
import { TextField } from "../../parts/Field.tsx"
import { Section } from "../../parts/Layout.tsx"

/** Path of a field of the voice agent in the form of its chatbot. */
export const path = (field: string): string => `voice_widget_config.${field}`

/** Numbers with the least, the most and the step of each, and what holds where they are not set. */
const models = [
  ["model.temperature", "Temperature", 0, 2, 0.1, ""],
  ["model.max_output_tokens", "Maximum output tokens", 1, 4_096, 1, ""],
] as const

const turns = [
  ["vad.threshold", "Speech threshold", 0, 1, 0.05, "0.5"],
  ["vad.silence_duration_ms", "Silence that ends a turn (ms)", 0, 10_000, 1, "700"],
  ["vad.prefix_padding_ms", "Kept before speech (ms)", 0, 5_000, 1, "300"],
] as const

const radii = [
  ["appearance.buttonRadius", "Button radius", 0, 100, 1, "12"],
  ["appearance.cardRadius", "Card radius", 0, 100, 1, "16"],
] as const

const Numbers = ({
  fields,
  form,
}: {
  readonly form: Form
  readonly fields: typeof models | typeof turns | typeof radii
}) => (
  <div class="columns">
    {fields.map(([field, label, min, max, step, placeholder]) => (
      <TextField key={field} type="number" {...form.number(path(field))} {...{ label, min, max, step, placeholder }} />
    ))}
  </div>
)

const colors = [
  ["backgroundColor", "Background", "#ffffff"],
  ["borderColor", "Border", "#e4e4df"],
  ["textColor", "Text", "#1a1b1c"],
  ["buttonColor", "Button", "#0d6e66"],
  ["buttonTextColor", "Button text", "#ffffff"],
  ["focusOutlineColor", "Focus outline", "#0d6e66"],
] as const

const texts = [
  ["callToAction", "Call to action"],
  ["startCall", "Start call"],
  ["endCall", "End call"],
  ["listeningStatus", "Listening status"],
  ["speakingStatus", "Speaking status"],
] as const

/** The whole configuration of a voice agent, which works without any of it. What is empty is not set. */
export const VoiceFields = ({ form }: { readonly form: Form }) => (
  <Section title="Settings" about="All of them are optional.">
    <FieldGroup form={form} title="Replies" about="The voice, and the length of what it says.">
      <TextField
        {...form.optional(path("voice"))}
        label="Voice"
        placeholder="alloy"
        maxLength={64}
        spellcheck={false}
        hint="A voice of your speech server. Browsers that speak themselves choose one by the language."
      />
      <Numbers form={form} fields={models} />
    </FieldGroup>
    <FieldGroup form={form} title="Texts" about="Empty fields are filled in the visitor's language.">
      <div class="columns">
        {texts.map(([field, label]) => (
          <TextField key={field} {...form.optional(path(`text.${field}`))} label={label} maxLength={500} dir="auto" />
        ))}
      </div>
    </FieldGroup>
    <FieldGroup
      form={form}
      title="Appearance"
      about="Empty fields follow the widget, in light and dark. Your colours are used in both."
    >
      <div class="columns">
        {colors.map(([field, label, placeholder]) => (
          <ColorField
            key={field}
            form={form}
            path={path(`appearance.${field}`)}
            label={label}
            fallback={placeholder}
            placeholder="From the widget"
          />
        ))}
      </div>
      <Numbers form={form} fields={radii} />
      <TextField
        {...form.optional(path("avatar.imageUrl"))}
        label="Avatar URL"
        type="url"
        placeholder="https://example.com/avatar.png"
        maxLength={2_048}
        hint="Visitors see it. The preview and test calls show only images of this server."
      />
    </FieldGroup>
    <FieldGroup form={form} title="Turns" about="When speech begins, and which silence ends it.">
      <Numbers form={form} fields={turns} />
      <p class="soft small">Raise the threshold in noisy places.</p>
    </FieldGroup>
  </Section>
)
