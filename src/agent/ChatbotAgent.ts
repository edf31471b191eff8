import { Effect } from "effect"
import { Agent, type AgentInput, type FindApproved } from "./Agent.ts"
import { toolSizes } from "./tools/AgentTool.ts"
import { httpTool } from "./tools/HttpTool.ts"
import { emitted } from "./AgentEvent.ts"
import type { FoundPassage } from "../domain/chat/ReplyGround.ts"
import { type Passage, PASSAGES_PER_SEARCH } from "../domain/knowledge/Passage.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { Service } from "../domain/Service.ts"
import { type Hit, Retriever } from "../knowledge/Retriever.ts"
import { spokenLanguageOf } from "../language/Locales.ts"
import { TITLES_MAX } from "../models/ToolDeclaration.ts"
import { SafeFetch } from "../outbound/SafeFetch.ts"
import type { ChatbotRow } from "../storage/chatbots/Chatbots.ts"
import { Documents } from "../storage/documents/Documents.ts"
import { type ApprovedAnswer, Questions } from "../storage/sources/Questions.ts"
import { ChatbotTools } from "../storage/tools/ChatbotTools.ts"
import { asked } from "../knowledge/QuestionForms.ts"

type FromCaller = "bounds" | "emit" | "explainsFailures" | "history" | "isStreamed" | "offersHuman" | "showsRequests"

/** The parts of a reply that do not come from the settings of its chatbot. */
export interface ChatbotReplyInput extends Pick<AgentInput, FromCaller> {
  /** Instructions of the calling application; empty for none. */
  readonly application: string
  readonly isSpoken?: boolean
  /** What searches have found already, by their queries; those are not done again. */
  readonly searched?: ReadonlyMap<string, ReadonlyArray<Hit>>
}

const noTools = Effect.succeed([])

/** Makes replies with the model, the instructions, the knowledge and the tools of a chatbot. */
export class ChatbotAgent extends Service<ChatbotAgent>()("parley/agent/ChatbotAgent", function* () {
  const agent = yield* Agent
  const retriever = yield* Retriever
  const documents = yield* Documents
  const chatbotTools = yield* ChatbotTools
  const questions = yield* Questions
  const { fetch } = yield* SafeFetch

  /**
   * Searches the knowledge of this chatbot, and of no other. The model decides which passages bear on the question.
   */
  const searchOf =
    (chatbot: ChatbotRow, { emit, searched }: ChatbotReplyInput) =>
    (query: string) => {
      const known = searched?.get(query)
      const search = retriever.search({ chatbotId: chatbot.id, query, topK: PASSAGES_PER_SEARCH, threshold: 0 }).pipe(
        Effect.map(({ hits }): ReadonlyArray<Hit> => hits),
        // The chatbot was deleted during the chat.
        Effect.catchTag("NotFound", () => Effect.succeed<ReadonlyArray<Hit>>([])),
      )
      return emitted(emit, { type: "search", query, found: undefined }).pipe(
        Effect.andThen(known === undefined ? search : Effect.succeed(known)),
        Effect.tap((hits) => emitted(emit, { type: "search", query, found: hits.map(foundPassage) })),
        Effect.map((hits) => hits.map(toPassage)),
        Effect.provideService(CurrentOrganization, chatbot.organization_id),
      )
    }

  /** Finds the approved answers of this chatbot. For most chatbots, which have none, the database is not queried. */
  const approvedOf = (
    { has_questions, id, organization_id }: ChatbotRow,
    { emit }: ChatbotReplyInput,
  ): FindApproved | undefined =>
    !has_questions
      ? undefined
      : (texts, before) =>
          questions.answerTo(id, asked(texts, before)).pipe(
            Effect.tap((found) => {
              if (found === undefined) return Effect.void
              return emitted(emit, { type: "search", query: texts[0], found: [foundAnswer(found)], isLookup: true })
            }),
            Effect.map((found) => found && toApproved(found)),
            Effect.provideService(CurrentOrganization, organization_id),
          )

  /** Lists the documents of this chatbot, and of no other. */
  const documentsOf = (chatbot: ChatbotRow) =>
    Effect.provideService(documents.titles(chatbot.id, TITLES_MAX), CurrentOrganization, chatbot.organization_id)

  /** The HTTP tools of the chatbot. For most chatbots, which have none, the database is not queried. */
  const toolsOf = ({ id, settings: { isToolEnabled }, tool_count }: ChatbotRow) =>
    tool_count === 0 || !isToolEnabled
      ? noTools
      : Effect.map(chatbotTools.list(id), (rows) =>
          rows.map((row) => httpTool(row, { fetch, resultMaxLength: toolSizes.resultMaxLength })),
        )

  /** The settings of a chatbot and the caller's, as an agent takes them. */
  const inputOf = (chatbot: ChatbotRow, input: ChatbotReplyInput) =>
    Effect.map(toolsOf(chatbot), (tools) => ({
      ...input,
      model: chatbot.settings.model,
      fallbackModels: chatbot.settings.fallbackModels,
      grounding: chatbot.settings.grounding,
      judgeModel: chatbot.settings.judgeModel,
      instructions: {
        chatbotName: chatbot.name,
        prompt: chatbot.settings.prompt,
        personality: chatbot.personality_config,
        application: input.application,
        isSpoken: input.isSpoken,
        language: spokenLanguageOf(chatbot.chat_widget_config.language),
      },
      toolsEnabled: chatbot.settings.isToolEnabled,
      search: searchOf(chatbot, input),
      approved: approvedOf(chatbot, input),
      documents: documentsOf(chatbot),
      tools,
      offersHuman: chatbot.settings.handover?.tool === true && input.offersHuman,
    }))

  return {
    /** Makes a reply. Nothing of it is stored. */
    reply: (chatbot: ChatbotRow, input: ChatbotReplyInput) =>
      Effect.flatMap(inputOf(chatbot, input), (made) =>
        Effect.provideService(agent.reply(made), CurrentOrganization, chatbot.organization_id),
      ),
  }
}) {}

export const foundPassage = ({ documentId, isApproved, ordinal, revision, similarity, title }: Hit): FoundPassage => ({
  document_id: documentId,
  title,
  chunk: ordinal,
  revision,
  similarity,
  ...(isApproved ? { approved: true } : {}),
})

/** An approved answer as a passage that was found. */
export const foundAnswer = ({ document_id, question, revision }: ApprovedAnswer): FoundPassage => ({
  document_id,
  title: question,
  chunk: 1,
  revision,
  similarity: 1,
  approved: true,
})

const toApproved = ({ answer, document_id, question }: ApprovedAnswer): Passage => ({
  documentId: document_id,
  title: question,
  chunk: 1,
  page: null,
  content: answer,
  similarity: 1,
  isApproved: true,
})

const toPassage = ({ documentId, title, ordinal, page, headings, content, similarity, ...hit }: Hit): Passage => ({
  documentId,
  title,
  chunk: ordinal,
  page,
  ...(headings.length === 0 ? {} : { section: headings.join(" > ") }),
  ...(hit.url === null ? {} : { url: hit.url }),
  ...(hit.isApproved ? { isApproved: true } : {}),
  content,
  similarity,
})
