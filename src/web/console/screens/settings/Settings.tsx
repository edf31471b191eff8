import { computed } from "@preact/signals"
import { useMemo } from "preact/hooks"
import { chatbotResource, type VersionedChatbot } from "../../data/Chatbots.ts"
import { AvatarField } from "../../forms/AvatarField.tsx"
import { useChatbotForm } from "../../forms/ChatbotForm.ts"
import { EditForm } from "../../forms/EditForm.tsx"
import { fieldsOf, type Form } from "../../forms/Form.ts"
import { ModelField } from "../../forms/ModelField.tsx"
import { SelectField, Switch, TextArea, TextField } from "../../parts/Field.tsx"
import { LoadedPage, Section } from "../../parts/Layout.tsx"
import { lookOf, PreviewPage, widgetFields, WidgetPreview } from "../../preview/WidgetPreview.tsx"
import { useResource } from "../../server/Resource.ts"
import { PeopleSection } from "./PeopleSection.tsx"
import { SynonymSuggestions } from "./SynonymSuggestions.tsx"

const GeneralSection = ({ chatbotId, form }: { readonly form: Form; readonly chatbotId: string }) => (
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

const groundings = { off: "Off", mark: "Mark unsupported sentences", strict: "Strict" }

const AnswersSection = ({ chatbotId, form }: { readonly chatbotId: string; readonly form: Form }) => (
  <Section title="Answers">
    <ModelField
      form={form}
      hint="One of the list, or the name of another one of your connections. local/extractive quotes the documents and needs no key."
    />
    <TextArea
      {...form.lines("settings.fallbackModels")}
      label="Fallback models"
      rows={2}
      spellcheck={false}
      hint="One per line, up to five. Tried in order when a model is unavailable."
    />
    <TextArea
      {...form.line("settings.prompt")}
      label="Prompt"
      maxLength={32_000}
      rows={4}
      hint="The instructions the model receives in every conversation."
    />
    <div class="columns">
      <TextField {...form.line("personality_config.tone")} label="Tone" placeholder="friendly" maxLength={500} />
      <TextField {...form.line("personality_config.style")} label="Style" placeholder="concise" maxLength={500} />
    </div>
    <TextArea
      {...form.line("settings.greeting")}
      label="Greeting"
      maxLength={2_000}
      hint="Shown before the visitor's first message."
    />
    <TextArea
      {...form.lines("settings.synonyms")}
      label="Synonyms"
      rows={3}
      hint="Words that search treats as the same. One group per line, separated by commas, such as: PTO, paid leave, vacation."
    />
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
    <SynonymSuggestions chatbotId={chatbotId} form={form} />
    <Switch
      {...form.flag("settings.isToolEnabled")}
      label="Tools"
      hint="Lets the model search documents and call tools when it needs to. When off, documents are searched once per message."
    />
    <Switch
      {...form.flag("settings.isRequestUserInfoEnabled")}
      label="Ask for an e-mail address"
      hint="Before the first answer. Visitors who decline still get an answer."
    />
    <Switch
      {...form.flag("settings.isSystemMessageEnabled")}
      label="Allow system messages"
      hint="Lets every key with the Chat permission add instructions through system messages of the /v1 API."
    />
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
        <GeneralSection form={form} chatbotId={chatbotId} />
        <AnswersSection form={form} chatbotId={chatbotId} />
        <PeopleSection form={form} />
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
