import { Effect } from "effect"
import { ChatbotTool, ChatbotToolPatch } from "../../domain/chatbot/ChatbotTool.ts"
import { ChatbotTools } from "../../services/chatbots/ChatbotTools.ts"
import { changes } from "../Changes.ts"
import { group } from "../Group.ts"

const toolChange = changes(ChatbotTool, ChatbotToolPatch, ["input_schema"])

export const layer = group("tools", function* (handlers) {
  const tools = yield* ChatbotTools

  return handlers.handleAll({
    createTool: ({ params, payload }) => Effect.bindTo(tools.create(params.chatbotId, payload), "tool"),
    listTools: ({ params }) => Effect.bindTo(tools.list(params.chatbotId), "tools"),
    getTool: ({ params }) => Effect.bindTo(tools.get(params.chatbotId, params.toolId), "tool"),
    updateTool: ({ params, payload }) =>
      Effect.bindTo(tools.update(params.chatbotId, params.toolId, toolChange(payload)), "tool"),
    tryTool: ({ params, payload }) =>
      Effect.bindTo(tools.tryStored(params.chatbotId, params.toolId, payload.input), "trial"),
    tryDeclaration: ({ params, payload }) =>
      Effect.bindTo(tools.tryDeclared(params.chatbotId, payload.tool, payload.input), "trial"),
    deleteTool: ({ params }) =>
      Effect.as(tools.remove(params.chatbotId, params.toolId), { message: "Tool deleted successfully" as const }),
  })
})
