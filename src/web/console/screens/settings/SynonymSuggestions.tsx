import { useSignal } from "@preact/signals"
import { plural } from "../../../shared/Format.ts"
import { textsIn } from "../../data/Texts.ts"
import type { Form } from "../../forms/Form.ts"
import { Button } from "../../parts/Buttons.tsx"
import { bind, TextField } from "../../parts/Field.tsx"
import { call } from "../../server/Api.ts"
import { resources, useResource } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"

const suggestionsOf = resources((chatbotId: string) =>
  call("GET /api/external/chatbot/:chatbotId/synonyms/suggestions", { params: { chatbotId } }),
)

interface SuggestionProps {
  readonly word: string
  readonly hint: string
  readonly onAdd: (synonym: string) => void
}

const Suggestion = ({ hint, onAdd, word }: SuggestionProps) => {
  const synonym = useSignal("")
  const add = () => synonym.value.trim() !== "" && onAdd(synonym.value.trim())
  return (
    <li class="row nowrap">
      <TextField
        {...bind(synonym)}
        hint={hint}
        label={`The documents’ word for “${word}”`}
        maxLength={60}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return
          // It would save the form.
          event.preventDefault()
          add()
        }}
      />
      <Button small disabled={synonym.value.trim() === ""} onClick={add} aria-label={`Add synonyms of ${word}`}>
        Add
      </Button>
    </li>
  )
}

const SYNONYMS = "settings.synonyms"

/** Words of questions without an answer that the documents do not have, each with a field for the one that they have. */
export const SynonymSuggestions = ({ chatbotId, form }: { readonly chatbotId: string; readonly form: Form }) => {
  const { data } = useResource(suggestionsOf(chatbotId), can("conversations:read"))
  const value = form.fields.value[SYNONYMS]
  const groups = Array.isArray(value) ? value.filter((group) => group.trim() !== "") : []
  const known = new Set(groups.flatMap((group) => textsIn(group.toLowerCase())))
  const open = data.value?.suggestions.filter(({ word }) => !known.has(word)) ?? []
  return open.length === 0 ? null : (
    <details>
      <summary>Suggestions ({open.length})</summary>
      <ul class="stack">
        <li class="soft small">Words of unanswered questions that no document contains.</li>
        {open.map(({ latest_question, questions, word }) => (
          <Suggestion
            key={word}
            word={word}
            hint={`${plural(questions, "question")}, latest: ${latest_question.slice(0, 160)}`}
            onAdd={(synonym) => form.set(SYNONYMS, [...groups, `${word}, ${synonym}`])}
          />
        ))}
      </ul>
    </details>
  )
}
