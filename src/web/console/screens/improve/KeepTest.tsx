import { inOneLine } from "../../data/Texts.ts"
import { Form, useDraft } from "../../parts/Dialogs.tsx"
import { SelectField, TextField } from "../../parts/Field.tsx"
import { toast } from "../../parts/Toast.ts"
import type { Trace } from "../playground/Trace.ts"
import { keepTest } from "./TestOfReply.ts"
import { documentsOf, type Mending, type Review } from "./Mending.ts"

const holds = (text: string, part: string): boolean =>
  inOneLine(text).toLowerCase().includes(inOneLine(part).toLowerCase())

/** What is proposed to be expected: the document of the answer's first quote, and the line of that which the answer has. */
export const proposalOf = ({ quotes: [first], text }: Pick<Trace, "quotes" | "text">) => {
  const lines = (first?.content ?? "").split(/\n+|(?<=[.!?])\s+|(?<=[。！？])/u).map(inOneLine)
  const repeated = lines.filter((line) => holds(text, line)).toSorted((one, other) => other.length - one.length)
  return { find: first?.documentId ?? "", say: repeated[0] || lines.find(Boolean) || "" }
}

interface KeepTestProps {
  readonly review: Review
  readonly mending: Mending
  readonly trace: Trace
}

/** Keeps the question of a reply as a test, with what a new answer, which is complete, leads to expect. */
export const KeepTest = ({ mending: { testId }, review, trace }: KeepTestProps) => {
  const { draft, of } = useDraft(proposalOf(trace))
  const isHeld = holds(trace.text, draft.say)
  const titles: Readonly<Record<string, string>> = {
    "": "Any document",
    ...Object.fromEntries(documentsOf(review).map((one) => [one.document_id, one.title])),
    ...Object.fromEntries(trace.quotes.map(({ documentId = "", title }) => [documentId, title])),
  }
  const submit = async (): Promise<void> => {
    const { find: document_id, say } = draft
    const title = titles[document_id] ?? ""
    const find = document_id === "" ? [] : [{ document_id, ...(title !== "" && { title }) }]
    const expected = say.trim() === "" ? [] : [{ kind: isHeld ? "words" : "judge", value: say.trim() } as const]
    const { chatbot_id, message_id } = review
    await keepTest(chatbot_id, { message_id }, { find, say: expected }, testId)
    toast("Test saved.")
  }
  return (
    <section class="stack tight" aria-label="Test">
      <h3>Test</h3>
      <p class="soft small">
        Runs when documents, settings or the server change, and tells when the answer gets worse.
      </p>
      <Form action={testId.value === undefined ? "Keep as a test" : "Save test"} onSubmit={submit}>
        <div class="columns wide">
          <SelectField label="The search must find" {...of("find")} options={titles} />
          <TextField
            label="The answer must say"
            {...of("say")}
            maxLength={2_000}
            dir="auto"
            hint={isHeld ? undefined : "The new answer has other words: a model judges whether it says so."}
          />
        </div>
      </Form>
    </section>
  )
}
