import { Effect, Queue, Stream } from "effect"
import { LanguageModel, Tool, Toolkit } from "effect/ai"
import type { ModelCalls, ModelRequest } from "../../src/models/ModelCalls.ts"
import type { ToolDeclaration } from "../../src/models/ToolDeclaration.ts"

/** Makes a `LanguageModel` of effect/ai from a Parley model, to check its parts by effect/ai's schemas. */
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
