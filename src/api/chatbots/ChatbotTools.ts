import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChatbotTool, ChatbotToolInput, ChatbotToolPatch, ToolTrial } from "../../domain/chatbot/ChatbotTool.ts"
import { ChatbotId, ToolId } from "../../domain/Ids.ts"
import { Authorization, Idempotent, Problems, RequestBody, RequiredScope } from "../Middleware.ts"
import { requestCosts } from "../../domain/organizations/RateLimit.ts"
import { described, slow } from "../parts/Annotations.ts"
import { Problem } from "../failures/Problem.ts"
import { changeDescription, ChangePayload } from "../parts/ChangePayload.ts"

const toolsPath = "/api/external/chatbot/:chatbotId/tools"
const toolPath = `${toolsPath}/:toolId` as const
const ofChatbot = { chatbotId: ChatbotId }
const ofTool = { chatbotId: ChatbotId, toolId: ToolId }

const OneTool = Schema.Struct({ tool: ChatbotTool })

const createTool = HttpApiEndpoint.post("createTool", toolsPath, {
  params: ofChatbot,
  payload: ChatbotToolInput,
  success: OneTool.pipe(HttpApiSchema.status(201)),
  error: [Problem.NotFound, Problem.Conflict, Problem.QuotaReached],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "chatbots:write")
  .annotateMerge(
    described(
      "Create a tool",
      "An HTTP endpoint that the chatbot's model may call while it answers, from the next message on. The server makes the call: it checks the input against `input_schema`, fills the address, refuses private addresses, and hands text or JSON back to the model. 409 when the name is taken (`searchKnowledgeBase` and `listDocuments` always are) or the chatbot has as many tools as it may.",
    ),
  )

const listTools = HttpApiEndpoint.get("listTools", toolsPath, {
  params: ofChatbot,
  success: Schema.Struct({ tools: Schema.Array(ChatbotTool) }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "chatbots:read")
  .annotateMerge(described("List tools", "Oldest first, all of them."))

const getTool = HttpApiEndpoint.get("getTool", toolPath, { params: ofTool, success: OneTool, error: Problem.NotFound })
  .annotate(RequiredScope, "chatbots:read")
  .annotateMerge(described("Get a tool", "The values of its headers are not shown."))

const updateTool = HttpApiEndpoint.patch("updateTool", toolPath, {
  params: ofTool,
  payload: ChangePayload(ChatbotToolPatch),
  success: OneTool,
  error: [Problem.NotFound, Problem.Conflict],
})
  .middleware(Idempotent.inTransaction)
  .middleware(RequestBody)
  .annotate(RequiredScope, "chatbots:write")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Update a tool",
      description: `Absent fields stay, and \`headers\` merge by name; \`input_schema\` is replaced as a whole. ${changeDescription}`,
    }),
  )

const deleteTool = HttpApiEndpoint.delete("deleteTool", toolPath, {
  params: ofTool,
  success: Schema.Struct({ message: Schema.Literal("Tool deleted successfully") }),
  error: Problem.NotFound,
})
  .annotate(RequiredScope, "chatbots:write")
  .annotateMerge(described("Delete a tool", "The chatbot's model is offered it no more."))

const input = Schema.JsonObject.annotate({
  description: "The input that the model would send.",
  examples: [{ orderId: "A-4711" }],
})

const trialDescription =
  "The server calls the endpoint with this input and its secret headers, through the same checks as when a model calls it; what the endpoint does is done. `result` is what the model would see. A call that fails is an answer as well, with `is_failure`. The audit log gets an entry."

const Trial = Schema.Struct({ trial: ToolTrial })

const tryTool = HttpApiEndpoint.post("tryTool", `${toolPath}/try`, {
  params: ofTool,
  payload: Schema.Struct({ input }),
  success: Trial,
  error: [Problem.NotFound, Problem.TooManyAtOnce],
})
  .middleware(Idempotent.repeatable)
  .middleware(RequestBody)
  .annotateMerge(slow(requestCosts.chat))
  .annotate(RequiredScope, "chatbots:write")
  .annotateMerge(described("Try a tool", trialDescription))

const tryDeclaration = HttpApiEndpoint.post("tryDeclaration", `${toolsPath}/try`, {
  params: ofChatbot,
  payload: Schema.Struct({ tool: ChatbotToolInput, input }),
  success: Trial,
  error: [Problem.NotFound, Problem.Conflict, Problem.TooManyAtOnce],
})
  .middleware(Idempotent.repeatable)
  .middleware(RequestBody)
  .annotateMerge(slow(requestCosts.chat))
  .annotate(RequiredScope, "chatbots:write")
  .annotateMerge(
    described(
      "Try a declaration of a tool",
      `Before it is stored: the declaration is checked as when a tool is created, and nothing is stored. ${trialDescription}`,
    ),
  )

/** The endpoints that manage the tools of a chatbot: HTTP endpoints that its model may call. */
export class ChatbotToolsApi extends HttpApiGroup.make("tools")
  .add(createTool, listTools, getTool, updateTool, deleteTool, tryTool, tryDeclaration)
  .annotate(HttpApi.PayloadParseOptions, { onExcessProperty: "error" })
  .annotateMerge(OpenApi.annotations({ title: "Tools", description: "HTTP endpoints that a chatbot may call." }))
  .middleware(Authorization)
  .middleware(Problems) {}
