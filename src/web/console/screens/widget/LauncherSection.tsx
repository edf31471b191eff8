import type { Form } from "../../forms/Form.ts"
import { SelectField, TextField } from "../../parts/Field.tsx"
import { Section } from "../../parts/Layout.tsx"

const icons = { chat: "Speech bubble", question: "Question mark", headset: "Headset", sparkles: "Sparkles" }
const sizes = { small: "Small", medium: "Medium", large: "Large" }
const sides = { right: "Bottom right", left: "Bottom left" }

/** The button that opens the chat. Its colour is the primary one. */
export const LauncherSection = ({ form }: { readonly form: Form }) => (
  <Section title="Launcher" about="The button that opens the chat. Changes appear on your pages within five minutes.">
    <div class="columns">
      <SelectField label="Icon" {...form.option("launcher.icon", "chat")} options={icons} />
      <SelectField label="Size" {...form.option("launcher.size", "medium")} options={sizes} />
      <SelectField label="Position" {...form.option("launcher.side", "right")} options={sides} />
      <TextField
        {...form.line("launcher.text")}
        label="Text"
        placeholder="Ask us"
        maxLength={40}
        hint="Shown next to the icon. Leave empty to show only the icon."
      />
    </div>
  </Section>
)
