import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { Caller } from "../../domain/Caller.ts"
import { readsConversations } from "../../domain/chat/SessionToken.ts"
import { Conflict, Forbidden, InvalidRequest } from "../../domain/Errors.ts"
import { type ChatbotTest, TestId, type TestInput, type TestPatch } from "../../domain/evaluation/ChatbotTest.ts"
import type { ChatbotId, MessageId } from "../../domain/Ids.ts"
import type { Page } from "../../domain/Page.ts"
import type { Change } from "../../domain/schema/Merge.ts"
import { Chatbots } from "../../storage/chatbots/Chatbots.ts"
import { Messages } from "../../storage/conversations/Messages.ts"
import * as Storage from "../../storage/evaluation/Tests.ts"
import { patternProblem } from "../../text/SafePattern.ts"
import { ensureMatch, type IfMatch } from "../Versions.ts"
import { MESSAGES_BEFORE, testOfReply } from "./TestOfReply.ts"

const noReply = new Conflict({ detail: "Only a reply of the chatbot to a question can become a test." })
const unreadable = new Forbidden({ detail: "This API key lacks the scope conversations:read." })

/** Manages the tests of chatbots. */
export class Tests extends Context.Service<Tests>()("parley/services/evaluation/Tests", {
  make: Effect.gen(function* () {
    const storage = yield* Storage.Tests
    const chatbots = yield* Chatbots
    const messages = yield* Messages
    const random = yield* SecureRandom.SecureRandom
    const newId = Effect.map(random.uuidV7(), (id) => TestId.make(id))

    return {
      create: Effect.fn("Tests.create")(function* (chatbot: ChatbotId, input: TestInput) {
        const content = { history: [], tags: [], ...input }
        yield* ensurePatterns(content)
        return yield* storage.insert(yield* newId, chatbot, content)
      }),

      /** Creates a test from a stored reply, which must find again what the reply rests on. */
      createOfReply: Effect.fn("Tests.createOfReply")(function* (chatbot: ChatbotId, reply: MessageId) {
        if (!readsConversations(yield* Caller)) return yield* unreadable
        const { earlier, message } = yield* messages.upTo(chatbot, reply, MESSAGES_BEFORE)
        const content = message.sender_type === "bot" ? testOfReply(message, earlier) : undefined
        if (content === undefined) return yield* noReply
        return yield* storage.insert(yield* newId, chatbot, content, reply)
      }),

      get: storage.get,

      /** Lists a page of the tests of a chatbot whose questions hold the text and that have the tag, oldest first. */
      list: (chatbot: ChatbotId, page: Page, filter: { readonly text: string; readonly tag: string }) =>
        // The list of an unknown chatbot would be empty, so the chatbot is looked up first.
        Effect.andThen(chatbots.get(chatbot), storage.list(chatbot, page, filter)),

      update: (chatbot: ChatbotId, id: TestId, change: Change<ChatbotTest, TestPatch>, ifMatch: IfMatch) =>
        storage.modify(
          chatbot,
          id,
          Effect.fnUntraced(function* (row) {
            yield* ensureMatch(row, ifMatch)
            const patch = yield* change(row)
            yield* ensurePatterns(patch)
            return { ...Storage.contentOf(row), ...patch }
          }),
        ),

      remove: storage.remove,
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** Fails where an expected pattern is none that can be matched in bounded time. */
const ensurePatterns = ({ expectations }: TestPatch): Effect.Effect<void, InvalidRequest> => {
  const problems = (expectations?.say ?? []).flatMap(({ kind, value }, at) => {
    const problem = kind === "pattern" ? patternProblem(value) : undefined
    return problem === undefined ? [] : [{ path: `expectations.say.${at}.value`, message: problem }]
  })
  return problems.length === 0 ? Effect.void : Effect.fail(InvalidRequest.of(problems))
}
