import { Context, Duration, Effect, Layer, Option, Schema } from "effect"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as McpServer from "effect/ai/McpServer"
import { HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { apiVersion } from "../../api/Api.ts"
import { mcp, mcpOfChatbot } from "../../api/Mcp.ts"
import { Caller, ensureServes, onlyOne } from "../../domain/Caller.ts"
import { InvalidRequest, isFailure } from "../../domain/Errors.ts"
import { ChatbotId } from "../../domain/Ids.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { PublicUrl } from "../../services/PublicUrl.ts"
import { makeAdmission } from "../access/Admission.ts"
import * as McpSessions from "./McpSessions.ts"
import * as McpTools from "./McpTools.ts"
import { BodyTimeout, readJson } from "../edge/RequestBody.ts"
import { respondWith } from "../edge/Respond.ts"

/*
 * The Model Context Protocol, over its transport Streamable HTTP: at `/mcp` for every chatbot that the API key may use,
 * and at `/mcp/{chatbotId}` for one.
 */

/** The supported versions. Those before 2025-06-18 have batches, in which one request makes any number of calls. */
const protocols = [McpProtocol.v2026_07_28, McpProtocol.v2025_11_25, McpProtocol.v2025_06_18] as const

/** The supported versions that have sessions. */
const sessionful = protocols.filter(({ runtime }) => runtime._tag === "Stateful").map((one) => one.protocolVersion)

const decodeChatbotId = Schema.decodeOption(ChatbotId)

/** A request whose API key has been checked. */
interface Admitted {
  readonly caller: Caller["Service"]
  readonly served: ChatbotId | undefined
  /** The path of the request, without a query. */
  readonly path: string
}

/** The admitted request on whose behalf `McpSessions` sends a request to the protocol's server itself. */
const AlreadyAdmitted = Context.Reference<Admitted | undefined>("parley/http/mcp/AlreadyAdmitted", {
  defaultValue: () => undefined,
})

/** The longest id and name of the method of a message, in characters: the protocol's server repeats them in its answer. */
const REPEATED_MAX_LENGTH = 1_000

const Repeated = Schema.optionalKey(Schema.Unknown)
const decodeHead = Schema.decodeOption(Schema.fromJsonString(Schema.Struct({ id: Repeated, method: Repeated })))

const isTooLong = (value: unknown): boolean => typeof value === "string" && value.length > REPEATED_MAX_LENGTH

/** Authorizes every request by its own API key, since a session gives no rights, and finds its chatbot. */
const authorized = HttpRouter.middleware<{ provides: Caller | CurrentOrganization | McpTools.ServedChatbot }>()(
  Effect.gen(function* () {
    const admitCaller = yield* makeAdmission
    const bodyTimeout = Duration.fromInputUnsafe(yield* BodyTimeout)
    const sessions = yield* McpSessions.make(sessionful)

    const admit = Effect.gen(function* () {
      const caller = yield* admitCaller(yield* HttpServerRequest.HttpServerRequest, requestCosts.plain, "mcp")
      const named = (yield* HttpRouter.RouteContext).params["chatbotId"]
      if (named === undefined) return { caller, served: onlyOne(caller.chatbots), path: mcp.path }
      const served = Option.getOrUndefined(decodeChatbotId(named))
      if (served === undefined) return yield* InvalidRequest.at("path.chatbotId", "Expected the id of a chatbot")
      yield* Effect.provideService(ensureServes(served), Caller, caller)
      return { caller, served, path: mcpOfChatbot.path.replace(":chatbotId", served) }
    })

    /** Whether the request begins a session. Fails for a message that is too large in some way. */
    const beginsSession = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      if (request.method !== "POST") return false
      const body = yield* readJson(request, bodyTimeout)
      const { id, method } = Option.getOrElse(decodeHead(body), () => ({ id: undefined, method: undefined }))
      if (isTooLong(id)) return yield* InvalidRequest.at("id", `Expected at most ${REPEATED_MAX_LENGTH} characters`)
      if (isTooLong(method))
        return yield* InvalidRequest.at("method", `Expected at most ${REPEATED_MAX_LENGTH} characters`)
      return request.headers[McpSessions.header] === undefined && method === "initialize"
    })

    const inSession = Effect.fnUntraced(function* <E, R>(
      respond: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
      { caller: { organizationId }, path }: Admitted,
    ) {
      const original = yield* HttpServerRequest.HttpServerRequest
      const request = yield* sessions.join(original, organizationId, path)
      const answer = Effect.provideService(respond, HttpServerRequest.HttpServerRequest, request)
      if (yield* beginsSession(request)) return yield* sessions.begin(answer, path)
      const response = yield* answer
      const id = original.headers[McpSessions.header]
      if (request.method === "DELETE" && response.status === 204 && id !== undefined) sessions.end(organizationId, id)
      return response
    })

    return (respond) =>
      Effect.gen(function* () {
        const already = yield* AlreadyAdmitted
        const admitted = already ?? (yield* admit)
        const answer = respond.pipe(
          Effect.provideService(Caller, admitted.caller),
          Effect.provideService(CurrentOrganization, admitted.caller.organizationId),
          Effect.provideService(McpTools.ServedChatbot, admitted.served),
        )
        if (already !== undefined) return yield* answer
        return yield* Effect.provideService(inSession(answer, admitted), AlreadyAdmitted, admitted)
      }).pipe(Effect.catchIf(isFailure, (failure) => respondWith("mcp", failure)))
  }),
)

const serverAt = ({ path }: typeof mcp | typeof mcpOfChatbot) =>
  Layer.unwrap(
    Effect.map(PublicUrl, (publicUrl) =>
      McpServer.layerHttp({
        name: "parley",
        version: apiVersion,
        instructions: "Searches what chatbots know, and asks them.",
        path,
        protocols,
        // Web pages of other origins are refused, as the protocol demands. Programs send no origin.
        allowedOrigins: [new URL(publicUrl).origin],
        allowSessionTermination: true,
        allowSubscriptions: false,
        registrations: McpTools.layer,
      }),
    ),
  )

export const layer = Layer.mergeAll(serverAt(mcp), Layer.fresh(serverAt(mcpOfChatbot))).pipe(
  Layer.provide(authorized.layer),
)
