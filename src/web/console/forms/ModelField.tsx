import { useId } from "preact/hooks"
import { allChatbots } from "../data/Chatbots.ts"
import { TextField } from "../parts/Field.tsx"
import { useResource } from "../server/Resource.ts"
import type { Form } from "./Form.ts"

/** The model of a chatbot; those of the organization's chatbots and the one that needs no key are suggested. */
export const ModelField = ({
  form,
  hint,
  label = "Model",
  path = "settings.model",
}: {
  readonly form: Form
  readonly hint?: string
  readonly label?: string
  readonly path?: string
}) => {
  const isOptional = path !== "settings.model"
  const id = useId()
  const chatbots = useResource(allChatbots()).data.value ?? []
  const used = chatbots.flatMap(({ settings }) => [settings.model, ...(settings.fallbackModels ?? [])])
  return (
    <>
      <datalist id={id}>
        {Array.from(new Set([...used, "local/extractive"]))
          .toSorted()
          .map((model) => (
            <option key={model}>{model}</option>
          ))}
      </datalist>
      <TextField
        {...form.line(path)}
        {...(isOptional && { onValue: (value: string) => form.set(path, value === "" ? null : value) })}
        label={label}
        list={id}
        spellcheck={false}
        hint={hint}
      />
    </>
  )
}
