import { useId } from "preact/hooks"
import plus from "icon:plus"
import x from "icon:x"
import { allChatbots } from "../../Chatbots.ts"
import type { Form } from "../../forms/Form.ts"
import { Line, Lines, OnOff } from "../../forms/Inputs.tsx"
import { Button, IconButton } from "../../parts/Button.tsx"
import { TextField } from "../../parts/Field.tsx"
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
    <fieldset class="plain small-gap">
      <legend class="label">Fallback models</legend>
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
            icon={x}
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
          <Button small icon={plus} onClick={() => form.set(FALLBACK, [...models, ""])}>
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
      <Line
        form={form}
        path="settings.model"
        label="Model"
        list={list}
        spellcheck={false}
        hint="A claude-… model, an openai/… model of a compatible server, or local/extractive, which quotes the documents and needs no key."
      />
      <FallbackModels form={form} list={list} />
      <Lines
        form={form}
        path="settings.prompt"
        label="Prompt"
        maxLength={32_000}
        rows={4}
        hint="What the model is told about its task, before every conversation."
      />
      <div class="columns">
        <Line form={form} path="personality_config.tone" label="Tone" placeholder="friendly" maxLength={500} />
        <Line form={form} path="personality_config.style" label="Style" placeholder="concise" maxLength={500} />
      </div>
      <Lines
        form={form}
        path="settings.greeting"
        label="Greeting"
        maxLength={2_000}
        hint="What a visitor reads before writing anything."
      />
      <OnOff
        form={form}
        path="settings.isToolEnabled"
        label="Tools"
        hint="The model decides when to search the documents and may call the tools that are declared. While it is off, the documents are searched once with every message."
      />
      <OnOff
        form={form}
        path="settings.isRequestUserInfoEnabled"
        label="E-mail request"
        hint="Asks for the visitor's e-mail address before the first answer. Who declines is answered all the same."
      />
      <OnOff
        form={form}
        path="settings.isSystemMessageEnabled"
        label="System messages of clients"
        hint="Whether every key that chats may add instructions by the system messages of /v1."
      />
    </Section>
  )
}
