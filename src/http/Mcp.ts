import { Context, Effect, Layer, Option, Schema } from "effect"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import { HttpEffect, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { apiVersion } from "../api/Api.ts"
import * as Problem from "../api/Problem.ts"
import { Config } from "../Config.ts"
import { Caller, ensureServes } from "../domain/Caller.ts"
import { type Forbidden, InvalidRequest, TooLarge, type Unauthorized, type Unavailable } from "../domain/Errors.ts"
import { ChatbotId } from "../domain/Ids.ts"
import { jsonDepth } from "../domain/JsonDepth.ts"
import { CurrentOrganization } from "../domain/Tenancy.ts"
import { ApiKeys } from "../services/ApiKeys.ts"
import { keyOf } from "./Authorization.ts"
import { type McpSession, McpSessions } from "./McpSessions.ts"
import * as McpTools from "./McpTools.ts"

/*
 * The Model Context Protocol, as Streamable HTTP. `/mcp` serves every chatbot that the key does, `/mcp/{chatbotId}` that
 * one.
 */

/** Not those before 2025-06-18: their batches make any number of calls one request. */
const protocols = [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25, McpProtocol.v2025_06_18] as const

/** What a client says of itself when it begins a session, in UTF-16 code units. */
const INITIALIZE_MAX_LENGTH = 8_192

const encodeProblem = Schema.encodeEffect(
  Schema.Union([
    Problem.Unauthorized,
    Problem.Forbidden,
    Problem.InvalidRequest,
    Problem.TooLarge,
    Problem.Unavailable,
  ]),
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

const sessionHeader = "mcp-session-id"

interface Admitted {
  readonly caller: Caller["Service"]
  readonly served: ChatbotId | undefined
}

/** On whose behalf a request is made by ourselves. */
const AlreadyAdmitted = Context.Reference<Admitted | undefined>("parley/http/Mcp/AlreadyAdmitted", {
  defaultValue: () => undefined,
})

const decodeInitialize = Schema.decodeOption(
  Schema.fromJsonString(Schema.Struct({ method: Schema.Literal("initialize") })),
)

/** Finds out who asks, and for which chatbot, of every request by itself: a session gives no rights. */
const authorized = HttpRouter.middleware<{ provides: Caller | CurrentOrganization | McpTools.Served }>()(
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const router = yield* HttpRouter.HttpRouter
    const { jsonDepthLimit, mcpSessionsLimit } = yield* Config
    const tooDeep = InvalidRequest.at("body", `Expected JSON that nests at most ${jsonDepthLimit} levels deep`)
    const sessions = new McpSessions(mcpSessionsLimit)

    const admit = Effect.fnUntraced(function* (
      request: HttpServerRequest.HttpServerRequest,
    ): Effect.fn.Return<
      Admitted,
      Unauthorized | Forbidden | InvalidRequest | TooLarge | Unavailable,
      HttpRouter.RouteContext
    > {
      const caller = yield* keys.authenticate(keyOf(request))
      const named = (yield* HttpRouter.RouteContext).params["chatbotId"]
      if (named !== undefined && !isChatbotId(named)) {
        return yield* InvalidRequest.at("path.chatbotId", "Expected the id of a chatbot")
      }
      if (named !== undefined) yield* Effect.provideService(ensureServes(named), Caller, caller)
      if (request.method === "POST") {
        const body = yield* Effect.orDie(request.text)
        if (jsonDepth(body) > jsonDepthLimit) return yield* tooDeep
        // The session that it begins keeps what it says.
        if (body.length > INITIALIZE_MAX_LENGTH && Option.isSome(decodeInitialize(body))) {
          return yield* new TooLarge({ detail: "The body is too large." })
        }
      }
      return { caller, served: named ?? caller.chatbotId ?? undefined }
    })

    const endSession = (admitted: Admitted, { id, path }: McpSession) =>
      router
        .asHttpEffect()
        .pipe(
          Effect.provideService(
            HttpServerRequest.HttpServerRequest,
            HttpServerRequest.fromWeb(
              new Request(`http://localhost${path}`, { method: "DELETE", headers: { [sessionHeader]: id } }),
            ),
          ),
          Effect.provideService(AlreadyAdmitted, admitted),
          Effect.scoped,
          Effect.ignore,
        )

    /** Counts the session that a request uses, begins or ends. */
    const count = ({ headers, method, url }: HttpServerRequest.HttpServerRequest, admitted: Admitted) => {
      const organization = admitted.caller.organizationId
      const used = headers[sessionHeader]
      if (used !== undefined) {
        if (method === "DELETE") sessions.end(organization, used)
        else sessions.touch(organization, used)
        return Effect.void
      }
      return HttpEffect.appendPreResponseHandler((_, response) => {
        const id = response.headers[sessionHeader]
        const excess = id === undefined ? undefined : sessions.begin(organization, { id, path: url })
        return Effect.as(excess === undefined ? Effect.void : endSession(admitted, excess), response)
      })
    }

    return (respond) =>
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const admitted = (yield* AlreadyAdmitted) ?? (yield* admit(request))
        return yield* Effect.tap(respond, count(request, admitted)).pipe(
          Effect.provideService(Caller, admitted.caller),
          Effect.provideService(CurrentOrganization, admitted.caller.organizationId),
          Effect.provideService(McpTools.Served, admitted.served),
        )
      }).pipe(
        Effect.catchTags({
          Unauthorized: refuse,
          Forbidden: refuse,
          InvalidRequest: refuse,
          TooLarge: refuse,
          Unavailable: refuse,
        }),
      )
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
    registrations: McpTools.layer,
  })

/** Where MCP is. */
export const isMcp = (path: string): boolean => path === "/mcp" || path.startsWith("/mcp/")

export const layer = Layer.mergeAll(at("/mcp"), Layer.fresh(at("/mcp/:chatbotId"))).pipe(
  Layer.provide(authorized.layer),
)
