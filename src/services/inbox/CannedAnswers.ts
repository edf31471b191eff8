import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import type { ChatbotId } from "../../domain/Ids.ts"
import { CannedAnswerId, type CannedAnswerInput } from "../../domain/inbox/CannedAnswer.ts"
import { Service } from "../../domain/Service.ts"
import { Chatbots } from "../../storage/chatbots/Chatbots.ts"
import * as Storage from "../../storage/inbox/CannedAnswers.ts"

/** The texts that people send often in the conversations of a chatbot. */
export class CannedAnswers extends Service<CannedAnswers>()("parley/services/inbox/CannedAnswers", function* () {
  const storage = yield* Storage.CannedAnswers
  const chatbots = yield* Chatbots
  const random = yield* SecureRandom.SecureRandom

  return {
    /** Lists the canned answers of a chatbot by their shortcuts. */
    list: (chatbot: ChatbotId) =>
      // The list of an unknown chatbot would be empty, so the chatbot is looked up first.
      Effect.andThen(chatbots.get(chatbot), storage.list(chatbot)),

    create: (chatbot: ChatbotId, input: CannedAnswerInput) =>
      Effect.flatMap(random.uuidV7(), (id) => storage.insert(chatbot, CannedAnswerId.make(id), input)),

    update: storage.update,
    remove: storage.remove,
  }
}) {}
