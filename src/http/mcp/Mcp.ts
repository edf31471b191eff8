import { Context, Effect, Layer, Option, Schema } from "effect"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { apiVersion } from "../../api/Api.ts"
import { mcp, mcpOfChatbot } from "../../api/Mcp.ts"
import { Config } from "../../Config.ts"
import { Caller, ensureServes } from "../../domain/Caller.ts"
import { InvalidRequest, isFailure } from "../../domain/Errors.ts"
import { ChatbotId } from "../../domain/Ids.ts"
import { jsonValues } from "../../text/JsonDepth.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { ApiKeys } from "../../services/ApiKeys.ts"
import { PublicUrl } from "../../services/PublicUrl.ts"
import { keyOf } from "../edge/Authorization.ts"
import * as McpSessions from "./McpSessions.ts"
import * as McpTools from "./McpTools.ts"
import { readJson } from "../edge/RequestBody.ts"
import { respondWith } from "../edge/Respond.ts"

/*
 * The Model Context Protocol, as Streamable HTTP. `/mcp` serves every chatbot that the key does, `/mcp/{chatbotId}` that
 * one.
 */

/** Not those before 2025-06-18: their batches make any number of calls one request. */
const protocols = [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25, McpProtocol.v2025_06_18] as const

/** Those that have sessions. */
const sessionful = protocols.filter(({ runtime }) => runtime._tag === "Stateful").map((one) => one.protocolVersion)

/** Values of one message, at most: the protocol's server decodes all of them, whatever they are. */
const VALUES_MAX_COUNT = 10_000

const decodeChatbotId = Schema.decodeOption(ChatbotId)

interface Admitted {
  readonly caller: Caller["Service"]
  readonly served: ChatbotId | undefined
  /** Where it asks, without a query. */
  readonly path: string
}

/** On whose behalf a request is made by ourselves. */
const AlreadyAdmitted = Context.Reference<Admitted | undefined>("parley/http/mcp/AlreadyAdmitted", {
  defaultValue: () => undefined,
})

const decodeInitialize = Schema.decodeOption(
  Schema.fromJsonString(Schema.Struct({ method: Schema.Literal("initialize") })),
)

/** Finds out who asks, and for which chatbot, of every request by itself: a session gives no rights. */
const authorized = HttpRouter.middleware<{ provides: Caller | CurrentOrganization | McpTools.Served }>()(
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const { requests } = yield* Config
    const sessions = yield* McpSessions.make(sessionful)

    const admit = Effect.gen(function* () {
      const caller = yield* keys.authenticate(keyOf(yield* HttpServerRequest.HttpServerRequest))
      const named = (yield* HttpRouter.RouteContext).params["chatbotId"]
      if (named === undefined) return { caller, served: caller.chatbotId ?? undefined, path: mcp.path }
      const served = Option.getOrUndefined(decodeChatbotId(named))
      if (served === undefined) return yield* InvalidRequest.at("path.chatbotId", "Expected the id of a chatbot")
      yield* Effect.provideService(ensureServes(served), Caller, caller)
      return { caller, served, path: mcpOfChatbot.path.replace(":chatbotId", served) }
    })

    /** Whether it asks for a session. */
    const begins = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      if (request.method !== "POST") return false
      const body = yield* readJson(request, requests)
      if (jsonValues(body) > VALUES_MAX_COUNT) {
        return yield* InvalidRequest.at("body", `Expected at most ${VALUES_MAX_COUNT} values`)
      }
      return request.headers[McpSessions.header] === undefined && Option.isSome(decodeInitialize(body))
    })

    const inSession = Effect.fnUntraced(function* <E, R>(
      respond: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
      { caller: { organizationId }, path }: Admitted,
    ) {
      const given = yield* HttpServerRequest.HttpServerRequest
      const request = yield* sessions.join(given, organizationId, path)
      const answer = Effect.provideService(respond, HttpServerRequest.HttpServerRequest, request)
      if (yield* begins(request)) return yield* sessions.begin(answer, path)
      const response = yield* answer
      const id = given.headers[McpSessions.header]
      if (request.method === "DELETE" && response.status === 204 && id !== undefined) sessions.end(organizationId, id)
      return response
    })

    return (respond) =>
      Effect.gen(function* () {
        const before = yield* AlreadyAdmitted
        const admitted = before ?? (yield* admit)
        const answer = respond.pipe(
          Effect.provideService(Caller, admitted.caller),
          Effect.provideService(CurrentOrganization, admitted.caller.organizationId),
          Effect.provideService(McpTools.Served, admitted.served),
        )
        if (before !== undefined) return yield* answer
        return yield* Effect.provideService(inSession(answer, admitted), AlreadyAdmitted, admitted)
      }).pipe(Effect.catchIf(isFailure, (failure) => respondWith("mcp", failure)))
  }),
)

const at = ({ path }: typeof mcp | typeof mcpOfChatbot) =>
  Layer.unwrap(
    Effect.map(PublicUrl, (publicUrl) =>
      McpServer.layerHttp({
        name: "parley",
        version: apiVersion,
        instructions: "Searches what chatbots know, and asks them.",
        path,
        protocols,
        // The pages of other origins are refused, as the protocol asks; programs send none.
        allowedOrigins: [new URL(publicUrl).origin],
        allowSessionTermination: true,
        allowSubscriptions: false,
        registrations: McpTools.layer,
      }),
    ),
  )

export const layer = Layer.mergeAll(at(mcp), Layer.fresh(at(mcpOfChatbot))).pipe(Layer.provide(authorized.layer))
