import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { AttachmentId } from "../../domain/chat/Attachment.ts"
import { Caller } from "../../domain/Caller.ts"
import { sessionToManage } from "../../domain/chat/SessionToken.ts"
import { Conflict, InvalidRequest } from "../../domain/Errors.ts"
import { type ChatbotId, MessageId, PersonId } from "../../domain/Ids.ts"
import type { Presence } from "../../domain/inbox/Handover.ts"
import { Service } from "../../domain/Service.ts"
import { Conversations } from "../../storage/conversations/Conversations.ts"
import { sessionNotFound } from "../../storage/conversations/Messages.ts"
import * as Storage from "../../storage/inbox/Inbox.ts"
import { Presences } from "../../storage/inbox/Presences.ts"
import { RepliesUnderWay } from "../conversations/RepliesUnderWay.ts"
import { toPromptTurn } from "../conversations/ChatHistory.ts"
import { Trials } from "../conversations/Trials.ts"

/** As much of a conversation as a draft is made of. */
const DRAFT_HISTORY = { messages: 50, bytes: 64_000, characters: 16_000 }

const nothingSaid = InvalidRequest.at("content", "Expected a text, or attachments")
const nothingAsked = new Conflict({ detail: "The visitor has written nothing that could be answered." })

/** A message that a person sends, or a program for somebody. */
export interface Said {
  readonly content: string
  readonly attachments?: ReadonlyArray<AttachmentId> | undefined
  readonly id?: string | undefined
  readonly sender_name?: string | undefined
}

/** People in the conversations of a chatbot. `session` names one as for `Conversations`. */
export class Inbox extends Service<Inbox>()("parley/services/inbox/Inbox", function* () {
  const storage = yield* Storage.Inbox
  const underWay = yield* RepliesUnderWay
  const conversations = yield* Conversations
  const trials = yield* Trials
  const presences = yield* Presences
  const random = yield* SecureRandom.SecureRandom

  return {
    /** Hands a conversation over to people: to the assignee, or absent one to the person who asks. */
    handOver: Effect.fn("Inbox.handOver")(function* (
      chatbot: ChatbotId,
      session: string,
      assignee: PersonId | null | undefined,
    ) {
      const caller = yield* Caller
      const { person } = caller
      const reason = person === undefined ? "api" : "taken"
      const name = sessionToManage(caller, session)
      const handedOver = yield* storage.handOver(
        chatbot,
        name,
        reason,
        person,
        assignee === undefined ? (person?.id ?? null) : assignee,
      )
      yield* underWay.stop(handedOver.id)
      return handedOver
    }),

    /** Hands a conversation back to the bot. */
    giveBack: (chatbot: ChatbotId, session: string) =>
      Caller.use((caller) => storage.handBack(chatbot, sessionToManage(caller, session), caller.person)),

    /** Stores a message of a person, who takes the conversation over by it. */
    say: Effect.fn("Inbox.say")(function* (chatbot: ChatbotId, session: string, said: Said) {
      const caller = yield* Caller
      const { attachments = [], content } = said
      if (content === "" && attachments.length === 0) return yield* nothingSaid
      const id = MessageId.make(yield* random.uuidV7())
      const message = { id, content, attachments, mid: said.id, senderName: said.sender_name }
      const stored = yield* storage.say(chatbot, sessionToManage(caller, session), message, caller)
      yield* underWay.stop(stored.session.id)
      return stored
    }),

    /** Stores a note that visitors never see. */
    note: Effect.fn("Inbox.note")(function* (chatbot: ChatbotId, session: string, text: string) {
      const caller = yield* Caller
      const id = yield* random.uuidV7()
      return yield* storage.note(chatbot, sessionToManage(caller, session), id, text, caller.person)
    }),

    events: (chatbot: ChatbotId, session: string) =>
      Caller.use((caller) => storage.events(chatbot, sessionToManage(caller, session))),

    /** Stores what the caller does in a conversation, and returns who is there. */
    presence: (chatbot: ChatbotId, session: string, state: Presence["state"] | "away", readTo: Date | undefined) =>
      Caller.use((caller) =>
        presences.set(chatbot, sessionToManage(caller, session), PersonId.make(caller.apiKeyId), state, readTo),
      ),

    /** Makes a reply to the visitor's latest message, of which nothing is stored. */
    draft: Effect.fn("Inbox.draft")(function* (chatbot: ChatbotId, session: string) {
      const found = yield* conversations.find(chatbot, sessionToManage(yield* Caller, session), DRAFT_HISTORY)
      if (found === undefined) return yield* sessionNotFound
      const asking = found.history.findLastIndex(({ sender_type }) => sender_type === "user")
      if (asking === -1) return yield* nothingAsked
      const messages = found.history.slice(0, asking + 1).map(toPromptTurn)
      const { output, sources } = yield* trials.reply(chatbot, { messages })
      return { output, sources }
    }),

    /** Counts the conversations of people, of the chatbots that the caller may see. */
    counts: Caller.use(({ apiKeyId, chatbots }) => storage.counts(chatbots, PersonId.make(apiKeyId))),
  }
}) {}
