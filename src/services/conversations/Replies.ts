import { Effect, Option, Schema } from "effect"
import { version } from "../../../package.json" with { type: "json" }
import { askedIn } from "../../agent/Asked.ts"
import { foundAnswer, foundPassage } from "../../agent/ChatbotAgent.ts"
import { SearchRecorder } from "../../agent/SearchRecorder.ts"
import type { ChatTurn } from "../../domain/chat/Chat.ts"
import { authorOf } from "../../domain/chat/WrittenBy.ts"
import { ChatbotSetup, type FoundPassage, type ReplyReview, type ReplySearch } from "../../domain/chat/ReplyGround.ts"
import { Conflict } from "../../domain/Errors.ts"
import type { ChatbotId, MessageId } from "../../domain/Ids.ts"
import { PASSAGES_PER_SEARCH } from "../../domain/knowledge/Passage.ts"
import { Service } from "../../domain/Service.ts"
import { Retriever } from "../../knowledge/Retriever.ts"
import { Shares } from "../../admission/Shares.ts"
import { type ChatbotRow, Chatbots } from "../../storage/chatbots/Chatbots.ts"
import { setupOf } from "../../storage/chatbots/ChatbotSetups.ts"
import * as Storage from "../../storage/conversations/Replies.ts"
import { Questions } from "../../storage/sources/Questions.ts"
import { cut } from "../../text/Cut.ts"
import { asked } from "../../knowledge/QuestionForms.ts"
import { conversationOf } from "./ChatHistory.ts"
import { differencesOf, isForQuestion } from "./ReplyDifferences.ts"

/** The most turns before a question that a review shows, and the most of each, in UTF-16 code units. */
const TURNS_MAX = 20
const TURN_MAX_LENGTH = 4_000
/** The most of a passage that a review shows. */
const PASSAGE_MAX_LENGTH = 4_000

const decodeSetup = Schema.decodeUnknownOption(Schema.toType(ChatbotSetup))

const onlyReplies = new Conflict({ detail: "Only a reply of the chatbot can be reviewed; this is the user's message." })

/** Reviews of replies: why each was as it is, and what is different now. */
export class Replies extends Service<Replies>()("parley/services/conversations/Replies", function* () {
  const storage = yield* Storage.Replies
  const chatbots = yield* Chatbots
  const retriever = yield* Retriever
  const questions = yield* Questions
  const withinShare = (yield* Shares).within("searches")

  /** Does the searches of a reply again, as the chatbot's agent does them. */
  const searchAgain = Effect.fnUntraced(function* (
    chatbot: ChatbotRow,
    conversation: ReadonlyArray<ChatTurn>,
    before: ReadonlyArray<ReplySearch>,
  ) {
    const recorder = new SearchRecorder()
    const { before: messages, texts, wordings } = askedIn(conversation, chatbot.name)
    const [{ text }] = texts
    const answer = chatbot.has_questions ? yield* questions.answerTo(chatbot.id, asked(wordings, messages)) : undefined
    if (answer !== undefined) {
      const found = [{ ...foundAnswer(answer), content: cut(answer.answer, PASSAGE_MAX_LENGTH) }]
      recorder.fold({ type: "search", query: text, found, isLookup: true })
    }
    for (const { passages, query } of before) {
      // The model had the approved answer and did not search.
      if (answer !== undefined && query === text && passages.length > 0 && passages.every(isForQuestion)) continue
      const { hits } = yield* retriever.search({
        chatbotId: chatbot.id,
        query,
        topK: PASSAGES_PER_SEARCH,
        threshold: 0,
      })
      const found = hits.map((hit): FoundPassage => ({
        ...foundPassage(hit),
        content: cut(hit.content, PASSAGE_MAX_LENGTH),
      }))
      recorder.fold({ type: "search", query, found })
    }
    return recorder.searches
  })

  const review = Effect.fn("Replies.review")(function* (chatbotId: ChatbotId, messageId: MessageId) {
    const chatbot = yield* chatbots.get(chatbotId)
    const row = yield* storage.get(chatbotId, messageId)
    if (row.sender_type !== "bot") return yield* onlyReplies
    const asking = row.history.findLastIndex(({ sender_type }) => sender_type === "user")
    const question = row.history[asking]?.content ?? ""
    const conversation = conversationOf(chatbot, row.history.slice(0, Math.max(asking, 0)), {
      messages: [{ role: "user", content: question }],
      platform: "",
      sessionToken: undefined,
    })
    const kept = row.searches ?? undefined
    const asks = askedIn(conversation, chatbot.name).texts[0].text
    const again = kept ?? [{ query: row.question ?? asks, passages: [] }]
    const now = {
      setup: setupOf(chatbot).setup,
      server_version: version,
      searches: yield* searchAgain(chatbot, conversation, again),
    }
    const setup = Option.getOrUndefined(decodeSetup(row.setup))
    const before =
      kept === undefined || setup === undefined || row.server_version === null
        ? null
        : { setup, server_version: row.server_version, searches: kept }
    const places = yield* storage.passagesNow(chatbotId, before?.searches.flatMap(({ passages }) => passages) ?? [])
    const compared = { sources: row.sources ?? [], toolResults: row.tool_results ?? [], model: row.model }
    const reply: ReplyReview = {
      message_id: row.id,
      session_id: row.session_id,
      chatbot_id: chatbotId,
      created_at: row.created_at,
      question,
      standalone_question: row.question,
      history: conversation
        .slice(0, -1)
        .slice(-TURNS_MAX)
        .map(({ content, role }) => ({ role, content: cut(content, TURN_MAX_LENGTH) })),
      answer: row.content,
      sources: compared.sources,
      model: row.model,
      ...authorOf(row),
      before,
      now,
      differences: before === null ? [] : differencesOf(compared, before, now, places),
    }
    return reply
  })

  return {
    /** Reviews a reply of a chatbot; fails with `Conflict` for a message of the user. */
    review: (chatbot: ChatbotId, message: MessageId) => withinShare(review(chatbot, message)),
  }
}) {}
