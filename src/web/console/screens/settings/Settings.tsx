import { computed } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { chatbotResource, type VersionedChatbot } from "../../data/Chatbots.ts"
import { AvatarField } from "../../forms/AvatarField.tsx"
import { useChatbotForm } from "../../forms/ChatbotForm.ts"
import { EditForm } from "../../forms/EditForm.tsx"
import { FieldGroup } from "../../forms/FieldGroup.tsx"
import { fieldsOf, type Form } from "../../forms/Form.ts"
import { ModelField } from "../../forms/ModelField.tsx"
import { SelectField, Switch, TextArea, TextField } from "../../parts/Field.tsx"
import { LoadedPage, Section } from "../../parts/Layout.tsx"
import { lookOf, PreviewPage, widgetFields, WidgetPreview } from "../../preview/WidgetPreview.tsx"
import { useResource } from "../../server/Resource.ts"
import { HandoverFields, HandoverSwitch } from "./Handover.tsx"
import { SynonymSuggestions } from "./SynonymSuggestions.tsx"

/** What every chatbot needs. */
const GeneralSection = ({ form }: { readonly form: Form }) => (
  <Section title="General">
    <TextField {...form.line("name")} label="Name" maxLength={200} />
    <TextArea
      {...form.line("settings.prompt")}
      label="Instructions"
      maxLength={32_000}
      rows={4}
      placeholder="You answer questions about our ferries. Be brief and friendly."
      hint="The prompt: what the model is told in every conversation."
    />
    <ModelField
      form={form}
      hint="One of the list, or the name of another one of your connections. local/extractive quotes the documents and needs no key."
    />
    <TextArea
      {...form.line("settings.greeting")}
      label="Greeting"
      maxLength={2_000}
      hint="The welcome message, shown before the visitor's first one."
    />
    <HandoverSwitch form={form} />
  </Section>
)

const groundings = { off: "Off", mark: "Mark unsupported sentences", strict: "Strict" }

const AdvancedSection = ({ chatbotId, form }: { readonly chatbotId: string; readonly form: Form }) => (
  <Section title="Advanced">
    <FieldGroup form={form} title="Access" about="The picture, the address, and who can reach the chatbot.">
      <AvatarField
        chatbotId={chatbotId}
        name={form.text("name")}
        image={form.text("settings.avatar")}
        what="avatar"
        onStored={(chatbot, etag) => form.rebase({ fields: fieldsOf(chatbot), etag })}
      />
      <TextField
        {...form.line("slug")}
        label="Slug"
        maxLength={100}
        spellcheck={false}
        hint="Used in URLs and as the model name in the /v1 API."
      />
      <TextArea {...form.line("description")} label="Description" maxLength={2_000} hint="Not shown to visitors." />
      <Switch
        {...form.flag("active")}
        label="Active"
        hint="When off, the chatbot is paused and refuses new messages."
      />
      <Switch
        {...form.flag("is_public")}
        label="Public"
        hint="Any website can embed the chatbot, and anyone can open its chat page."
      />
    </FieldGroup>
    <FieldGroup form={form} title="Replies" about="How they sound, and what the model may use.">
      <div class="columns">
        <TextField {...form.line("personality_config.tone")} label="Tone" placeholder="friendly" maxLength={500} />
        <TextField {...form.line("personality_config.style")} label="Style" placeholder="concise" maxLength={500} />
      </div>
      <TextArea
        {...form.lines("settings.fallbackModels")}
        label="Fallback models"
        rows={2}
        spellcheck={false}
        hint="One per line, up to five. Tried in order when a model is unavailable."
      />
      <Switch
        {...form.flag("settings.isToolEnabled")}
        label="Tools"
        hint="Lets the model search documents and call tools when it needs to. When off, documents are searched once per message."
      />
      <Switch
        {...form.flag("settings.isSystemMessageEnabled")}
        label="Allow system messages"
        hint="Lets every key with the Chat permission add instructions through system messages of the /v1 API."
      />
    </FieldGroup>
    <FieldGroup
      form={form}
      title="Documents"
      about="Words that search treats as the same, and the check of replies against the documents."
    >
      <TextArea
        {...form.lines("settings.synonyms")}
        label="Synonyms"
        rows={3}
        hint="One group per line, separated by commas, such as: PTO, paid leave, vacation."
      />
      <SynonymSuggestions chatbotId={chatbotId} form={form} />
      <div class="columns">
        <SelectField
          {...form.option("settings.grounding", "off")}
          label="Check against the documents"
          options={groundings}
          hint="Compares numbers, names and words of each sentence with the passages the model received. Strict shows an answer only after the check, asks the model once more without unsupported sentences, and refuses if that does not help."
        />
        <ModelField
          form={form}
          path="settings.judgeModel"
          label="Judge model"
          hint="Optional. Judges the sentences that words alone cannot decide, in one more call."
        />
      </div>
    </FieldGroup>
    <FieldGroup form={form} title="Handover" about="What leads to a person, and the hours in which somebody is there.">
      <HandoverFields form={form} />
    </FieldGroup>
    <FieldGroup form={form} title="Visitors" about="What they are asked for, and what they may send.">
      <Switch
        {...form.flag("settings.isRequestUserInfoEnabled")}
        label="Ask for an e-mail address"
        hint="Before the first answer. Visitors who decline still get an answer."
      />
      <Switch {...form.flag("settings.attachments")} label="Attachments" hint="Visitors may send images and PDFs." />
    </FieldGroup>
  </Section>
)

const Editing = ({ chatbotId, first }: { readonly chatbotId: string; readonly first: VersionedChatbot }) => {
  const form = useChatbotForm(chatbotId, first)
  const widget = useResource(widgetFields(chatbotId))
  const managers = first.chatbot.managers?.map(({ name, role }) => `${name} (${role})`).join(", ")
  const look = useMemo(() => computed(() => lookOf(form.fields.value, widget.data.value ?? {})), [form, widget])
  return (
    <PreviewPage
      title="Settings"
      docs="guide"
      about={managers && `People: ${managers}.`}
      preview={<WidgetPreview config={look} />}
    >
      <EditForm form={form} label={`${first.chatbot.name} settings`}>
        <GeneralSection form={form} />
        <AdvancedSection form={form} chatbotId={chatbotId} />
      </EditForm>
    </PreviewPage>
  )
}

const Settings = ({ chatbotId }: { readonly chatbotId: string }) => (
  <LoadedPage title="Settings" of={useResource(chatbotResource(chatbotId))}>
    {(first) => <Editing chatbotId={chatbotId} first={first} />}
  </LoadedPage>
)

export default Settings
