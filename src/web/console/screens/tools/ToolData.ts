import { call } from "../../Api.ts"
import type { Answer } from "../../Endpoints.ts"
import { resources } from "../../Resource.ts"

export type Tool = Answer<"GET /api/external/chatbot/:chatbotId/tools">["tools"][number]

/** The tools of a chatbot, oldest first. */
export const toolsOf = resources(async (chatbotId: string) => {
  const { tools } = await call("GET /api/external/chatbot/:chatbotId/tools", { params: { chatbotId } })
  return tools
})
