import { useId } from "preact/hooks"
import { useModels } from "../../data/Models.ts"
import type { Form } from "../../forms/Form.ts"
import { Switch, TextArea, TextField } from "../../parts/Field.tsx"
import { Section } from "../../parts/Layout.tsx"
import { SynonymSuggestions } from "./SynonymSuggestions.tsx"

/** The settings of a chatbot's answers. */
export const AnswersSection = ({ chatbotId, form }: { readonly chatbotId: string; readonly form: Form }) => {
  const list = useId()
  const models = useModels()
  return (
    <Section title="Answers">
      <datalist id={list}>
        {models.map((model) => (
          <option key={model}>{model}</option>
        ))}
      </datalist>
      <TextField
        {...form.line("settings.model")}
        label="Model"
        list={list}
        spellcheck={false}
        hint="A claude-… model, an openai/… model of a compatible server, or local/extractive, which quotes the documents and needs no key."
      />
      <TextArea
        {...form.lines("settings.fallbackModels")}
        label="Fallback models"
        rows={2}
        spellcheck={false}
        hint="One a line, at most five. Asked in turn when the provider of the model before fails before it has begun to answer."
      />
      <TextArea
        {...form.line("settings.prompt")}
        label="Prompt"
        maxLength={32_000}
        rows={4}
        hint="What the model is told about its task, before every conversation."
      />
      <div class="columns">
        <TextField {...form.line("personality_config.tone")} label="Tone" placeholder="friendly" maxLength={500} />
        <TextField {...form.line("personality_config.style")} label="Style" placeholder="concise" maxLength={500} />
      </div>
      <TextArea
        {...form.line("settings.greeting")}
        label="Greeting"
        maxLength={2_000}
        hint="What a visitor reads before writing anything."
      />
      <TextArea
        {...form.lines("settings.synonyms")}
        label="Synonyms"
        rows={3}
        hint="Words and phrases that search takes for each other: one group on each line, with commas in between, such as PTO, paid leave, vacation."
      />
      <SynonymSuggestions chatbotId={chatbotId} form={form} />
      <Switch
        {...form.flag("settings.isToolEnabled")}
        label="Tools"
        hint="The model decides when to search the documents and may call the tools that are declared. While it is off, the documents are searched once with every message."
      />
      <Switch
        {...form.flag("settings.isRequestUserInfoEnabled")}
        label="E-mail request"
        hint="Asks for the visitor's e-mail address before the first answer. Visitors who decline still get an answer."
      />
      <Switch
        {...form.flag("settings.isSystemMessageEnabled")}
        label="System messages of clients"
        hint="Whether every key that chats may add instructions by the system messages of /v1."
      />
    </Section>
  )
}
