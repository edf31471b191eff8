import { ByteSize, Context, Effect, Layer, Logger, References, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import { Etag, HttpEffect, HttpIncomingMessage, HttpPlatform, HttpRouter, type HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../api/Api.ts"
import { Config } from "../Config.ts"
import { Traces } from "../observability/Traces.ts"
import * as Admin from "./organizations/Admin.ts"
import * as Attachments from "./conversations/Attachments.ts"
import * as AuditLog from "./organizations/AuditLog.ts"
import * as CannedAnswers from "./inbox/CannedAnswers.ts"
import * as Chat from "./conversations/Chat.ts"
import * as Chatbots from "./chatbots/Chatbots.ts"
import * as ChatbotTools from "./chatbots/ChatbotTools.ts"
import * as ConsoleSession from "./organizations/ConsoleSession.ts"
import * as Events from "./organizations/Events.ts"
import * as Conversations from "./conversations/Conversations.ts"
import { clientAddresses } from "./access/ClientAddresses.ts"
import { edge } from "./edge/Edge.ts"
import * as Inbox from "./inbox/Inbox.ts"
import * as Knowledge from "./knowledge/Knowledge.ts"
import * as Questions from "./knowledge/Questions.ts"
import { Lifecycle } from "./edge/Lifecycle.ts"
import { routerConfig } from "./edge/Routes.ts"
import * as Middleware from "./edge/Middleware.ts"
import * as Mcp from "./mcp/Mcp.ts"
import * as OpenAi from "./OpenAi.ts"
import * as OpenApiDocument from "./OpenApiDocument.ts"
import * as People from "./people/People.ts"
import * as Replies from "./conversations/Replies.ts"
import * as ProviderSignIn from "./people/ProviderSignIn.ts"
import * as Models from "./models/Models.ts"
import * as SignInProviders from "./people/SignInProviders.ts"
import * as Sources from "./knowledge/Sources.ts"
import { Server } from "./server/Server.ts"
import * as System from "./system/System.ts"
import * as Tests from "./evaluation/Tests.ts"
import * as Topics from "./topics/Topics.ts"
import * as TestRuns from "./evaluation/TestRuns.ts"
import * as Usage from "./organizations/Usage.ts"
import * as Voice from "./voice/Voice.ts"
import * as Web from "./web/Web.ts"
import { WebFiles } from "./web/WebFiles.ts"
import * as Webhooks from "./webhooks/Webhooks.ts"
import * as Widget from "./widget/Widget.ts"
import * as IdentitySecrets from "./widget/IdentitySecrets.ts"

const routes = Layer.mergeAll(HttpApiBuilder.layer(Api), OpenApiDocument.layer, Mcp.layer, Web.layer).pipe(
  Layer.provide([Chatbots.layer, ChatbotTools.layer]),
  Layer.provide([Knowledge.layer, Sources.layer, Questions.layer]),
  Layer.provide([Chat.layer, OpenAi.layer, Conversations.layer, Attachments.layer, Replies.layer]),
  Layer.provide([Inbox.layer, CannedAnswers.layer]),
  Layer.provide([Tests.layer, TestRuns.layer, Topics.layer, Voice.layer, Models.layer, Webhooks.layer]),
  Layer.provide([Admin.layer, AuditLog.layer, Usage.layer, Events.layer]),
  Layer.provide([People.layer, SignInProviders.layer, ProviderSignIn.layer, ConsoleSession.layer]),
  Layer.provide([IdentitySecrets.layer, Widget.layer, System.layer]),
  Layer.provide(Middleware.layer),
  Layer.provide(Layer.unwrap(Effect.map(Config, ({ web }) => WebFiles.layer(web)))),
  Layer.provide([Etag.layer, HttpPlatform.layer]),
)

/** Serves the API from the server for as long as the layer's scope is open. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { clients, requests } = yield* Config
    const server = yield* Server
    const lifecycle = yield* Lifecycle
    const random = yield* SecureRandom.SecureRandom
    const api = yield* Effect.provideService(HttpRouter.toHttpEffect(routes), HttpRouter.RouterConfig, routerConfig)
    const addressOf = yield* clientAddresses(clients.trustedProxies, server.peerOf)
    // Without the services: endpoints have theirs, and each request pays for merging the two contexts by their sizes.
    const logging = Context.pick(
      Logger.CurrentLoggers,
      References.MinimumLogLevel,
      References.TracerEnabled,
    )(yield* Effect.context<never>())
    // The limit of every body, except of uploads, which have a limit of their own.
    const limits = Context.make(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(requests.jsonBodyLimit))
    const handler = HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope>(
      Context.merge(logging, limits),
    )(edge(lifecycle, random, addressOf, yield* Traces, server.expectSlow)(api))
    yield* server.serve((request) => handler(request))
  }),
)
