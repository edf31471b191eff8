import { ColorField } from "../../forms/ColorField.tsx"
import type { Form } from "../../forms/Form.ts"
import { TextField } from "../../parts/Field.tsx"

const path = (field: string): string => `voice_widget_config.${field}`

const texts = [
  ["voice", "Voice", "alloy"],
  ["agentId", "Agent id", "A UUID"],
  ["avatar.imageUrl", "Avatar", "https://example.com/avatar.png"],
  ["text.callToAction", "Call to action", ""],
  ["text.startCall", "Start call", ""],
  ["text.endCall", "End call", ""],
  ["text.listeningStatus", "While it listens", ""],
  ["text.speakingStatus", "While it speaks", ""],
] as const

/** Numbers with the least, the most and the step of each. */
const numbers = [
  ["model.temperature", "Temperature of the model", 0, 2, 0.1],
  ["model.max_output_tokens", "Tokens of an answer, at most", 1, 4_096, 1],
  ["vad.threshold", "Threshold of speech", 0, 1, 0.05],
  ["vad.prefix_padding_ms", "Before speech, in ms", 0, 5_000, 1],
  ["vad.silence_duration_ms", "Silence after it, in ms", 0, 10_000, 1],
  ["appearance.buttonRadius", "Radius of the button", 0, 100, 1],
  ["appearance.cardRadius", "Radius of the card", 0, 100, 1],
] as const

const colors = [
  ["appearance.backgroundColor", "Background", "#ffffff"],
  ["appearance.borderColor", "Border", "#e4e4df"],
  ["appearance.textColor", "Text", "#1a1b1c"],
  ["appearance.buttonColor", "Button", "#0d6e66"],
  ["appearance.buttonTextColor", "Text of the button", "#ffffff"],
  ["appearance.focusOutlineColor", "Outline of the focus", "#0d6e66"],
] as const

/** The configuration of the voice agent, which clients read; an empty field is not set. */
export const VoiceSection = ({ form }: { readonly form: Form }) => (
  <details class="section">
    <summary>
      <h2>Voice agent</h2>
      <span class="soft small">Stored for clients that speak</span>
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
