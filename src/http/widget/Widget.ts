import { Effect, Layer } from "effect"
import { MESSAGES_DEFAULT_COUNT } from "../../api/widget/Widget.ts"
import { Visitor } from "../../domain/widget/Visitor.ts"
import { visitorNotations } from "../../domain/widget/VisitorTranscript.ts"
import type { LiveReply } from "../../services/widget/LiveReplies.ts"
import { PublicUrl } from "../../services/PublicUrl.ts"
import { ensureOrigin, Placements } from "../../services/widget/Placements.ts"
import { VisitorChats } from "../../services/widget/VisitorChats.ts"
import { VisitorConversations } from "../../services/widget/VisitorConversations.ts"
import { VisitorHandovers } from "../../services/widget/VisitorHandovers.ts"
import { VisitorUpdates } from "../../services/widget/VisitorUpdates.ts"
import { VisitorTokens } from "../../services/widget/VisitorTokens.ts"
import { foreignOriginOf } from "../access/PageOrigin.ts"
import { nextPage, rangeOf } from "../Listing.ts"
import { respondingWithChanges } from "../streams/Changes.ts"
import { streamingOptions } from "../streams/Streaming.ts"
import { attachmentHandlers } from "../conversations/Attachments.ts"
import { formatOf, transcriptFile } from "../conversations/TranscriptFile.ts"
import { turnOfVisitor } from "../voice/Voice.ts"
import { respondWithReply } from "./ReplyStream.ts"
import { group } from "../Group.ts"

const conversing = group("widget", function* (handlers) {
  const conversations = yield* VisitorConversations
  const chats = yield* VisitorChats
  const handovers = yield* VisitorHandovers
  const updates = yield* VisitorUpdates
  const streaming = yield* streamingOptions
  const respondWithChanges = yield* respondingWithChanges
  const { uploadOfVisitor } = yield* attachmentHandlers

  /** Lets a server that shuts down wait for a reply, and interrupt it in the end, as it does with requests. */
  const countAsRunning = ({ fiber }: LiveReply) => {
    if (fiber === undefined) return
    streaming.lifecycle.running.add(fiber)
    fiber.addObserver(() => streaming.lifecycle.running.delete(fiber))
  }

  return handlers.handleAll({
    conversations: Effect.fnUntraced(function* ({ query, request }) {
      const { items, next } = yield* conversations.list(yield* Visitor, rangeOf(query))
      return { conversations: items, ...nextPage(request.url, query, next).body }
    }),

    messages: Effect.fnUntraced(function* ({ params, query, request }) {
      const paged = { ...query, limit: query.limit ?? MESSAGES_DEFAULT_COUNT }
      const of = yield* Visitor
      const { handover, items, next, reply } = yield* conversations.messages(of, params.conversationId, rangeOf(paged))
      return {
        messages: items,
        ...nextPage(request.url, paged, next).body,
        ...(reply !== undefined && { reply: { id: reply } }),
        handover,
      }
    }),

    removeAll: Effect.fnUntraced(function* () {
      return { deleted: yield* conversations.removeAll(yield* Visitor) }
    }),

    remove: Effect.fnUntraced(function* ({ params }) {
      yield* conversations.remove(yield* Visitor, params.conversationId)
      return { message: "Conversation deleted successfully" as const }
    }),

    transcript: Effect.fnUntraced(function* ({ params, query, request }) {
      const { conversation, messages } = yield* conversations.transcript(yield* Visitor, params.conversationId)
      return transcriptFile(visitorNotations[formatOf(query, request)], conversation, messages)
    }),

    rate: Effect.fnUntraced(function* ({ params, payload: { rating, comment = null } }) {
      const feedback = rating === null ? null : { rating, comment }
      yield* conversations.rate(yield* Visitor, params.conversationId, params.messageId, feedback)
      return { message_id: params.messageId, feedback }
    }),

    source: ({ params }) =>
      Visitor.use((visitor) => conversations.source(visitor, params.conversationId, params.messageId, params.index)),

    chat: Effect.fnUntraced(function* ({ payload }) {
      const { hasBegun, ...reading } = yield* chats.say(yield* Visitor, payload)
      if (hasBegun) countAsRunning(reading.reply)
      return yield* respondWithReply(reading, streaming)
    }),

    resume: Effect.fnUntraced(function* ({ params, query }) {
      const reading = yield* chats.resume(yield* Visitor, params.replyId, query.after ?? 0)
      return yield* respondWithReply(reading, streaming)
    }),

    stop: Effect.fnUntraced(function* ({ params }) {
      yield* chats.stop(yield* Visitor, params.replyId)
      return { message: "Reply stopped successfully" as const }
    }),

    handOver: Effect.fnUntraced(function* ({ payload }) {
      return { conversation: yield* handovers.handOver(yield* Visitor, payload) }
    }),

    // The scope of a request closes when its response is over, and the subscription ends with it.
    updates: Effect.fnUntraced(function* ({ params, request }) {
      return yield* respondWithChanges(request, yield* updates.subscribe(yield* Visitor, params.conversationId))
    }),

    presence: Effect.fnUntraced(function* ({ params, payload }) {
      return { handover: yield* handovers.presence(yield* Visitor, params.conversationId, payload) }
    }),

    upload: uploadOfVisitor,
    voiceTurn: yield* turnOfVisitor,
  })
})

const access = group("widgetAccess", function* (handlers) {
  const placements = yield* Placements
  const tokens = yield* VisitorTokens
  const publicUrl = yield* PublicUrl

  return handlers.handleAll({
    config: ({ params, request }) =>
      placements.visit(params.key).pipe(
        Effect.tap((placement) => ensureOrigin(placement, foreignOriginOf(request, publicUrl))),
        Effect.map(({ config }) => ({ config })),
      ),
    openSession: ({ payload, request }) => tokens.open(payload, foreignOriginOf(request, publicUrl)),
  })
})

export const layer = Layer.merge(conversing, access)
