import { Lightbulb, Plus } from "lucide"
import { useSignal } from "@preact/signals"
import { plural } from "../../../shared/Format.ts"
import type { Form } from "../../forms/Form.ts"
import { Button } from "../../parts/Buttons.tsx"
import { proposeQuestions } from "../../preview/WidgetPreview.tsx"

/** The most starter questions. */
export const MAX_SUGGESTIONS = 6

/** Proposes starter questions. Visitors see those that are added and saved. */
export const SuggestedQuestions = ({ chatbotId, form }: { readonly chatbotId: string; readonly form: Form }) => {
  const proposed = useSignal<Awaited<ReturnType<typeof proposeQuestions>> | undefined>(undefined)
  const lines = form.fields.value["suggestions"]
  const chosen = Array.isArray(lines) ? lines.filter((line) => line.trim() !== "") : []
  const others = proposed.value?.filter(({ question }) => !chosen.includes(question))
  const suggest = async (): Promise<void> => {
    proposed.value = await proposeQuestions(chatbotId)
  }
  return (
    <div class="stack tight" aria-live="polite">
      <Button small icon={Lightbulb} onClick={suggest}>
        Suggest questions
      </Button>
      {others?.length === 0 && <p class="soft small">No more suggestions.</p>}
      <ul class="stack tight">
        {others?.map(({ count, origin, question }) => (
          <li key={question} class="row spread">
            <Button
              small
              icon={Plus}
              disabled={chosen.length >= MAX_SUGGESTIONS}
              onClick={() => form.set("suggestions", [...chosen, question])}
            >
              <bdi>{question}</bdi>
            </Button>
            <span class="soft small">
              {origin === "asked" ? `Asked ${plural(count, "time")}` : "From the documents"}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
