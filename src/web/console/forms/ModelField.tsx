import { modelSources } from "../data/Models.ts"
import { TextField } from "../parts/Field.tsx"
import { useResource } from "../server/Resource.ts"
import type { Form } from "./Form.ts"

interface ModelFieldProps {
  readonly form: Form
  readonly hint?: string
  readonly label?: string
  readonly path?: string
}

/** The model of a chatbot; those of the connections are listed, and a name that is not among them may be typed. */
export const ModelField = ({ form, hint, label = "Model", path = "settings.model" }: ModelFieldProps) => {
  const sources = useResource(modelSources()).data.value ?? []
  const suggestions = sources.flatMap(({ models }) => models.map(({ model }) => model))
  const bound = path === "settings.model" ? form.line(path) : form.optional(path)
  return <TextField {...bound} {...{ hint, label, suggestions }} spellcheck={false} />
}
