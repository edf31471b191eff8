import { useId } from "preact/hooks"
import { Plus, X } from "lucide"
import { allChatbots } from "../../Chatbots.ts"
import type { Form } from "../../forms/Form.ts"
import { Button, IconButton } from "../../parts/Button.tsx"
import { Switch, TextArea, TextField } from "../../parts/Field.tsx"
import { Section } from "../../parts/Page.tsx"
import { useResource } from "../../Resource.ts"

const FALLBACK = "settings.fallbackModels"
const FALLBACK_MOST = 5

/** Models that a person may want: those that the organization's chatbots have, and the one that needs no key. */
const useModels = (): ReadonlyArray<string> => {
  const chatbots = useResource(allChatbots()).data.value ?? []
  const used = chatbots.flatMap(({ settings }) => [settings.model, ...(settings.fallbackModels ?? [])])
  return Array.from(new Set([...used, "local/extractive"])).toSorted()
}

const FallbackModels = ({ form, list }: { readonly form: Form; readonly list: string }) => {
  const models = form.list(FALLBACK)
  const change = (index: number, value: string): void =>
    form.set(
      FALLBACK,
      models.map((model, at) => (at === index ? value : model)),
    )
  return (
    <fieldset class="stack tight">
      <legend>Fallback models</legend>
      <p class="field-hint">Asked in turn when the provider of the model before fails before it has begun to answer.</p>
      {models.map((model, index) => (
        <div class="row nowrap" key={index}>
          <TextField
            label={`Fallback model ${index + 1}`}
            labelHidden
            list={list}
            spellcheck={false}
            value={model}
            onValue={(value) => change(index, value)}
            error={form.error(`${FALLBACK}.${index}`)}
          />
          <IconButton
            icon={X}
            label={`Remove fallback model ${index + 1}`}
            onClick={() =>
              form.set(
                FALLBACK,
                models.filter((_, at) => at !== index),
              )
            }
          />
        </div>
      ))}
      {models.length < FALLBACK_MOST && (
        <div>
          <Button small icon={Plus} onClick={() => form.set(FALLBACK, [...models, ""])}>
            Add a fallback model
          </Button>
        </div>
      )}
    </fieldset>
  )
}

/** How the chatbot answers. */
export const AnswersSection = ({ form }: { readonly form: Form }) => {
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
      <FallbackModels form={form} list={list} />
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
      <Switch
        {...form.flag("settings.isToolEnabled")}
        label="Tools"
        hint="The model decides when to search the documents and may call the tools that are declared. While it is off, the documents are searched once with every message."
      />
      <Switch
        {...form.flag("settings.isRequestUserInfoEnabled")}
        label="E-mail request"
        hint="Asks for the visitor's e-mail address before the first answer. Who declines is answered all the same."
      />
      <Switch
        {...form.flag("settings.isSystemMessageEnabled")}
        label="System messages of clients"
        hint="Whether every key that chats may add instructions by the system messages of /v1."
      />
    </Section>
  )
}
