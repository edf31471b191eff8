import { createHash } from "node:crypto"
import { Effect } from "effect"
import { askedIn } from "../agent/Asked.ts"
import { foundAnswer, foundPassage } from "../agent/ChatbotAgent.ts"
import type { ChatTurn } from "../domain/chat/Chat.ts"
import type { FoundPassage } from "../domain/chat/ReplyGround.ts"
import type { FindExpectation } from "../domain/evaluation/ChatbotTest.ts"
import { LIKELY_SIMILARITY, PASSAGES_PER_SEARCH } from "../domain/knowledge/Passage.ts"
import { asked } from "../knowledge/QuestionForms.ts"
import { type Hit, Retriever } from "../knowledge/Retriever.ts"
import { extractiveModel } from "../domain/chatbot/Chatbot.ts"
import { Service } from "../domain/Service.ts"
import type { ChatbotRow } from "../storage/chatbots/Chatbots.ts"
import { Questions } from "../storage/sources/Questions.ts"

/** A passage that the search of a test has found, with its whole text. */
export interface Found extends FoundPassage {
  readonly content: string
}

export interface TestSearchResult {
  /** The approved answer first, if there is one, and then the passages, best first. */
  readonly found: ReadonlyArray<Found>
  /** The same as replies are given it, by the queries. */
  readonly searched: ReadonlyMap<string, ReadonlyArray<Hit>>
  /** A hash of what was found. While it is the same, the answer of `local/extractive` is, too. */
  readonly fingerprint: string
}

/** Whether a chatbot's answers are those of the model that costs nothing and always says the same. */
export const isLocal = ({ settings }: ChatbotRow): boolean => settings.model === extractiveModel

/** Searches for the last message of a test as a chat does. */
export class TestSearch extends Service<TestSearch>()("parley/evaluation/TestSearch", function* () {
  const retriever = yield* Retriever
  const questions = yield* Questions

  return {
    find: Effect.fnUntraced(function* (
      chatbot: ChatbotRow,
      history: ReadonlyArray<ChatTurn>,
      expected: ReadonlyArray<FindExpectation>,
    ) {
      const { before, texts, wordings } = askedIn(history, chatbot.name)
      const topK = Math.max(PASSAGES_PER_SEARCH, ...expected.map(({ within = 0 }) => within))
      const searched = new Map<string, ReadonlyArray<Hit>>()
      const search = (query: string) =>
        retriever.search({ chatbotId: chatbot.id, query, topK, threshold: 0 }).pipe(
          Effect.map(({ hits }) => {
            searched.set(query, hits.slice(0, PASSAGES_PER_SEARCH))
            return hits.map(toFound)
          }),
          // The chatbot was deleted during the run.
          Effect.catchTag("NotFound", () => Effect.succeed<ReadonlyArray<Found>>([])),
        )
      const answer = chatbot.has_questions ? yield* questions.answerTo(chatbot.id, asked(wordings, before)) : undefined
      const passages = yield* search(texts[0].text)
      // The model that costs nothing searches again where the first search answers nothing.
      const isAskedTwice = isLocal(chatbot) && chatbot.settings.isToolEnabled
      const more = isAskedTwice ? yield* Effect.forEach(texts.slice(1), ({ text }) => search(text)) : []
      const approved: ReadonlyArray<Found> =
        answer === undefined ? [] : [{ ...foundAnswer(answer), content: answer.answer }]
      const found = [...approved, ...passages.filter(({ document_id }) => document_id !== answer?.document_id)]
      return { found, searched, fingerprint: fingerprintOf(chatbot, [found, ...more]) } satisfies TestSearchResult
    }),
  }
}) {}

const toFound = (hit: Hit): Found => ({
  ...foundPassage(hit),
  content: [...hit.headings, hit.content].join("\n"),
})

/**
 * Hashes what searches have found: texts, order, and which are approved. Where the chatbot's own answers are those of
 * the model that costs nothing, also what else decides them.
 */
const fingerprintOf = (chatbot: ChatbotRow, searches: ReadonlyArray<ReadonlyArray<Found>>): string => {
  const passages = searches.map((found) =>
    found.map(({ approved = false, chunk, content, document_id, similarity, title }) => [
      document_id,
      title,
      chunk,
      content,
      approved,
      ...(isLocal(chatbot) ? [similarity >= LIKELY_SIMILARITY] : []),
    ]),
  )
  const answers = isLocal(chatbot) ? [chatbot.name, chatbot.settings.isToolEnabled] : []
  return createHash("sha256")
    .update(JSON.stringify([passages, answers]))
    .digest("base64url")
}
