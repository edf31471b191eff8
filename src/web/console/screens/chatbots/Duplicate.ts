import { call } from "../../Api.ts"
import type { Chatbot } from "../../Chatbots.ts"

/** Makes a chatbot with the configuration of another one. */
export const duplicate = async (chatbotId: string): Promise<Chatbot> =>
  (await call("POST /api/external/chatbot/:chatbotId/duplicate", { params: { chatbotId }, body: {} })).chatbot
