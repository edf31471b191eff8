import { Effect, Queue, Stream } from "effect"
import { LanguageModel, Tool, Toolkit } from "effect/ai"
import type { ModelCalls, ModelRequest } from "../../src/models/ModelCalls.ts"
import type { ToolDeclaration } from "../../src/models/ToolDeclaration.ts"

/** A model of ours as the service of effect/ai, which checks what comes from it. */
export const languageModelOf = ({ generate, stream }: ModelCalls): Effect.Effect<LanguageModel.LanguageModel> =>
  LanguageModel.make({
    generateText: (options) => generate(requestOf(options)),
    streamText: (options) =>
      Stream.callback((queue) =>
        Effect.matchCauseEffect(
          stream(requestOf(options), (parts) => Effect.asVoid(Queue.offerAll(queue, parts))),
          { onFailure: (cause) => Queue.failCause(queue, cause), onSuccess: () => Queue.end(queue) },
        ),
      ),
  })

const requestOf = ({ prompt, tools, toolChoice }: LanguageModel.ProviderOptions): ModelRequest => ({
  prompt,
  tools: tools.map((tool) => ({
    name: tool.name,
    description: tool.description ?? "",
    inputSchema: Tool.getJsonSchema(tool),
  })),
  toolChoice: toolChoice === "none" ? "none" : "auto",
})

export const toolkitOf = ({ description, inputSchema, name }: ToolDeclaration) =>
  Toolkit.make(Tool.dynamic(name, { description, parameters: inputSchema }))
