import { Context, Effect, Layer } from "effect"
import type { Message, Session } from "../domain/Conversation.ts"
import type { NotFound, Unavailable } from "../domain/Errors.ts"
import type { ChatbotId } from "../domain/Ids.ts"
import type { Page } from "../domain/Page.ts"
import type { CurrentOrganization } from "../domain/Tenancy.ts"
import { Chatbots } from "../storage/Chatbots.ts"
import * as Storage from "../storage/Conversations.ts"

/** What was said with a chatbot. A session is named by its id, or by the token it was opened with. */
export class Conversations extends Context.Service<
  Conversations,
  {
    /** Ascending. */
    readonly messages: (
      chatbot: ChatbotId,
      session: string,
      page: Page,
    ) => Effect.Effect<
      { readonly messages: ReadonlyArray<Message>; readonly total: number },
      NotFound | Unavailable,
      CurrentOrganization
    >
    /** Newest activity first. */
    readonly list: (
      chatbot: ChatbotId,
      page: Page,
    ) => Effect.Effect<
      { readonly sessions: ReadonlyArray<Session>; readonly total: number },
      NotFound | Unavailable,
      CurrentOrganization
    >
    readonly get: (
      chatbot: ChatbotId,
      session: string,
    ) => Effect.Effect<Session, NotFound | Unavailable, CurrentOrganization>
    readonly remove: (
      chatbot: ChatbotId,
      session: string,
    ) => Effect.Effect<void, NotFound | Unavailable, CurrentOrganization>
  }
>()("parley/services/Conversations") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const storage = yield* Storage.Conversations
      const chatbots = yield* Chatbots
      return {
        messages: storage.messages,
        get: storage.get,
        remove: storage.remove,
        // An empty list says nothing about the chatbot, so it is asked for.
        list: (chatbot, page) => Effect.andThen(chatbots.get(chatbot), storage.list(chatbot, page)),
      }
    }),
  )
}
