import { Effect } from "effect"
import { authorOf } from "../../domain/chat/WrittenBy.ts"
import type { VisitedPage } from "../../domain/chat/Conversation.ts"
import { findEmail } from "../../domain/chat/EmailAddress.ts"
import { Conflict, InvalidRequest, type NotFound, TooManyAtOnce } from "../../domain/Errors.ts"
import type { MessageId } from "../../domain/Ids.ts"
import { replyIds } from "../../domain/widget/ReplyIds.ts"
import type { Visitor } from "../../domain/widget/Visitor.ts"
import type { WidgetChatRequest, WidgetEvent } from "../../domain/widget/Widget.ts"
import { Service } from "../../domain/Service.ts"
import { type SentMessage, VisitorConversations } from "../../storage/widget/VisitorConversations.ts"
import { Chat } from "../conversations/Chat.ts"
import { LiveReplies, type LiveReply, type MakeReply, noReply, type ReplyEnd } from "./LiveReplies.ts"
import { VisitorEvents, widgetSource } from "./VisitorEvents.ts"

export const PLATFORM = "widget"

/** A visitor's place in a reply: the events after this number are still to come. */
export interface Reading {
  readonly reply: LiveReply
  readonly after: number
}

/** Most readers of one reply at once, such as the tabs of a visitor. */
const READERS_MAX_COUNT = 16

const tooManyReaders = new TooManyAtOnce({
  detail: "This reply is open in as many places as it may be.",
  retry_after_seconds: 5,
})

const handedOver = new Conflict({ detail: "The conversation of this message belongs to a signed-in visitor by now." })

const beginningGone = new Conflict({
  detail: "The reply to this message is being written, and is too long to be sent again from its beginning.",
})

/** The chats of visitors of the chat widget, whose replies are made whether anybody reads them or not. */
export class VisitorChats extends Service<VisitorChats>()("parley/services/widget/VisitorChats", function* () {
  const chat = yield* Chat
  const conversations = yield* VisitorConversations
  const replies = yield* LiveReplies

  const ensureRoom = ({ readers }: LiveReply) => (readers < READERS_MAX_COUNT ? Effect.void : tooManyReaders)

  const find = (visitor: Visitor["Service"], id: MessageId): Effect.Effect<LiveReply, NotFound> => {
    const reply = replies.find({ id, visitor: visitor.id })
    return reply === undefined ? Effect.fail(noReply) : Effect.succeed(reply)
  }

  return {
    /**
     * Answers a message of the visitor. A message that was sent before is not answered again: it returns the reply
     * that is being made, or repeats the stored one, unless that has failed. What fails before the reply has begun is
     * a failure of the fiber that makes it.
     */
    say: Effect.fn("VisitorChats.say")(function* (visitor: Visitor["Service"], request: WidgetChatRequest) {
      const email = yield* emailOf(visitor, request)
      const ids = replyIds(visitor.id, request.message.id)
      const of = { chatbot: visitor.chatbotId, visitor: visitor.id }

      const make: MakeReply = Effect.fnUntraced(function* ({ claim, emit }) {
        const stored = yield* conversations.sent(of, [ids.message, ids.reply])
        const told = stored.find(({ id }) => id === ids.reply)
        if (told !== undefined && isAnswer(told)) return repeat(told, emit)
        if (stored.length === 0 && isEmpty(request)) return yield* nothingSaid
        const conversation = stored[0]?.session_id ?? request.conversation_id
        if (conversation !== undefined) yield* claim(conversation)
        const question = yield* questionOf(request, conversation)
        const events = new VisitorEvents()
        const answer = yield* chat.reply(
          visitor.chatbotId,
          {
            messages: [
              { role: "user", content: question.content, id: question.mid, attachments: request.message.attachments },
            ],
            platform: PLATFORM,
            sessionToken: undefined,
            again: request.regenerates !== undefined,
            // The ids are the same each time, so that what an attempt has stored before the server died is found.
            attempt: { ...ids, session: conversation ?? ids.session, isResumed: true },
            visitor: { id: visitor.id, conversation, email, name: visitor.name, page: pageOf(request) },
          },
          (event) => {
            const seen = events.of(event)
            if (seen !== undefined) emit(seen)
            return undefined
          },
        )
        const { finish_reason, written_by } = answer
        return { type: "finish", finish_reason, ...(written_by !== undefined && { written_by }) } as const
      })

      const questionOf = Effect.fnUntraced(function* (
        { message, regenerates }: WidgetChatRequest,
        conversation: WidgetChatRequest["conversation_id"],
      ) {
        if (regenerates === undefined) return { content: message.text, mid: message.id }
        if (conversation === undefined) return yield* conversationMissing
        const { content, mid } = yield* conversations.question(of, conversation, regenerates)
        return { content, mid: mid ?? message.id }
      })

      const { hasBegun, reply } = yield* replies.start({ id: ids.reply, visitor: visitor.id }, make)
      if (reply.visitor !== visitor.id) return yield* handedOver
      yield* ensureRoom(reply)
      if (!hasBegun && reply.beginning < reply.log.dropped) return yield* beginningGone
      return { reply, after: reply.beginning, hasBegun }
    }),

    /** Finds the reply that a visitor goes on to read after the event with this number. */
    resume: (visitor: Visitor["Service"], id: MessageId, after: number) =>
      find(visitor, id).pipe(
        Effect.filterOrFail(
          ({ log }) => log.after(after) !== undefined,
          () => noReply,
        ),
        Effect.tap(ensureRoom),
        Effect.map((reply) => ({ reply, after })),
      ),

    /** Stops a reply, and waits until what there is of it is stored. Does nothing to one that has ended. */
    stop: (visitor: Visitor["Service"], id: MessageId) =>
      Effect.flatMap(find(visitor, id), (reply) => replies.stop((other) => other === reply)),
  }
}) {}

/** Whether a message that is not stored has neither words nor files. */
const isEmpty = ({ message: { attachments = [], text }, regenerates }: WidgetChatRequest): boolean =>
  text === "" && attachments.length === 0 && regenerates === undefined

const nothingSaid = InvalidRequest.at("message.text", "Expected a text, or attachments")

const conversationMissing = InvalidRequest.at("conversation_id", "Expected the conversation whose reply is made again")

const invalidEmail = InvalidRequest.at("email", "Expected an e-mail address, or an empty text to decline")

/** The address that counts as given: the one that is signed, or else that of the form. */
export const emailOf = ({ email }: Visitor["Service"], { email: typed }: Pick<WidgetChatRequest, "email">) => {
  if (email !== undefined || typed === undefined) return Effect.succeed(email)
  const given = typed.trim()
  return given === "" || findEmail(given) === given ? Effect.succeed(given) : Effect.fail(invalidEmail)
}

/** The page of a request without its query and fragment, which may hold secrets. */
export const pageOf = ({ page }: Pick<WidgetChatRequest, "page">): VisitedPage | undefined => {
  if (page === undefined) return undefined
  const { origin, pathname } = new URL(page.url)
  return { ...page, url: origin + pathname }
}

/** Whether a stored reply answers its message: whole, or as far as the visitor, or a crash, has let it. */
export const isAnswer = ({ content, finish_reason }: SentMessage): boolean =>
  finish_reason !== "error" && !(finish_reason === "aborted" && content === "")

/** Emits a stored reply as if it were being made. */
const repeat = (
  { content, finish_reason, id, provider, session_id, sources, unsupported }: SentMessage,
  emit: (event: WidgetEvent) => void,
): ReplyEnd => {
  emit({ type: "start", conversation_id: session_id, message_id: id })
  if (content !== "") emit({ type: "text", text: content })
  for (const [index, source] of (sources ?? []).entries()) emit({ type: "source", ...widgetSource(source, index) })
  if (unsupported !== null) emit({ type: "unsupported", sentences: unsupported.map(({ sentence }) => sentence) })
  return finish_reason === "aborted"
    ? { type: "stopped" }
    : { type: "finish", finish_reason: finish_reason ?? "stop", ...authorOf({ provider, sender_type: "bot" }) }
}
