import type { ReadonlySignal } from "@preact/signals"
import { accent } from "../../../shared/Accent.ts"
import { AvatarField } from "../../forms/AvatarField.tsx"
import { ColorField, sixDigits } from "../../forms/ColorField.tsx"
import type { Form } from "../../forms/Form.ts"
import { SelectField, TextField } from "../../parts/Field.tsx"
import { Section } from "../../parts/Layout.tsx"
import type { PreviewConfig } from "../../preview/WidgetPreview.tsx"
import { contrastHint, shadeOf } from "./ContrastHint.ts"
import { languageOptions, languages } from "./Languages.ts"

const options = { auto: "Visitor's browser language", ...languageOptions(languages) }

/** The texts and the colours of the widget. An empty field is filled in from the chatbot. */
export const LookSection = ({ form, look }: { readonly form: Form; readonly look: ReadonlySignal<PreviewConfig> }) => {
  const { avatar, chatbot_id: chatbotId, header, name, primary_color: primary, secondary_color: secondary } = look.value
  return (
    <Section title="Appearance" about="Empty fields use the chatbot's own values.">
      <div class="columns">
        <TextField {...form.line("header")} label="Header" placeholder={header} maxLength={500} />
        <TextField {...form.line("name")} label="Display name" placeholder={name} maxLength={500} />
      </div>
      <TextField {...form.line("slogan")} label="Slogan" maxLength={500} />
      <AvatarField
        chatbotId={chatbotId}
        name={name}
        image={avatar}
        what="logo"
        onStored={() => form.text("logo") !== "" && form.set("logo", "")}
      />
      <TextField
        {...form.line("logo")}
        label="Logo URL"
        type="url"
        placeholder="https://example.com/logo.png"
        maxLength={2_048}
        hint="Shown instead of the uploaded logo. Leave empty to use that."
      />
      <SelectField {...form.option("language", "auto")} label="Language" options={options} />
      <div class="columns">
        <ColorField
          form={form}
          path="primaryColor"
          label="Primary colour"
          fallback={sixDigits(primary) ?? accent}
          hint={contrastHint(primary === "" ? accent : primary)}
        />
        <ColorField
          form={form}
          path="secondaryColor"
          label="Secondary colour"
          fallback={sixDigits(secondary) ?? shadeOf(sixDigits(primary) ?? accent)}
          placeholder="Shade of the primary colour"
          hint={secondary === "" ? "The background of the visitor's messages." : contrastHint(secondary)}
        />
      </div>
    </Section>
  )
}
