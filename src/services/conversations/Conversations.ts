import { Context, Effect, Option, Stream } from "effect"
import { Caller } from "../../domain/Caller.ts"
import type { ConversationFilter } from "../../domain/chat/ConversationFilter.ts"
import type { Feedback, Session, SessionPatch, TranscriptMessage } from "../../domain/chat/Conversation.ts"
import { authorOf } from "../../domain/chat/WrittenBy.ts"
import type { ErasureRequest, Visitor } from "../../domain/chat/Erasure.ts"
import { sessionToManage, sessionToRate } from "../../domain/chat/SessionToken.ts"
import { InvalidRequest, type Unavailable } from "../../domain/Errors.ts"
import type { ChatbotId, MessageId } from "../../domain/Ids.ts"
import type { Page, Range } from "../../domain/Page.ts"
import { CurrentOrganization } from "../../domain/Tenancy.ts"
import { Service } from "../../domain/Service.ts"
import { Shares } from "../../admission/Shares.ts"
import { Chatbots } from "../../storage/chatbots/Chatbots.ts"
import { ConversationLists, type Scanned } from "../../storage/conversations/ConversationLists.ts"
import * as Storage from "../../storage/conversations/Conversations.ts"
import { Erasures } from "../../storage/conversations/Erasures.ts"
import { Inbox } from "../../storage/inbox/Inbox.ts"
import { Messages, type Place } from "../../storage/conversations/Messages.ts"
import { chatbotsWithinReach } from "../Reach.ts"

/** Messages that a transcript reads from the database at once. */
const TRANSCRIPT_PAGE = 50

/** Most messages that one search looks through, about a second's work. The next page goes on there. */
export const SearchedMessages: Context.Reference<number> = Context.Reference<number>(
  "parley/services/conversations/SearchedMessages",
  { defaultValue: () => 20_000 },
)

/** The most conversations that one request looks through for conditions without an index. */
const SCANNED_MAX = 20_000
/** The number of conversations that a scan looks through first. Each statement then takes twice as many. */
const FIRST_SCAN = 100

const oneName = "Expected exactly one of `email`, `session_token` and `visitor_id`"

/** A session with all of its messages, oldest first, as a stream that reads a page at a time. */
export interface Transcript {
  readonly session: Session
  readonly messages: Stream.Stream<TranscriptMessage, Unavailable>
}

/**
 * The sessions and messages of a chatbot. `session` is the id of a session, or the token that the client opened it
 * with; of several sessions with the same short token, the one that the caller's key opened, or else the one with the
 * latest activity. A caller who may not read conversations rates only in those that its key opened, or whose id or
 * unguessable token it knows.
 */
export class Conversations extends Service<Conversations>()(
  "parley/services/conversations/Conversations",
  function* () {
    const storage = yield* Storage.Conversations
    const messages = yield* Messages
    const erasures = yield* Erasures
    const chatbots = yield* Chatbots
    const reachOf = yield* chatbotsWithinReach
    const lists = yield* ConversationLists
    const inbox = yield* Inbox
    const searchedMessages = yield* SearchedMessages
    const withinShare = (yield* Shares).within("searches")

    /** Returns the conversations that match, one more than the page has, and how far the scan has come. */
    const scan = Effect.fnUntraced(function* (filter: ConversationFilter, { after, limit }: Range) {
      const { platform, search, state } = filter
      const isIndexed = search === undefined && platform === undefined && state === undefined
      const matches: Array<Scanned> = []
      let last: Scanned | undefined
      let [conversations, messages] = [SCANNED_MAX, search === undefined ? Infinity : searchedMessages]
      let size = isIndexed ? limit + 1 : FIRST_SCAN
      let isComplete = false
      while (!isComplete && matches.length <= limit && conversations > 0 && messages > 0) {
        const bounds = { conversations: Math.min(size, conversations), messages }
        const found = yield* lists.scan(filter, last ?? after, bounds)
        for (const one of found.scanned) {
          if (one.is_match) matches.push(one)
          messages -= one.message_count
        }
        isComplete = found.isComplete
        conversations -= found.scanned.length
        last = found.scanned.at(-1) ?? last
        size *= 2
      }
      return { matches, isComplete, last }
    })

    const listAll = Effect.fn("Conversations.listAll")(function* (asked: ConversationFilter, range: Range) {
      const filter = { ...asked, chatbots: yield* reachOf(asked.chatbots) }
      const { isComplete, last, matches } = yield* scan(filter, range)
      const shown = matches.slice(0, range.limit)
      const conversations = yield* lists.getMany(shown.map(({ id }) => id))
      if (matches.length > range.limit) return { conversations, next: shown.at(-1), searchedTo: undefined }
      return isComplete || last === undefined
        ? { conversations, next: undefined, searchedTo: undefined }
        : { conversations, next: last, searchedTo: last.updated_at }
    })

    return {
      /** Returns a page of the messages of a session, oldest first, and their total number. */
      messages: (chatbot: ChatbotId, session: string, page: Page) =>
        Caller.use((caller) => messages.page(chatbot, sessionToManage(caller, session), page)),

      transcript: Effect.fn("Conversations.transcript")(function* (chatbot: ChatbotId, name: string) {
        const organization = yield* CurrentOrganization
        const session = yield* storage.exported(chatbot, sessionToManage(yield* Caller, name))
        const pages = Stream.paginate<Place | undefined, TranscriptMessage, Unavailable, CurrentOrganization>(
          undefined,
          (place) =>
            Effect.map(messages.after(session.id, place, TRANSCRIPT_PAGE), ({ messages, last }) => [
              messages.map((message) => ({ ...message, ...authorOf(message) })),
              messages.length < TRANSCRIPT_PAGE ? Option.none() : Option.some(last),
            ]),
        )
        return { session, messages: Stream.provideService(pages, CurrentOrganization, organization) }
      }),

      /** Stores the user's feedback on a reply; null removes it. */
      rate: (chatbot: ChatbotId, session: string, message: MessageId, feedback: Feedback | null) =>
        Caller.use((caller) => messages.rate(chatbot, sessionToRate(caller, session), message, feedback)),

      get: (chatbot: ChatbotId, session: string) =>
        Caller.use((caller) => storage.get(chatbot, sessionToManage(caller, session))),

      /** Changes a session. Closing hands it back to the bot. */
      update: (chatbot: ChatbotId, session: string, patch: SessionPatch) =>
        Caller.use((caller) => inbox.update(chatbot, sessionToManage(caller, session), patch, caller.person)),

      remove: (chatbot: ChatbotId, session: string) =>
        Caller.use((caller) => storage.remove(chatbot, sessionToManage(caller, session))),

      /** Returns a page of the sessions of a chatbot, latest activity first, and their total number. */
      list: (chatbot: ChatbotId, page: Page) =>
        // The list of an unknown chatbot would be empty, so the chatbot is looked up first.
        Effect.andThen(chatbots.get(chatbot), storage.list(chatbot, page)),

      /**
       * Deletes everything that is stored about a visitor, in the conversations with a chatbot, or with every chatbot
       * within the caller's reach. A chat of the visitor that is under way goes on, and nothing of it is stored any
       * more.
       */
      erase: Effect.fn("Conversations.erase")(function* ({ chatbot_id, ...names }: ErasureRequest) {
        const [visitor, ...others] = visitorsOf(names)
        if (visitor === undefined || others.length > 0) return yield* InvalidRequest.at("email", oneName)
        return yield* erasures.erase(visitor, yield* reachOf(chatbot_id === undefined ? null : [chatbot_id]))
      }),

      /**
       * Returns a page of the conversations of all chatbots that meet the filter, the latest activity first. Texts of
       * messages, platforms and states have no index: a request looks through a limited number of conversations for them.
       */
      listAll: (filter: ConversationFilter, range: Range) =>
        filter.search === undefined ? listAll(filter, range) : withinShare(listAll(filter, range)),
    }
  },
) {}

const visitorsOf = (names: Omit<ErasureRequest, "chatbot_id">): ReadonlyArray<Visitor> =>
  (["email", "session_token", "visitor_id"] as const).flatMap((by) => {
    const name = names[by]
    return name === undefined ? [] : [{ by, name }]
  })
