import { ColorField } from "../../forms/ColorField.tsx"
import type { Form } from "../../forms/Form.ts"
import { Fold } from "../../parts/Page.tsx"
import { TextField } from "../../parts/Field.tsx"

const path = (field: string): string => `voice_widget_config.${field}`

const colors = [
  ["backgroundColor", "Background", "#ffffff"],
  ["borderColor", "Border", "#e4e4df"],
  ["textColor", "Text", "#1a1b1c"],
  ["buttonColor", "Button", "#0d6e66"],
  ["buttonTextColor", "Text of the button", "#ffffff"],
  ["focusOutlineColor", "Outline of the focus", "#0d6e66"],
] as const

const texts = [
  ["callToAction", "Call to action"],
  ["startCall", "Start call"],
  ["endCall", "End call"],
  ["listeningStatus", "While it listens"],
  ["speakingStatus", "While it speaks"],
] as const

/** The configuration of the voice agent, which clients read; an empty field is not set. */
export const VoiceSection = ({ form }: { readonly form: Form }) => (
  <Fold title="Voice agent" about="Stored for clients that speak">
    <div class="columns">
      <TextField {...form.line(path("voice"))} label="Voice" placeholder="alloy" maxLength={64} />
      <TextField {...form.line(path("agentId"))} label="Agent id" spellcheck={false} placeholder="A UUID" />
    </div>
    <TextField
      {...form.line(path("avatar.imageUrl"))}
      label="Avatar"
      type="url"
      placeholder="https://example.com/avatar.png"
    />
    <h3>Model</h3>
    <div class="columns">
      <TextField
        type="number"
        {...form.number(path("model.temperature"))}
        label="Temperature"
        min={0}
        max={2}
        step={0.1}
      />
      <TextField
        type="number"
        {...form.number(path("model.max_output_tokens"))}
        label="Tokens of an answer, at most"
        min={1}
        max={4_096}
      />
    </div>
    <h3>When somebody speaks</h3>
    <div class="columns narrow">
      <TextField type="number" {...form.number(path("vad.threshold"))} label="Threshold" min={0} max={1} step={0.05} />
      <TextField
        type="number"
        {...form.number(path("vad.prefix_padding_ms"))}
        label="Before, in ms"
        min={0}
        max={5_000}
      />
      <TextField
        type="number"
        {...form.number(path("vad.silence_duration_ms"))}
        label="Silence, in ms"
        min={0}
        max={10_000}
      />
    </div>
    <h3>Texts</h3>
    <div class="columns">
      {texts.map(([field, label]) => (
        <TextField key={field} {...form.line(path(`text.${field}`))} label={label} maxLength={500} />
      ))}
    </div>
    <h3>Look</h3>
    <div class="columns">
      {colors.map(([field, label, fallback]) => (
        <ColorField key={field} form={form} path={path(`appearance.${field}`)} label={label} fallback={fallback} />
      ))}
      <TextField
        type="number"
        {...form.number(path("appearance.buttonRadius"))}
        label="Radius of the button"
        min={0}
        max={100}
      />
      <TextField
        type="number"
        {...form.number(path("appearance.cardRadius"))}
        label="Radius of the card"
        min={0}
        max={100}
      />
    </div>
  </Fold>
)
