import { Effect } from "effect"
import { RateLimiter } from "../../admission/RateLimiter.ts"
import { Forbidden, InvalidRequest } from "../../domain/Errors.ts"
import type { SessionId } from "../../domain/Ids.ts"
import { replyIds } from "../../domain/widget/ReplyIds.ts"
import type { Visitor } from "../../domain/widget/Visitor.ts"
import type { WidgetHandoverRequest, WidgetPresence } from "../../domain/widget/Widget.ts"
import { Service } from "../../domain/Service.ts"
import { languageShownIn } from "../../language/Detection.ts"
import { Chatbots } from "../../storage/chatbots/Chatbots.ts"
import { Quotas } from "../../storage/organizations/Quotas.ts"
import { VisitorConversations } from "../../storage/widget/VisitorConversations.ts"
import * as Storage from "../../storage/widget/VisitorHandovers.ts"
import { bounded, MESSAGE_MAX_LENGTH } from "../../text/BoundedText.ts"
import { ensureActive } from "../conversations/ChatAdmission.ts"
import { LiveReplies } from "./LiveReplies.ts"
import { emailOf, pageOf, PLATFORM } from "./VisitorChats.ts"
import { nameOf, toConversation } from "./VisitorConversations.ts"

const noButton = new Forbidden({ detail: "Visitors of this chatbot cannot ask for a person by themselves." })

const messageMissing = InvalidRequest.at("message", "Expected a message, with which the conversation begins")

/** What visitors do in conversations of people. */
export class VisitorHandovers extends Service<VisitorHandovers>()(
  "parley/services/widget/VisitorHandovers",
  function* () {
    const storage = yield* Storage.VisitorHandovers
    const conversations = yield* VisitorConversations
    const chatbots = yield* Chatbots
    const quotas = yield* Quotas
    const rates = yield* RateLimiter
    const replies = yield* LiveReplies

    return {
      /** Hands a conversation of the visitor over to people, or begins one with them, and returns it. */
      handOver: Effect.fn("VisitorHandovers.handOver")(function* (
        visitor: Visitor["Service"],
        request: WidgetHandoverRequest,
      ) {
        const { conversation_id, message } = request
        const of = nameOf(visitor)
        const email = yield* emailOf(visitor, request)
        const chatbot = yield* chatbots.get(visitor.chatbotId)
        yield* ensureActive(chatbot)
        if (chatbot.settings.handover?.button !== true) return yield* noButton
        const ids = message === undefined ? undefined : replyIds(visitor.id, message.id)
        const [stored] = ids === undefined ? [] : yield* conversations.sent(of, [ids.message])
        const conversation = stored?.session_id ?? conversation_id ?? ids?.session
        if (conversation === undefined) return yield* messageMissing
        const isNew = conversation_id === undefined && stored === undefined
        if (isNew) yield* quotas.ensureConversation
        const before = isNew ? undefined : yield* conversations.get(of, conversation)
        if (before?.handover?.owner !== "people") yield* rates.takeHandover(visitor.id)
        yield* replies.stop((reply) => reply.visitor === visitor.id && reply.conversation === conversation)
        yield* storage.handOver(of, {
          conversation,
          isNew,
          message:
            ids === undefined || message === undefined || stored !== undefined
              ? undefined
              : { id: ids.message, clientId: message.id, text: message.text },
          session: {
            platform: PLATFORM,
            name: visitor.name,
            page: pageOf(request),
            language: languageShownIn(bounded(message?.text ?? "", MESSAGE_MAX_LENGTH)),
          },
          email: email === "" ? undefined : email,
        })
        return toConversation(yield* conversations.get(of, conversation))
      }),

      /** Notes what the visitor does in a conversation, and returns how the conversation stands. */
      presence: (visitor: Visitor["Service"], conversation: SessionId, presence: WidgetPresence) =>
        Effect.andThen(
          storage.presence(nameOf(visitor), conversation, presence),
          Effect.map(conversations.get(nameOf(visitor), conversation), ({ handover }) => handover),
        ),
    }
  },
) {}
