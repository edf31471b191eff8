import { fieldsIn, isFields, jsonIn, textIn } from "../../server/Unknown.ts"

/** A part of what a model was sent: the settings, the instructions, the tools, or a turn of the conversation. */
interface PromptPart {
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
  const { content, role, tool_calls: calls } = isFields(message) ? message : { content: message }
  const said = [content, calls].filter((part) => part !== undefined && part !== null).map(contentOf)
  return { role: textIn(role) ?? "message", text: said.join("\n\n") }
}

/** The parts of the body of a request to a model's API, of Anthropic's form or OpenAI's; the whole when it is neither. */
export const promptParts = (body: string): ReadonlyArray<PromptPart> => {
  const { messages, system, tools, ...settings } = fieldsIn(jsonIn(body))
  if (!Array.isArray(messages)) return [{ role: "request", text: body }]
  return [
    { role: "settings", text: contentOf(settings) },
    ...(system === undefined ? [] : [{ role: "system", text: contentOf(system) }]),
    ...(tools === undefined ? [] : [{ role: "tools", text: JSON.stringify(tools, undefined, 2) }]),
    ...messages.map(turnOf),
  ]
}
