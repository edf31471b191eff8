import type { Form } from "../../forms/Form.ts"
import { ModelField } from "../../forms/ModelField.tsx"
import { Switch, TextArea, TextField } from "../../parts/Field.tsx"
import { Section } from "../../parts/Layout.tsx"
import { SynonymSuggestions } from "./SynonymSuggestions.tsx"

/** The settings of a chatbot's answers. */
export const AnswersSection = ({ chatbotId, form }: { readonly chatbotId: string; readonly form: Form }) => {
  return (
    <Section title="Answers">
      <ModelField
        form={form}
        hint="Such as claude-…, openai/…, or local/extractive, which quotes the documents and needs no key."
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
}
