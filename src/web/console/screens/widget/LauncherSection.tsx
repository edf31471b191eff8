import type { Form } from "../../forms/Form.ts"
import { SelectField, TextField } from "../../parts/Field.tsx"
import { Section } from "../../parts/Layout.tsx"

const choices = [
  {
    path: "launcher.icon",
    label: "Icon",
    options: [
      { value: "chat", label: "Speech bubble" },
      { value: "question", label: "Question mark" },
      { value: "headset", label: "Headset" },
      { value: "sparkles", label: "Sparkles" },
    ],
    usual: "chat",
  },
  {
    path: "launcher.size",
    label: "Size",
    options: [
      { value: "small", label: "Small" },
      { value: "medium", label: "Medium" },
      { value: "large", label: "Large" },
    ],
    usual: "medium",
  },
  {
    path: "launcher.side",
    label: "Position",
    options: [
      { value: "right", label: "Bottom right" },
      { value: "left", label: "Bottom left" },
    ],
    usual: "right",
  },
] as const

/** The button that opens the chat. Its colour is the primary one. */
export const LauncherSection = ({ form }: { readonly form: Form }) => (
  <Section title="Launcher" about="The button that opens the chat. Changes appear on your pages within five minutes.">
    <div class="columns">
      {choices.map(({ label, options, path, usual }) => (
        <SelectField<string>
          key={path}
          {...form.line(path)}
          {...{ label, options }}
          value={form.text(path) === "" ? usual : form.text(path)}
        />
      ))}
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
