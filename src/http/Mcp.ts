import { Context, Effect, Layer, Schema } from "effect"
import { McpProtocol, McpServer, Tool, Toolkit } from "effect/ai"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { apiVersion } from "../api/Api.ts"
import * as Problem from "../api/Problem.ts"
import { Config } from "../Config.ts"
import type { Scope } from "../domain/ApiKey.ts"
import { Caller, ensureServes } from "../domain/Caller.ts"
import { chatInputMaxLength, Source } from "../domain/Chat.ts"
import { Forbidden, InvalidRequest } from "../domain/Errors.ts"
import { ChatbotId, DocumentId, SessionId } from "../domain/Ids.ts"
import { jsonDepth } from "../domain/JsonDepth.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { textBetween } from "../domain/Text.ts"
import { ApiKeys } from "../services/ApiKeys.ts"
import { Chat } from "../services/Chat.ts"
import { Knowledge } from "../services/Knowledge.ts"
import { keyOf } from "./Authorization.ts"

/*
 * The Model Context Protocol, as Streamable HTTP: what a chatbot knows, and the chatbot itself, as tools for other
 * programs' models. `/mcp` serves every chatbot that the key does, `/mcp/{chatbotId}` that one.
 */

/** Not those before 2025-06-18: their batches make any number of calls one request. */
const protocols = [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25, McpProtocol.v2025_06_18] as const

const DEFAULT_PASSAGES = 5
const MAX_PASSAGES = 20
const QUERY_MAX_LENGTH = 2_000

/** The chatbot that the address names, or else the key. */
class Served extends Context.Service<Served, ChatbotId | undefined>()("parley/http/Mcp/Served") {}

const failure = Schema.Struct({ code: Schema.String, detail: Schema.String })

const ofChatbot = {
  chatbot_id: Schema.optionalKey(
    ChatbotId.annotate({ description: "The chatbot, where neither the address nor the key names one." }),
  ),
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
        content: Schema.String,
        similarity: Schema.Finite,
      }),
    ),
  }),
  failure,
  dependencies: [Caller, CurrentOrganization, Served],
})
  .annotate(Tool.Readonly, true)
  .annotate(Tool.Destructive, false)
  .annotate(Tool.OpenWorld, false)

const ChatTool = Tool.make("chat", {
  description:
    "Asks a chatbot, which answers from its knowledge base. With a session it remembers what was said before.",
  parameters: Schema.Struct({
    message: textBetween(1, chatInputMaxLength),
    session_id: Schema.optionalKey(
      textBetween(1, 200).annotate({
        description: "Names the conversation: as an answer before gave it, or any text. Absent: a new one.",
      }),
    ),
    ...ofChatbot,
  }),
  success: Schema.Struct({ session_id: SessionId, output: Schema.String, sources: Schema.Array(Source) }),
  failure,
  dependencies: [Caller, CurrentOrganization, Served],
})
  .annotate(Tool.Readonly, false)
  .annotate(Tool.Destructive, false)
  .annotate(Tool.OpenWorld, false)

const Tools = Toolkit.make(SearchKnowledge, ChatTool)

/** What a key needs for a tool; without it the tool is not shown, and not there. */
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

/** The chatbot that a call is for. */
const chatbotOf = Effect.fnUntraced(function* (asked: ChatbotId | undefined) {
  const served = yield* Served
  if (served !== undefined && asked !== undefined && asked !== served) {
    return yield* new Forbidden({ detail: "The address or the API key names another chatbot." })
  }
  const chatbot = asked ?? served
  return chatbot === undefined ? yield* InvalidRequest.at("chatbot_id", "Required") : chatbot
})

/** `NotFound` → `not_found`: the code that problems have. */
const codeOf = (tag: string) => tag.replaceAll(/(?<!^)[A-Z]/g, "_$&").toLowerCase()

const toFailure = ({ _tag, detail }: { readonly _tag: string; readonly detail: string }) => ({
  code: codeOf(_tag),
  detail,
})

const handlers = Tools.toLayer(
  Effect.gen(function* () {
    const knowledge = yield* Knowledge
    const chat = yield* Chat
    return Tools.of({
      search_knowledge: ({ chatbot_id, limit = DEFAULT_PASSAGES, query }) =>
        chatbotOf(chatbot_id).pipe(
          Effect.flatMap((chatbot) => knowledge.search(chatbot, query, limit)),
          Effect.map(({ hits }) => ({
            passages: hits.map(({ content, documentId, ordinal, page, similarity, title }) => ({
              document_id: documentId,
              title,
              chunk: ordinal,
              page,
              content,
              similarity,
            })),
          })),
          Effect.mapError(toFailure),
        ),
      chat: ({ chatbot_id, message, session_id }) =>
        chatbotOf(chatbot_id).pipe(
          Effect.flatMap((chatbot) =>
            chat.reply(chatbot, {
              messages: [{ role: "user", content: message }],
              platform: "mcp",
              sessionToken: session_id,
            }),
          ),
          Effect.map(({ output, session_id, sources }) => ({ session_id, output, sources })),
          Effect.mapError(toFailure),
        ),
    })
  }),
)

const encodeProblem = Schema.encodeEffect(
  Schema.Union([Problem.Unauthorized, Problem.Forbidden, Problem.InvalidRequest, Problem.Unavailable]),
)

const refuse = (error: Parameters<typeof encodeProblem>[0]) =>
  Effect.map(Effect.orDie(encodeProblem(error)), (problem) =>
    HttpServerResponse.jsonUnsafe(problem, {
      status: problem.status,
      contentType: Problem.problemMediaType,
      headers: "retry_after_seconds" in error ? { "retry-after": String(error.retry_after_seconds) } : {},
    }),
  )

const isChatbotId = Schema.is(ChatbotId)

/** Finds out who asks, and for which chatbot, of every request by itself: a session gives no rights. */
const authorized = HttpRouter.middleware<{ provides: Caller | CurrentOrganization | Served }>()(
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const { jsonDepthLimit } = yield* Config
    const tooDeep = InvalidRequest.at("body", `Expected JSON that nests at most ${jsonDepthLimit} levels deep`)

    const admit = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const caller = yield* keys.authenticate(keyOf(request))
      const named = (yield* HttpRouter.RouteContext).params["chatbotId"]
      if (named !== undefined && !isChatbotId(named)) {
        return yield* InvalidRequest.at("path.chatbotId", "Expected the id of a chatbot")
      }
      if (named !== undefined) yield* Effect.provideService(ensureServes(named), Caller, caller)
      if (request.method === "POST" && jsonDepth(yield* Effect.orDie(request.text)) > jsonDepthLimit) {
        return yield* tooDeep
      }
      return { caller, served: named ?? caller.chatbotId ?? undefined }
    })

    return (respond) =>
      Effect.matchEffect(admit, {
        onFailure: refuse,
        onSuccess: ({ caller, served }) =>
          respond.pipe(
            Effect.provideService(Caller, caller),
            Effect.provideService(CurrentOrganization, caller.organizationId),
            Effect.provideService(Served, served),
          ),
      })
  }),
)

const at = (path: "/mcp" | "/mcp/:chatbotId") =>
  McpServer.layerHttp({
    name: "parley",
    version: apiVersion,
    instructions: "Searches what chatbots know, and asks them.",
    path,
    protocols,
    allowSessionTermination: true,
    allowSubscriptions: false,
    registrations: McpServer.toolkit(Tools).pipe(Layer.provide(byScope.layer), Layer.provide(handlers)),
  })

/** Where MCP is. */
export const isMcp = (path: string): boolean => path === "/mcp" || path.startsWith("/mcp/")

export const layer = Layer.mergeAll(at("/mcp"), Layer.fresh(at("/mcp/:chatbotId"))).pipe(
  Layer.provide(authorized.layer),
)
