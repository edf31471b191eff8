import { Context, Effect, Layer } from "effect"
import { Caller, ensureServes } from "../../domain/Caller.ts"
import type { ConversationFilter } from "../../domain/chat/ConversationFilter.ts"
import type { Range } from "../../domain/Page.ts"
import { Chatbots } from "../../storage/chatbots/Chatbots.ts"
import { ConversationLists, type Scanned } from "../../storage/conversations/ConversationLists.ts"
import { Shares } from "../../admission/Shares.ts"

/** Most messages that one search looks through, about a second's work. The next page goes on there. */
export const SearchedMessages: Context.Reference<number> = Context.Reference<number>(
  "parley/services/console/SearchedMessages",
  { defaultValue: () => 20_000 },
)

/** The most conversations that one request looks through for conditions without an index. */
const SCANNED_MAX = 20_000
/** The number of conversations that a scan looks through first. Each statement then takes twice as many. */
const FIRST_SCAN = 100

/** The conversations of all chatbots of an organization. */
export class AllConversations extends Context.Service<AllConversations>()("parley/services/console/AllConversations", {
  make: Effect.gen(function* () {
    const searchedMessages = yield* SearchedMessages
    const lists = yield* ConversationLists
    const chatbots = yield* Chatbots
    const withinShare = (yield* Shares).within("searches")

    /** Returns the conversations that match, one more than the page has, and how far the scan has come. */
    const scan = Effect.fnUntraced(function* (filter: ConversationFilter, { after, limit }: Range) {
      const isIndexed = filter.search === undefined && filter.platform === undefined
      const matches: Array<Scanned> = []
      let last: Scanned | undefined
      let [conversations, messages] = [SCANNED_MAX, filter.search === undefined ? Infinity : searchedMessages]
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

    const list = Effect.fn("AllConversations.list")(function* (asked: ConversationFilter, range: Range) {
      const caller = yield* Caller
      if (asked.chatbot !== undefined) {
        yield* ensureServes(asked.chatbot)
        // The list of an unknown chatbot would be empty.
        yield* chatbots.get(asked.chatbot)
      }
      const filter = { ...asked, chatbot: asked.chatbot ?? caller.chatbotId ?? undefined }
      const { isComplete, last, matches } = yield* scan(filter, range)
      const shown = matches.slice(0, range.limit)
      const conversations = yield* lists.getMany(shown.map(({ id }) => id))
      if (matches.length > range.limit) return { conversations, next: shown.at(-1), searchedTo: undefined }
      return isComplete || last === undefined
        ? { conversations, next: undefined, searchedTo: undefined }
        : { conversations, next: last, searchedTo: last.updated_at }
    })

    return {
      /**
       * Returns a page of the conversations that meet the filter, the latest activity first. Texts of messages and
       * platforms have no index: a request looks through a limited number of conversations for them.
       */
      list: (filter: ConversationFilter, range: Range) =>
        filter.search === undefined ? list(filter, range) : withinShare(list(filter, range)),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
