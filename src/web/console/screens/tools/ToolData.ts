import { call } from "../../server/Api.ts"
import type { Answer } from "../../server/Endpoints.ts"
import { resources } from "../../server/Resource.ts"

export type Tool = Answer<"GET /api/external/chatbot/:chatbotId/tools">["tools"][number]

/** The tools of a chatbot, oldest first. */
export const toolsOf = resources(async (chatbotId: string) => {
  const { tools } = await call("GET /api/external/chatbot/:chatbotId/tools", { params: { chatbotId } })
  return tools
})
