import { Clock, Context, Effect, Layer } from "effect"
import { runTool, toolSizes } from "../../agent/tools/AgentTool.ts"
import { httpTool, type HttpToolSpec } from "../../agent/tools/HttpTool.ts"
import type { ChatbotToolInput, ToolTrial } from "../../domain/chatbot/ChatbotTool.ts"
import type { ChatbotId, ToolId } from "../../domain/Ids.ts"
import { SafeFetch, type SafeRequest } from "../../outbound/SafeFetch.ts"
import { Chatbots } from "../../storage/chatbots/Chatbots.ts"
import * as Storage from "../../storage/tools/ChatbotTools.ts"
import { ChatbotTools } from "../ChatbotTools.ts"
import { Shares } from "../../admission/Shares.ts"

type ToolInput = Readonly<Record<string, unknown>>

/** Calls of tools by their operators, as a model would make them. */
export class ToolTrials extends Context.Service<ToolTrials>()("parley/services/console/ToolTrials", {
  make: Effect.gen(function* () {
    const storage = yield* Storage.ChatbotTools
    const tools = yield* ChatbotTools
    const chatbots = yield* Chatbots
    const { fetch } = yield* SafeFetch
    const withinShare = (yield* Shares).within("chats")
    const limits = { ...toolSizes, concurrency: 1 }

    const run = Effect.fn("ToolTrials.run")(function* (spec: HttpToolSpec, input: ToolInput) {
      let request: ToolTrial["request"] = null
      let status: number | null = null
      const watched = (sent: SafeRequest) => {
        request = {
          method: sent.method,
          url: sent.url.href,
          header_names: [...Object.keys(sent.headers), ...Object.keys(sent.secrets)],
        }
        return Effect.tap(fetch(sent), (response) => Effect.sync(() => void (status = response.status)))
      }
      const start = yield* Clock.monotonicTimeNanos
      const tool = httpTool(spec, { fetch: watched, resultMaxLength: toolSizes.resultMaxLength })
      const { isFailure, result } = yield* runTool({ name: spec.name, params: input }, [tool], limits)
      const duration_ms = Number((yield* Clock.monotonicTimeNanos) - start) / 1e6
      return { result, is_failure: isFailure, request, status, duration_ms }
    })

    const stored = Effect.fnUntraced(function* (chatbot: ChatbotId, id: ToolId, input: ToolInput) {
      const tool = yield* storage.get(chatbot, id)
      yield* storage.recordTrial(chatbot, tool)
      return yield* run(tool, input)
    })

    const declared = Effect.fnUntraced(function* (chatbot: ChatbotId, declaration: ChatbotToolInput, input: ToolInput) {
      yield* chatbots.get(chatbot)
      const content = yield* tools.checked(declaration)
      yield* storage.recordTrial(chatbot, content)
      return yield* run({ ...content, headers: Effect.succeed(content.headers) }, input)
    })

    return {
      /** Calls a tool of a chatbot, and records that in the audit log. */
      stored: (chatbot: ChatbotId, tool: ToolId, input: ToolInput) => withinShare(stored(chatbot, tool, input)),

      /** Calls a tool that is declared but not stored, and records that in the audit log. */
      declared: (chatbot: ChatbotId, declaration: ChatbotToolInput, input: ToolInput) =>
        withinShare(declared(chatbot, declaration, input)),
    }
  }),
}) {
  static readonly layer = Layer.effect(this, this.make)
}
