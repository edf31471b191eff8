import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ChatbotId } from "../domain/Ids.ts"
import { IsCrossOrigin, IsSlow, Speaks } from "./parts/Annotations.ts"
import { Authorization } from "./Middleware.ts"

/** The endpoint of the Model Context Protocol for all chatbots that the API key may use. */
export const mcp = HttpApiEndpoint.post("mcp", "/mcp").annotate(IsSlow, true)

/** The endpoint of the Model Context Protocol for the chatbot in the path. */
export const mcpOfChatbot = HttpApiEndpoint.post("mcpOfChatbot", "/mcp/:chatbotId", {
  params: { chatbotId: ChatbotId },
}).annotate(IsSlow, true)

/**
 * The endpoints of the Model Context Protocol, over its transport Streamable HTTP. The protocol describes its own
 * messages, so the OpenAPI document leaves these endpoints out. Requests of web pages from other origins are refused,
 * as the protocol demands.
 */
export class McpApi extends HttpApiGroup.make("mcp")
  .add(mcp, mcpOfChatbot)
  .annotate(Speaks, "mcp")
  .annotate(IsCrossOrigin, false)
  .middleware(Authorization) {}
