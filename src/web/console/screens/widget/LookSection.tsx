import { type ReadonlySignal, useSignal } from "@preact/signals"
import { widget as en } from "../../../../language/languages/en.ts"
import {
  accent,
  BUBBLE_SHARE,
  contrast,
  formatColor,
  mix,
  parseColor,
  TEXT_CONTRAST,
  textOn,
} from "../../../shared/Contrast.ts"
import { AvatarField } from "../../forms/AvatarField.tsx"
import { ColorField, sixDigits } from "../../forms/ColorField.tsx"
import { FieldGroup } from "../../forms/FieldGroup.tsx"
import type { Form } from "../../forms/Form.ts"
import { SelectField, TextArea, TextField } from "../../parts/Field.tsx"
import { Section } from "../../parts/Layout.tsx"
import type { PreviewConfig } from "../../preview/WidgetPreview.tsx"
import { can } from "../../server/Session.ts"
import { languageOptions, languages, nameOfLanguage } from "./Languages.ts"
import { MAX_SUGGESTIONS, SuggestedQuestions } from "./SuggestedQuestions.tsx"

const WHITE = [255, 255, 255] as const

/** The shade of a primary colour that the widget has in light behind the visitor's messages. */
const shadeOf = (primary: string): string => formatColor(mix(WHITE, parseColor(primary) ?? WHITE, BUBBLE_SHARE))

/** Says which colour the text on a background has, how well it is read, and what the operator might not expect. */
export const contrastHint = (background: string): string | undefined => {
  const color = parseColor(background)
  if (color === undefined) return undefined
  const text = textOn(color)
  const ratio = contrast(text, color)
  const name = formatColor(text) === "#ffffff" ? "White" : "Black"
  const read = `${name} text has a contrast of ${ratio.toFixed(1)}:1.`
  const onWhite = contrast(WHITE, color)
  if (name === "Black") return `${read} White text would have only ${onWhite.toFixed(1)}:1.`
  return onWhite >= TEXT_CONTRAST ? `${read} Easy to read.` : read
}

const icons = { chat: "Speech bubble", question: "Question mark", headset: "Headset", sparkles: "Sparkles" }
const sizes = { small: "Small", medium: "Medium", large: "Large" }
const sides = { right: "Bottom right", left: "Bottom left" }

const languagesIn = (form: Form): ReadonlyArray<string> =>
  Object.entries(form.fields.value).flatMap(([path, value]) =>
    path.startsWith("translations.") && value !== null && value !== "" && String(value) !== ""
      ? [path.split(".")[1] ?? ""]
      : [],
  )

const Words = ({ form, tag }: { readonly form: Form; readonly tag: string }) => {
  const at = (name: string): string => `translations.${tag}.${name}`
  return (
    <fieldset class="stack">
      <legend>
        <strong>{nameOfLanguage(tag)}</strong>
      </legend>
      <TextArea {...form.lines(at("suggestions"))} label="Starter questions" rows={2} lang={tag} dir="auto" />
      <TextArea {...form.line(at("greeting"))} label="Greeting" rows={2} lang={tag} dir="auto" maxLength={2_000} />
      <div class="columns">
        <TextField {...form.line(at("header"))} label="Header" lang={tag} dir="auto" maxLength={500} />
        <TextField {...form.line(at("name"))} label="Display name" lang={tag} dir="auto" maxLength={500} />
        <TextField {...form.line(at("slogan"))} label="Slogan" lang={tag} dir="auto" maxLength={500} />
        <TextField {...form.line(at("launcher"))} label="Launcher text" lang={tag} dir="auto" maxLength={40} />
        <TextField {...form.line(at("disclosure"))} label="Assistant notice" lang={tag} dir="auto" maxLength={500} />
      </div>
    </fieldset>
  )
}

const LanguageFields = ({ form }: { readonly form: Form }) => {
  const added = useSignal<ReadonlyArray<string>>([])
  const shown = Array.from(new Set([...languagesIn(form), ...added.value]))
  const others = languages.filter((tag) => !shown.includes(tag))
  return (
    <>
      {shown.map((tag) => (
        <Words key={tag} form={form} tag={tag} />
      ))}
      <SelectField
        label="Add language"
        value=""
        options={{ "": "Select a language", ...languageOptions(others) }}
        onValue={(tag) => tag !== "" && (added.value = [...added.value, tag])}
      />
    </>
  )
}

const options = { auto: "Visitor's browser language", ...languageOptions(languages) }

interface LookProps {
  readonly form: Form
  readonly look: ReadonlySignal<PreviewConfig>
}

/** What makes a widget one's own. An empty field is filled in from the chatbot. */
export const LookSection = ({ form, look }: LookProps) => {
  const { avatar, chatbot_id: chatbotId, header, name, primary_color: primary } = look.value
  return (
    <Section title="Appearance" about="Empty fields use the chatbot's own values.">
      <TextField {...form.line("header")} label="Header" placeholder={header} maxLength={500} />
      <ColorField
        form={form}
        path="primaryColor"
        label="Primary colour"
        fallback={sixDigits(primary) ?? accent}
        hint={contrastHint(primary === "" ? accent : primary)}
      />
      <AvatarField
        chatbotId={chatbotId}
        name={name}
        image={avatar}
        what="logo"
        onStored={() => form.text("logo") !== "" && form.set("logo", "")}
      />
      <TextArea
        {...form.lines("suggestions")}
        label="Starter questions"
        rows={2}
        dir="auto"
        hint={`One per line, up to ${MAX_SUGGESTIONS}. Visitors ask them with a click.`}
      />
      {can("conversations:read") && <SuggestedQuestions chatbotId={chatbotId} form={form} />}
    </Section>
  )
}

/** The texts and the colours of the widget that few need, and the button that opens it. */
export const AdvancedSection = ({ form, look }: LookProps) => {
  const { name, primary_color: primary, secondary_color: secondary } = look.value
  return (
    <Section title="Advanced">
      <FieldGroup form={form} title="Launcher" about="The button that opens the chat.">
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
        <p class="soft small">Changes appear on your pages within five minutes.</p>
      </FieldGroup>
      <FieldGroup
        form={form}
        title="Lines and colours"
        about="The lines around the conversation, another logo, and a second colour."
      >
        <TextField {...form.line("name")} label="Display name" placeholder={name} maxLength={500} />
        <TextField {...form.line("slogan")} label="Slogan" maxLength={500} />
        <TextField
          {...form.line("disclosure")}
          label="Assistant notice"
          placeholder={en.disclosure}
          maxLength={500}
          hint="Tells visitors that no person answers. Leave empty to say so in the visitor's language."
        />
        <TextField
          {...form.line("logo")}
          label="Logo URL"
          type="url"
          placeholder="https://example.com/logo.png"
          maxLength={2_048}
          hint="Shown instead of the uploaded logo. Leave empty to use that."
        />
        <ColorField
          form={form}
          path="secondaryColor"
          label="Secondary colour"
          fallback={sixDigits(secondary) ?? shadeOf(sixDigits(primary) ?? accent)}
          placeholder="Shade of the primary colour"
          hint={secondary === "" ? "The background of the visitor's messages." : contrastHint(secondary)}
        />
      </FieldGroup>
      <FieldGroup
        form={form}
        title="Languages"
        about="The interface comes in fifteen languages. Add your own texts in any of them."
      >
        <SelectField {...form.option("language", "auto")} label="Language" options={options} />
        <LanguageFields form={form} />
      </FieldGroup>
    </Section>
  )
}
