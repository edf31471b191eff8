import { isFields, jsonIn } from "../../server/Unknown.ts"

/** A part of what a model was sent: the settings, the instructions, the tools, or a turn of the conversation. */
export interface PromptPart {
  /** Such as `system`, `user` or `tools`. */
  readonly role: string
  readonly text: string
}

/** The text of contents, which are a text or a list of parts; what is no text is shown as JSON. */
const contentOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (isFields(content) && typeof content["text"] === "string") return content["text"]
  return Array.isArray(content) ? content.map(contentOf).join("\n\n") : JSON.stringify(content, undefined, 2)
}

const turnOf = (message: unknown): PromptPart => {
  const {
    content,
    role,
    tool_calls: calls,
  } = isFields(message) ? message : { content: message, role: "", tool_calls: [] }
  const said = [content, calls].filter((part) => part !== undefined && part !== null).map(contentOf)
  return { role: typeof role === "string" ? role : "message", text: said.join("\n\n") }
}

/** The parts of the body of a request to a model's API, of Anthropic's form or OpenAI's; undefined when it is neither. */
export const promptParts = (body: string): ReadonlyArray<PromptPart> | undefined => {
  const request = jsonIn(body)
  if (!isFields(request) || !Array.isArray(request["messages"])) return undefined
  const { messages, system, tools, ...settings } = request
  return [
    { role: "settings", text: contentOf(settings) },
    ...(system === undefined ? [] : [{ role: "system", text: contentOf(system) }]),
    ...(tools === undefined ? [] : [{ role: "tools", text: JSON.stringify(tools, undefined, 2) }]),
    ...(Array.isArray(messages) ? messages.map(turnOf) : []),
  ]
}
