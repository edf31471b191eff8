import { HttpApiBuilder } from "effect/http-api"
import { Effect } from "effect"
import { Api } from "../../api/Api.ts"
import { ChatbotTool, ChatbotToolPatch } from "../../domain/chatbot/ChatbotTool.ts"
import { ChatbotTools } from "../../services/chatbots/ChatbotTools.ts"
import { changes } from "../Changes.ts"

const toolChange = changes(ChatbotTool, ChatbotToolPatch, ["input_schema"])

export const layer = HttpApiBuilder.group(
  Api,
  "tools",
  Effect.fn(function* (handlers) {
    const tools = yield* ChatbotTools

    return handlers.handleAll({
      createTool: ({ params, payload }) => Effect.map(tools.create(params.chatbotId, payload), (tool) => ({ tool })),
      listTools: ({ params }) => Effect.map(tools.list(params.chatbotId), (found) => ({ tools: found })),
      getTool: ({ params }) => Effect.map(tools.get(params.chatbotId, params.toolId), (tool) => ({ tool })),
      updateTool: ({ params, payload }) =>
        Effect.map(tools.update(params.chatbotId, params.toolId, toolChange(payload)), (tool) => ({ tool })),
      tryTool: ({ params, payload }) =>
        Effect.map(tools.tryStored(params.chatbotId, params.toolId, payload.input), (trial) => ({ trial })),
      tryDeclaration: ({ params, payload }) =>
        Effect.map(tools.tryDeclared(params.chatbotId, payload.tool, payload.input), (trial) => ({ trial })),
      deleteTool: ({ params }) =>
        Effect.as(tools.remove(params.chatbotId, params.toolId), { message: "Tool deleted successfully" as const }),
    })
  }),
)
