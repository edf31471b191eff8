import { Context, Effect, Layer } from "effect"
import { Agent, type AgentInput, type FindApproved } from "../../agent/Agent.ts"
import { toolSizes } from "../../agent/tools/AgentTool.ts"
import { httpTool } from "../../agent/tools/HttpTool.ts"
import { type Passage, PASSAGES_PER_SEARCH } from "../../domain/knowledge/Passage.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { type Hit, Retriever } from "../../knowledge/Retriever.ts"
import { TITLES_MAX } from "../../models/ToolDeclaration.ts"
import { SafeFetch } from "../../outbound/SafeFetch.ts"
import type { ChatbotRow } from "../../storage/chatbots/Chatbots.ts"
import { Documents } from "../../storage/documents/Documents.ts"
import { type ApprovedAnswer, Questions } from "../../storage/sources/Questions.ts"
import { ChatbotTools } from "../../storage/tools/ChatbotTools.ts"
import { asked } from "../knowledge/questions/QuestionForms.ts"

type FromCaller = "emit" | "history" | "onGivenUp" | "onSource" | "onStep" | "onStepBegin" | "showsRequests"

/** The parts of a reply that do not come from the settings of its chatbot. */
export interface ChatbotReplyInput extends Pick<AgentInput, FromCaller> {
  /** Instructions of the calling application; empty for none. */
  readonly application: string
  /** Called with each search as it begins, and with the number of passages that it then finds. */
  readonly onSearch?: (passages: number | undefined) => void
}

const noTools = Effect.succeed([])

/** Makes replies with the model, the instructions, the knowledge and the tools of a chatbot. */
export class ChatbotAgent extends Context.Service<ChatbotAgent>()("parley/services/conversations/ChatbotAgent", {
  make: Effect.gen(function* () {
    const agent = yield* Agent
    const retriever = yield* Retriever
    const documents = yield* Documents
    const chatbotTools = yield* ChatbotTools
    const questions = yield* Questions
    const { fetch } = yield* SafeFetch

    /**
     * Searches the knowledge of this chatbot, and of no other. The model decides which passages bear on the question.
     */
    const searchOf = (chatbot: ChatbotRow, onSearch: ChatbotReplyInput["onSearch"]) => (query: string) => {
      onSearch?.(undefined)
      return retriever.search({ chatbotId: chatbot.id, query, topK: PASSAGES_PER_SEARCH, threshold: 0 }).pipe(
        Effect.map(({ hits }) => hits.map(toPassage)),
        // The chatbot was deleted during the chat.
        Effect.catchTag("NotFound", () => Effect.succeed([])),
        Effect.tap((found) => Effect.sync(() => onSearch?.(found.length))),
        Effect.provideService(CurrentOrganization, chatbot.organization_id),
      )
    }

    /** Finds the approved answers of this chatbot. For most chatbots, which have none, the database is not queried. */
    const approvedOf = ({ has_questions, id, organization_id }: ChatbotRow): FindApproved | undefined =>
      !has_questions
        ? undefined
        : (texts, before) =>
            questions.answerTo(id, asked(texts, before)).pipe(
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

    return {
      /** Makes a reply. Nothing of it is stored. */
      reply: (chatbot: ChatbotRow, { application, onSearch, ...input }: ChatbotReplyInput) =>
        Effect.flatMap(toolsOf(chatbot), (tools) =>
          agent.reply({
            ...input,
            model: chatbot.settings.model,
            fallbackModels: chatbot.settings.fallbackModels,
            grounding: chatbot.settings.grounding,
            judgeModel: chatbot.settings.judgeModel,
            instructions: {
              chatbotName: chatbot.name,
              prompt: chatbot.settings.prompt,
              personality: chatbot.personality_config,
              application,
            },
            toolsEnabled: chatbot.settings.isToolEnabled,
            search: searchOf(chatbot, onSearch),
            approved: approvedOf(chatbot),
            documents: documentsOf(chatbot),
            tools,
          }),
        ),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}

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
