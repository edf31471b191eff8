import { Context, Effect, Layer, Schema } from "effect"
import * as McpServer from "effect/ai/McpServer"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { chatFailures } from "../../api/conversations/Chat.ts"
import { schemasIn } from "../../api/failures/FailureForm.ts"
import type { Scope } from "../../domain/keys/ApiKey.ts"
import { Caller } from "../../domain/Caller.ts"
import { CHAT_INPUT_MAX_LENGTH, ChatReply, Citation } from "../../domain/chat/Chat.ts"
import { Forbidden, InvalidRequest } from "../../domain/Errors.ts"
import { QUERY_MAX_LENGTH } from "../../domain/knowledge/Passage.ts"
import { ChatbotId, DocumentId, SessionId, optionalId } from "../../domain/Ids.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { textBetween } from "../../domain/schema/Text.ts"
import { Chat } from "../../services/conversations/Chat.ts"
import { Knowledge } from "../../services/knowledge/Knowledge.ts"
import { RateLimiter } from "../../admission/RateLimiter.ts"

/*
 * The tools of the Model Context Protocol: the search in a chatbot's knowledge, and a chat with the chatbot, for the
 * models of other programs.
 */

const DEFAULT_PASSAGES = 5
const MAX_PASSAGES = 20

/** The chatbot that the path names, or to which the API key is bound; undefined when neither is the case. */
export class ServedChatbot extends Context.Service<ServedChatbot, ChatbotId | undefined>()(
  "parley/http/mcp/ServedChatbot",
) {}

const ErrorBody = Schema.Struct({ code: Schema.String, detail: Schema.String })

/** The schemas of every failure as the error of a tool, for the model that has called the tool. Tools declare them. */
const ToolError = schemasIn({
  mediaType: "application/json",
  schemaOf: () => ErrorBody,
  encode: ({ code }, { detail }) => ({ code, detail }),
  decode: (body) => body,
  codeOf: ({ code }) => code,
})

/** The failures that every tool may meet. */
const anyFailures = [
  ToolError.InvalidRequest,
  ToolError.Forbidden,
  ToolError.NotFound,
  ToolError.RateLimited,
  ToolError.Unavailable,
] as const

const ofChatbot = {
  chatbot_id: optionalId(ChatbotId, "The chatbot, where neither the address nor the key names one."),
}

const SearchKnowledge = Tool.make("search_knowledge", {
  description: "Searches the knowledge base of a chatbot and returns the passages that fit the query best, best first.",
  parameters: Schema.Struct({
    query: textBetween(1, QUERY_MAX_LENGTH).annotate({ description: "A question, or key words." }),
    limit: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: MAX_PASSAGES })).annotate({
        description: `Passages, at most. Absent: ${DEFAULT_PASSAGES}.`,
      }),
    ),
    ...ofChatbot,
  }),
  success: Schema.Struct({
    passages: Schema.Array(
      Schema.Struct({
        document_id: DocumentId,
        title: Schema.String,
        chunk: Schema.Int,
        page: Schema.NullOr(Schema.Int),
        url: Schema.NullOr(Schema.String),
        content: Schema.String,
        similarity: Schema.Finite,
      }),
    ),
  }),
  failure: Schema.Union([...anyFailures, ToolError.TooManyAtOnce]),
  dependencies: [Caller, CurrentOrganization, ServedChatbot],
})
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
  .annotate(Tool.OpenWorld, false)

const ChatTool = Tool.make("chat", {
  description:
    "Asks a chatbot, which answers from its knowledge base. With a session it remembers what was said before. With `handover`, people answer in the conversation from now on, and not the chatbot.",
  parameters: Schema.Struct({
    message: textBetween(1, CHAT_INPUT_MAX_LENGTH),
    session_id: Schema.optionalKey(
      textBetween(1, 200).annotate({
        description:
          "Names the conversation: as an answer before gave it, or a text that nobody else guesses. Absent: a new one.",
      }),
    ),
    ...ofChatbot,
  }),
  success: Schema.Struct({
    session_id: SessionId,
    output: Schema.String,
    sources: Schema.Array(Citation),
    handover: ChatReply.fields.handover,
  }),
  failure: Schema.Union([...anyFailures, ...chatFailures(ToolError)]),
  dependencies: [Caller, CurrentOrganization, ServedChatbot],
})
  .annotate(Tool.Readonly, false)
  .annotate(Tool.Destructive, false)
  .annotate(Tool.OpenWorld, false)

/** The tools that the Model Context Protocol offers. */
export const Tools = Toolkit.make(SearchKnowledge, ChatTool)

/** The scope that an API key needs for each tool. A key without the scope neither sees the tool nor can call it. */
const scopes: ReadonlyMap<string, Scope> = new Map([
  [SearchKnowledge.name, "knowledge:read"],
  [ChatTool.name, "chat"],
])

const byScope = McpServer.visibility(({ target }) =>
  Caller.useSync((caller) => {
    const scope = scopes.get(target)
    return scope !== undefined && caller.scopes.includes(scope)
  }),
)

/** The chatbot of a call, from its argument `chatbot_id` or else from the path or the key. */
const chatbotOf = Effect.fnUntraced(function* (argument: ChatbotId | undefined) {
  const served = yield* ServedChatbot
  if (served !== undefined && argument !== undefined && argument !== served) {
    return yield* new Forbidden({ detail: "The address or the API key names another chatbot." })
  }
  const chatbot = argument ?? served
  return chatbot === undefined ? yield* InvalidRequest.at("chatbot_id", "Required") : chatbot
})

const handlers = Tools.toLayer(
  Effect.gen(function* () {
    const knowledge = yield* Knowledge
    const chat = yield* Chat
    const rates = yield* RateLimiter

    /** Takes what the tool costs more than the request that calls it, which is counted already. */
    const take = (cost: number) =>
      Effect.flatMap(
        Caller.use((caller) => rates.decide(caller, cost - requestCosts.plain)),
        ({ refusal }) => (refusal === undefined ? Effect.void : Effect.fail(refusal)),
      )

    return Tools.of({
      search_knowledge: ({ chatbot_id, limit = DEFAULT_PASSAGES, query }) =>
        chatbotOf(chatbot_id).pipe(
          Effect.flatMap((chatbot) => knowledge.search(chatbot, query, limit)),
          Effect.map(({ hits }) => ({
            passages: hits.map(({ content, documentId, ordinal, page, similarity, title, url }) => ({
              document_id: documentId,
              title,
              chunk: ordinal,
              page,
              url,
              content,
              similarity,
            })),
          })),
        ),
      chat: ({ chatbot_id, message, session_id }) =>
        chatbotOf(chatbot_id).pipe(
          Effect.tap(take(requestCosts.chat)),
          Effect.flatMap((chatbot) =>
            chat.reply(chatbot, {
              messages: [{ role: "user", content: message }],
              platform: "mcp",
              sessionToken: session_id,
            }),
          ),
          Effect.map(({ handover, output, session_id, sources }) => ({
            session_id,
            output,
            sources,
            ...(handover && { handover }),
          })),
        ),
    })
  }),
)

/** Registers the tools with the server of the protocol. */
export const layer = McpServer.toolkit(Tools).pipe(Layer.provide(byScope.layer), Layer.provide(handlers))
