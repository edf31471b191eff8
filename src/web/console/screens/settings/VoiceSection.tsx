import { ColorField } from "../../forms/ColorField.tsx"
import type { Form } from "../../forms/Form.ts"
import { TextField } from "../../parts/Field.tsx"

const path = (field: string): string => `voice_widget_config.${field}`

const texts = [
  ["voice", "Voice", "alloy"],
  ["agentId", "Agent ID", "UUID"],
  ["avatar.imageUrl", "Avatar URL", "https://example.com/avatar.png"],
  ["text.callToAction", "Call to action", ""],
  ["text.startCall", "Start call", ""],
  ["text.endCall", "End call", ""],
  ["text.listeningStatus", "Listening status", ""],
  ["text.speakingStatus", "Speaking status", ""],
] as const

/** Numbers with the least, the most and the step of each. */
const numbers = [
  ["model.temperature", "Temperature", 0, 2, 0.1],
  ["model.max_output_tokens", "Maximum output tokens", 1, 4_096, 1],
  ["vad.threshold", "Speech threshold", 0, 1, 0.05],
  ["vad.prefix_padding_ms", "Prefix padding (ms)", 0, 5_000, 1],
  ["vad.silence_duration_ms", "Silence duration (ms)", 0, 10_000, 1],
  ["appearance.buttonRadius", "Button radius", 0, 100, 1],
  ["appearance.cardRadius", "Card radius", 0, 100, 1],
] as const

const colors = [
  ["appearance.backgroundColor", "Background", "#ffffff"],
  ["appearance.borderColor", "Border", "#e4e4df"],
  ["appearance.textColor", "Text", "#1a1b1c"],
  ["appearance.buttonColor", "Button", "#0d6e66"],
  ["appearance.buttonTextColor", "Button text", "#ffffff"],
  ["appearance.focusOutlineColor", "Focus outline", "#0d6e66"],
] as const

/** The configuration of the voice agent, which clients read; an empty field is not set. */
export const VoiceSection = ({ form }: { readonly form: Form }) => (
  <details class="section">
    <summary>
      <h2>Voice agent</h2>
      <span class="soft small">For clients with voice</span>
    </summary>
    <div class="stack loose">
      <div class="columns">
        {texts.map(([field, label, placeholder]) => (
          <TextField key={field} {...form.line(path(field))} {...{ label, placeholder }} maxLength={500} />
        ))}
      </div>
      <div class="columns">
        {numbers.map(([field, label, min, max, step]) => (
          <TextField key={field} type="number" {...form.number(path(field))} {...{ label, min, max, step }} />
        ))}
      </div>
      <div class="columns">
        {colors.map(([field, label, fallback]) => (
          <ColorField key={field} form={form} path={path(field)} {...{ label, fallback }} />
        ))}
      </div>
    </div>
  </details>
)
