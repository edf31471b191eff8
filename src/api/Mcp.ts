import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ChatbotId } from "../domain/Ids.ts"
import { IsCrossOrigin, IsSlow, Speaks } from "./Annotations.ts"
import { Authorization } from "./Middleware.ts"

/** The Model Context Protocol, for every chatbot that the API key serves. */
export const mcp = HttpApiEndpoint.post("mcp", "/mcp").annotate(IsSlow, true)

/** The Model Context Protocol, for one chatbot. */
export const mcpOfChatbot = HttpApiEndpoint.post("mcpOfChatbot", "/mcp/:chatbotId", {
  params: { chatbotId: ChatbotId },
}).annotate(IsSlow, true)

/**
 * Where the Model Context Protocol is served, as Streamable HTTP. The protocol describes its messages itself, so these
 * endpoints are no part of the OpenAPI document. Pages of other origins are refused, as the protocol asks.
 */
export class McpApi extends HttpApiGroup.make("mcp")
  .add(mcp, mcpOfChatbot)
  .annotate(Speaks, "mcp")
  .annotate(IsCrossOrigin, false)
  .middleware(Authorization) {}
