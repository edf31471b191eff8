import { signal } from "@preact/signals"
import { type Answer, call } from "../../server/Api.ts"
import { Failure } from "../../server/Failure.ts"
import { resources } from "../../server/Resource.ts"
import { can } from "../../server/Session.ts"
import { isUnderWay } from "../knowledge/Documents.ts"
import { documentResource } from "../knowledge/PassagesDrawer.tsx"
import { askVariant, type Exchange } from "../playground/Exchange.ts"

export type Review = Answer<"GET /api/external/chatbot/:chatbotId/replies/:messageId">["reply"]

export const reviewOf = resources(
  async (chatbotId: string, messageId: string) =>
    (await call("GET /api/external/chatbot/:chatbotId/replies/:messageId", { params: { chatbotId, messageId } })).reply,
)

/** The documents that a reply rests on, or that its question finds now, each once with the best passage. */
export const documentsOf = ({ now, sources }: Review) => {
  const all = [...sources, ...now.searches.flatMap(({ passages }) => passages)]
  return all.filter(({ document_id: id }, index) => all.findIndex((each) => each.document_id === id) === index)
}

const ofSetup: ReadonlySet<string> = new Set(["prompt", "personality", "model", "settings"])
/** The kinds of differences that hardly ever make an answer another. */
const faint: ReadonlySet<string> = new Set(["ranking", "server_version"])

/** What is most probably wrong with a reply, in words, and the ways to mend it, first the one that removes that. */
export const diagnosisOf = ({ differences, sources }: Pick<Review, "differences" | "sources">) => {
  const likeliest = differences.find(({ kind }) => !faint.has(kind))
  if (likeliest !== undefined && ofSetup.has(likeliest.kind))
    return { cause: likeliest.detail, ways: ["prompt", "document", "answer"] } as const
  if (likeliest === undefined && sources.length === 0)
    return { cause: "No document has the answer to this question.", ways: ["answer", "document", "prompt"] } as const
  const cause = likeliest?.detail ?? "The document on which the answer rests is wrong, out of date or easily misread."
  return { cause, ways: ["document", "prompt", "answer"] } as const
}

/** A way to mend an answer: what it changes first, or the prompt that is tried without being saved. */
interface Way {
  /** Changes something; resolves to the ids of the documents that have to be ready before the question is asked. */
  readonly mend?: () => Promise<ReadonlyArray<string>>
  readonly prompt?: string
}

export const mayAsk = (): boolean => can("chat") && can("chatbots:write")

const POLL_MILLIS = 400

/** The question of a reply, asked again after each mending. */
export const makeMending = (first: Review) => {
  const { chatbot_id: chatbotId, history, message_id, question } = first
  /** The new answer, while it is being made and afterwards. */
  const exchange = signal<Exchange | undefined>(undefined)
  /** What the new answer waits for, in words. */
  const waiting = signal<string | undefined>(undefined)
  /** Whether the new answer is of a prompt that is not saved. */
  const isTrial = signal(false)
  /** The test that was made of the reply. */
  const testId = signal<string | undefined>(undefined)
  let turn = 0
  const stop = (): void => {
    turn++
    exchange.peek()?.stop()
  }
  /** Waits until a document is ready. Rejects where it has just been changed and could not be read. */
  const ready = async (documentId: string, isChanged: boolean, own: number): Promise<void> => {
    const resource = documentResource(chatbotId, documentId)
    for (;;) {
      await resource.reload()
      const document = resource.data.peek()?.document
      if (own !== turn || document === undefined || resource.failure.peek() !== undefined) return
      if (isChanged && document.error !== null) throw new Failure(`${document.name}: ${document.error.message}`, {})
      if (!isUnderWay(document)) return
      waiting.value = `Waiting until ${document.name} is ready…`
      await new Promise((resolve) => setTimeout(resolve, POLL_MILLIS))
    }
  }
  const again = async ({ mend, prompt }: Way = {}): Promise<void> => {
    stop()
    const own = turn
    const review = reviewOf(chatbotId, message_id)
    exchange.value = undefined
    waiting.value = "Saving…"
    try {
      const changed = (await mend?.()) ?? []
      const found = documentsOf(review.data.peek() ?? first).map(({ document_id: id }) => id)
      for (const id of new Set([...changed, ...found])) await ready(id, changed.includes(id), own)
      if (own !== turn) return
      isTrial.value = prompt !== undefined
      if (mayAsk())
        exchange.value = askVariant(chatbotId, question, { ...(prompt !== undefined && { prompt }) }, history)
      void review.reload()
    } finally {
      if (own === turn) waiting.value = undefined
    }
  }
  return { exchange, waiting, isTrial, testId, again, stop }
}

export type Mending = ReturnType<typeof makeMending>
