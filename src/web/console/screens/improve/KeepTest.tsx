import { useSignal } from "@preact/signals"
import { Form, useDraft } from "../../parts/Dialogs.tsx"
import { SelectField, TextField } from "../../parts/Field.tsx"
import { toast } from "../../parts/Toast.ts"
import { call } from "../../server/Api.ts"
import { toFailure } from "../../server/Failure.ts"
import type { Trace } from "../playground/Trace.ts"
import type { Review } from "./Mending.ts"

const route = "/api/external/chatbot/:chatbotId/tests"

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, " ").trim()

const kinds = { words: "Hold this text", judge: "Agree with this sentence, as a model judges" } as const

/** What is proposed to be expected of an answer: the document of its first quote, and the line of that which it says. */
export const proposalOf = ({ quotes, text }: Pick<Trace, "quotes" | "text">) => {
  const [first] = quotes
  const said = inOneLine(text).toLowerCase()
  const lines = (first?.content ?? "").split(/\n+|(?<=[.!?])\s+|(?<=[。！？])/u).map(inOneLine)
  const repeated = lines
    .filter((line) => line !== "" && said.includes(line.toLowerCase()))
    .reduce((longest, line) => (line.length > longest.length ? line : longest), "")
  return {
    find: first?.documentId ?? "",
    kind: repeated === "" ? ("judge" as const) : ("words" as const),
    say: repeated || (lines.find((line) => line !== "") ?? ""),
  }
}

/** Makes the test of a reply, or finds it where there is one. */
const testOf = async ({ chatbot_id: chatbotId, message_id, question }: Review): Promise<string> => {
  const params = { chatbotId }
  try {
    return (await call(`POST ${route}/from-reply`, { params, body: { message_id } })).test.id
  } catch (error) {
    if (toFailure(error).status !== 409) throw error
    const { data } = await call(`GET ${route}`, { params, query: { query: question.slice(0, 500) } })
    const known = data.find((test) => test.message_id === message_id)
    if (known === undefined) throw error
    return known.id
  }
}

interface KeepTestProps {
  readonly review: Review
  /** The new answer, which is complete. */
  readonly trace: Trace
}

/** Keeps the question of a reply as a test, with what a new answer leads to expect. */
export const KeepTest = ({ review, trace }: KeepTestProps) => {
  const { draft, of } = useDraft(proposalOf(trace))
  const testId = useSignal<string | undefined>(undefined)
  const found = [
    ...trace.quotes.map(({ documentId, title }) => [documentId ?? "", title] as const),
    ...review.now.searches.flatMap(({ passages }) => passages.map((one) => [one.document_id, one.title] as const)),
  ]
  const titles: Readonly<Record<string, string>> = { ...Object.fromEntries(found), "": "Any document" }
  const submit = async (): Promise<void> => {
    const { find: document_id, kind, say } = draft
    const title = titles[document_id] ?? ""
    testId.value ??= await testOf(review)
    const expectations = {
      find: document_id === "" ? [] : [{ document_id, ...(title !== "" && { title }) }],
      say: say.trim() === "" ? [] : [{ kind, value: say.trim() }],
    }
    const params = { chatbotId: review.chatbot_id, testId: testId.value }
    await call(`PATCH ${route}/:testId`, { params, body: { expectations } })
    toast("Test saved.")
  }
  return (
    <section class="stack tight" aria-label="Test">
      <h3>Test</h3>
      <p class="soft small">
        Runs by itself when documents, settings or the server change, and tells when this answer gets worse.
      </p>
      <Form action={testId.value === undefined ? "Keep as a test" : "Save test"} onSubmit={submit}>
        <div class="columns wide">
          <SelectField label="The search must find" {...of("find")} options={titles} />
          <SelectField label="The answer must" {...of("kind")} options={kinds} />
        </div>
        <TextField label="Text" {...of("say")} maxLength={2_000} dir="auto" />
      </Form>
    </section>
  )
}
