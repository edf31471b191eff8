import { Switch, TextArea, TextField } from "../../parts/Field.tsx"
import type { Form } from "../../forms/Form.ts"
import { AvatarField } from "../../forms/AvatarField.tsx"
import { fieldsOf } from "../../forms/Fields.ts"
import { Section } from "../../parts/Layout.tsx"

/** The name of a chatbot, its address, and whether it answers. */
export const GeneralSection = ({ chatbotId, form }: { readonly form: Form; readonly chatbotId: string }) => (
  <Section title="General">
    <AvatarField
      chatbotId={chatbotId}
      name={form.text("name")}
      image={form.text("settings.avatar")}
      what="avatar"
      onStored={(chatbot, etag) => form.rebase({ fields: fieldsOf(chatbot), etag })}
    />
    <div class="columns">
      <TextField {...form.line("name")} label="Name" maxLength={200} />
      <TextField
        {...form.line("slug")}
        label="Slug"
        maxLength={100}
        spellcheck={false}
        hint="Used in URLs and as the model name in the /v1 API."
      />
    </div>
    <TextArea {...form.line("description")} label="Description" maxLength={2_000} hint="Not shown to visitors." />
    <Switch {...form.flag("active")} label="Active" hint="When off, the chatbot is paused and refuses new messages." />
    <Switch
      {...form.flag("is_public")}
      label="Public"
      hint="Any website can embed the chatbot, and anyone can open its chat page."
    />
  </Section>
)
