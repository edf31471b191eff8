import { allChatbots } from "../data/Chatbots.ts"
import { TextField } from "../parts/Field.tsx"
import { useResource } from "../server/Resource.ts"
import type { Form } from "./Form.ts"

interface ModelFieldProps {
  readonly form: Form
  readonly hint?: string
  readonly label?: string
  readonly path?: string
}

/** The model of a chatbot; those of the organization's chatbots and the one that needs no key are suggested. */
export const ModelField = ({ form, hint, label = "Model", path = "settings.model" }: ModelFieldProps) => {
  const chatbots = useResource(allChatbots()).data.value ?? []
  const used = chatbots.flatMap(({ settings }) => [settings.model, ...(settings.fallbackModels ?? [])])
  const suggestions = Array.from(new Set([...used, "local/extractive"])).toSorted()
  const bound = path === "settings.model" ? form.line(path) : form.optional(path)
  return <TextField {...bound} {...{ hint, label, suggestions }} spellcheck={false} />
}
